import type { GenerationRequest } from "../../core/answer/generation.ts";

/**
 * The part of reasoning that a client of this protocol is shown: its text, only the signature (`display: "omitted"`), or
 * nothing. A client that did not ask for thinking expects text in the first block. It gets no seals of texts either,
 * but always those of calls, because some vendors refuse calls that come back without their seals (docs/rulings.md 85).
 */
export type ReasoningDisplay = "text" | "signature" | "hidden";

export function shownReasoning({ reasoning }: GenerationRequest): ReasoningDisplay {
  if (reasoning?.enabled !== true) return "hidden";
  return reasoning.show === "none" ? "signature" : "text";
}
