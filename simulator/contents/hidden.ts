import { perform, textBlock } from "../answer.ts";
import type { Ask } from "../ask.ts";
import type { Performance } from "../performance.ts";

/** A model's tokens of reasoning that nobody sees, unless `@think` says how many. */
const THOUGHT_TOKENS = 60_000;

/** Reasons at length and shows no reasoning: only the usage counts it. The cap counts reasoning first, as at real vendors. */
export function hidden(ask: Ask): Performance {
  const { params } = ask.model;
  const cap = ask.output_cap ?? Number.MAX_SAFE_INTEGER;
  const reasoning = Math.min(cap, params.count("think", THOUGHT_TOKENS));
  const shown = perform({ ...ask, output_cap: cap - reasoning }, { blocks: [textBlock("Simulated answer: thought.")] });
  const { usage } = shown;
  return {
    ...shown,
    usage: {
      ...usage,
      output: params.count("output", usage.output + reasoning),
      reasoning: params.count("reasoning", reasoning),
    },
  };
}
