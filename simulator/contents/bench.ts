import { perform } from "../answer.ts";
import type { Ask } from "../ask.ts";
import type { Performance } from "../performance.ts";

const DELTAS = 64;

/** Answers every request with 64 short deltas, which are made once per protocol and then only written. */
export function bench(ask: Ask): Performance {
  const pieces = Array.from({ length: DELTAS }, (_, index) => (index === 0 ? "Simulated answer:" : ` word ${index}`));
  return perform(ask, { blocks: [{ type: "text", pieces }] });
}
