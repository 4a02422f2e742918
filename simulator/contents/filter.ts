import { perform, textBlock } from "../answer.ts";
import type { Ask } from "../ask.ts";
import type { Performance } from "../performance.ts";

/** Some words, then a content filter ends the answer. */
export function filter(ask: Ask): Performance {
  return perform(ask, { blocks: [textBlock("Simulated answer: filtered from here")], finish: "content_filter" });
}
