import type { GenerationRequest } from "../../core/generation.ts";

/**
 * What a client of this style is shown of reasoning: its text, only the signed form (`display: "omitted"`), or nothing. A
 * client that did not ask for thinking counts on text in the first block. It gets no seal of text either; that of a call
 * it always gets, as there are vendors that refuse calls which come back without.
 */
export type Shown = "text" | "signature" | "hidden";

export function shownReasoning({ reasoning }: GenerationRequest): Shown {
  if (reasoning?.enabled !== true) return "hidden";
  return reasoning.show === "none" ? "signature" : "text";
}
