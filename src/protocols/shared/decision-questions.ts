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
