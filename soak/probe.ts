import type { TestKey } from "../test/support/gateway.ts";
import { ask } from "../torture/client.ts";
import type { ClientCall } from "../torture/history.ts";
import { MODELS, type TortureModel } from "../torture/models.ts";
import type { CallPlan } from "../torture/plan-call.ts";

const QUICK = MODELS.find(({ id }) => id === "acme/quick") as TortureModel;
const EVERY_MS = 40;

/** Always the same small call, so that its latencies can be compared from period to period. */
const PLAN: CallPlan = {
  ...{ model: QUICK, style: 0, stream: false, cap: 64, key: 0, node: 0, words: 8 },
  ...{ leaves: "never", leaves_after_ms: 0, repeats: null, repeats_at_once: false, pause_ms: 0 },
};

/** Makes the probe's call again and again, until `isOver`. `idOf` names each call. */
export async function probe(
  url: string,
  key: TestKey,
  idOf: (count: number) => string,
  isOver: () => boolean,
): Promise<ClientCall[]> {
  const calls: ClientCall[] = [];
  while (!isOver()) {
    const id = idOf(calls.length);
    calls.push(await ask({ id, prompt_id: id, plan: PLAN, node: 0, url, key, idempotency_key: null }));
    await Bun.sleep(EVERY_MS);
  }
  return calls;
}
