import { openStore } from "../../src/store/open-store.ts";
import { NODE } from "./targets.ts";

const AT_ONCE = 2000;

/** Counts the traffic of all requests (docs/design/reports.md), as a gateway does in the background, but without its pauses. */
export async function countTraffic(url: string): Promise<void> {
  const { upkeep, ledger, close } = await openStore({ url, node_id: NODE });
  const started_ms = performance.now();
  for (let has_more = true; has_more; ) {
    const slice = await upkeep.readTrafficSlice({ limit: AT_ONCE, prices_json: "{}" });
    await upkeep.writeTrafficSlice(slice);
    ({ has_more } = slice);
  }
  console.log(`\ncounted the traffic in ${((performance.now() - started_ms) / 1000).toFixed(0)} s`);
  await ledger.leave(NODE);
  await close();
}
