import type { DecisionRequest, OnlyFor, ProbableQuestion } from "../../core/answer/decision.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { type ErrorCode, GatewayError } from "../../core/errors.ts";
import { DECISION_BOUNDS } from "./decision-request.ts";
import { type JsonPlace, placePath } from "./json-place.ts";

/**
 * Throws `empty_questions` where there are no questions, and `invalid_input` where there are too many (docs/rulings.md
 * 29).
 */
export function checkQuestionCount(place: JsonPlace, count: number): void {
  const { questions } = DECISION_BOUNDS;
  if (count === 0) throw counted(place, "empty_questions", "no questions", `1 to ${questions}`);
  if (count > questions) throw counted(place, "invalid_input", `${count} questions`, `1 to ${questions}`);
}

/** Throws `code` where there are fewer or more entries than a question may have. */
export function checkEntryCount(
  place: JsonPlace,
  count: number,
  { min, max }: { readonly min: number; readonly max: number },
  code: ErrorCode,
): void {
  if (count >= min && count <= max) return;
  throw counted(place, code, count === 1 ? "1 entry" : `${count} entries`, `${min} to ${max}`);
}

function counted(place: JsonPlace, code: ErrorCode, found: string, allowed: string): GatewayError {
  const param = placePath(place);
  return new GatewayError(code, `'${param}' has ${found}; allowed: ${allowed}.`, { param });
}

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
