import { perform, textBlock } from "../answer.ts";
import type { Ask } from "../ask.ts";
import type { Performance } from "../performance.ts";

/** Writes the last stop sequence of the request within its answer, so that a vendor that honours it ends there. */
export function stop(ask: Ask): Performance {
  const sequence = ask.stop.at(-1) ?? "";
  return perform(ask, { blocks: [textBlock(`Simulated answer: before${sequence} after`)] });
}
