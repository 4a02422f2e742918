import { openStore } from "../../src/store/open-store.ts";
import { NODE } from "./targets.ts";

/** Sums up the days that are over (docs/design/reports.md), as a gateway does in the background, but without its pauses. */
export async function sumDays(url: string): Promise<void> {
  const { upkeep, ledger, close } = await openStore({ url, node_id: NODE });
  const started_ms = performance.now();
  let steps = 0;
  let longest_ms = 0;
  for (const span of await upkeep.closeDays()) {
    for (let has_more = true; has_more; steps += 1) {
      const began_ms = performance.now();
      has_more = await upkeep.makeSums(span);
      longest_ms = Math.max(longest_ms, performance.now() - began_ms);
    }
  }
  const took = `${((performance.now() - started_ms) / 1000).toFixed(0)} s`;
  console.log(`summed up the days in ${took}: ${steps} steps, the longest of ${longest_ms.toFixed(0)} ms`);
  await ledger.leave(NODE);
  await close();
}
