import type { DecisionRequest, OnlyFor, ProbableQuestion } from "../../core/decision.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { GatewayError } from "../../core/errors.ts";

/** Throws where a question can only be asked of vendors of another protocol than this one (docs/rulings.md 174, 175). */
export function refuseForeign(questions: DecisionRequest["questions"], protocol: Protocol): void {
  for (const { only } of questions) if (only !== undefined && only.protocol !== protocol) throw foreignError(only);
}

/** The questions, for our own engine, which answers those of the specification. Throws where there are others. */
export function probableQuestions(questions: DecisionRequest["questions"]): readonly ProbableQuestion[] {
  return questions.map((question) => {
    if (question.type === "box" || question.only !== undefined) throw foreignError(question.only);
    return question;
  });
}

/** The error for what only vendors of one protocol can be asked. */
export function foreignError(only: OnlyFor | undefined): GatewayError {
  if (only === undefined) return new GatewayError("internal_error", "A question of a vendor's own type has no vendor.");
  const { code, param, what, protocol } = only;
  const message = `'${param}' has ${what}, which only vendors of the protocol ${protocol} take; this model has none.`;
  return new GatewayError(code, message, { param });
}
