import { perform, textBlock } from "../answer.ts";
import type { Ask } from "../ask.ts";
import { type Performance, type Reasoning, words } from "../performance.ts";
import { sealOf } from "../seal.ts";
import { repeated } from "./echo.ts";
import { tools } from "./tools.ts";

const THOUGHTS: Readonly<Record<string, number>> = { minimal: 1, low: 2, medium: 4, high: 8, xhigh: 16, max: 32 };

/** Thinks first, then calls the declared tools, or answers with text when no tool may be called. */
export function reason(ask: Ask): Performance {
  const answer = ask.tools.length > 0 ? tools(ask).blocks : [textBlock(`Simulated answer: ${repeated(ask)}`)];
  return perform(ask, { reasoning: reasoningFor(ask), blocks: answer });
}

/** Simulated reasoning: more sentences for more effort; none where the request turned it off. */
export function reasoningFor(ask: Ask): Reasoning | null {
  if (!ask.reasoning.wanted) return null;
  const sentences = THOUGHTS[ask.reasoning.effort ?? "medium"] ?? 4;
  const text = Array.from({ length: sentences }, (_, index) => `Simulated thought ${index + 1}.`).join(" ");
  return { pieces: words(text), seal: sealOf(text), redacted: ask.model.params.has("redacted") };
}
