import type { TestKey } from "../support/gateway.ts";
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
/** The same question without the name of a call, so that it is no part of what is reconciled. */
const DIRECT = JSON.stringify({
  model: QUICK.upstream_model,
  messages: [{ role: "user", content: `directly ${"word ".repeat(PLAN.words)}` }],
  max_completion_tokens: PLAN.cap,
});

export interface ProbeOptions {
  readonly gateway_url: string;
  /** The vendor's own, as the gateway calls it. */
  readonly vendor_url: string;
  readonly key: TestKey;
  readonly idOf: (count: number) => string;
  readonly isOver: () => boolean;
}

export interface Probed {
  readonly calls: readonly ClientCall[];
  /** How long the same question took at the vendor itself, in milliseconds: the machine's noise is in both. */
  readonly direct_ms: readonly number[];
}

/** Makes the probe's call again and again, at the gateway and at the vendor in turn, until `isOver`. */
export async function probe({ gateway_url, vendor_url, key, idOf, isOver }: ProbeOptions): Promise<Probed> {
  const calls: ClientCall[] = [];
  const direct_ms: number[] = [];
  while (!isOver()) {
    const id = idOf(calls.length);
    calls.push(await ask({ id, prompt_id: id, plan: PLAN, node: 0, url: gateway_url, key, idempotency_key: null }));
    const began_ms = performance.now();
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${vendor_url}/chat/completions`, { method: "POST", headers, body: DIRECT });
    await response.arrayBuffer();
    direct_ms.push(performance.now() - began_ms);
    await Bun.sleep(EVERY_MS);
  }
  return { calls, direct_ms };
}
