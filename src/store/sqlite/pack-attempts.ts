import type { Attempt } from "../../core/ledger.ts";
import { type AttemptDetails, attemptDetails, countsOf } from "../batch/attempt-details.ts";

/** The number that a text travels as, and the text of a number (pack-op.ts). */
export type NumberOf = (text: string) => number;
export type TextOf = (number: number) => string;

/** An attempt as a row. The last three are there for the calls of the decision engine, and for attempts that failed or followed one. */
export type PackedAttempt = readonly [
  vendor: number,
  upstream_model: number,
  status: Attempt["status"],
  error: Attempt["error"],
  first_byte_ms: Attempt["first_byte_ms"],
  duration_ms: Attempt["duration_ms"],
  calls?: number,
  failures?: number,
  details?: AttemptDetails,
];

export function packAttempts(attempts: readonly Attempt[], numberOf: NumberOf): PackedAttempt[] {
  return attempts.map((attempt) => {
    const { status, error, first_byte_ms, duration_ms, calls, failures } = attempt;
    const vendor = numberOf(attempt.vendor);
    const upstream_model = numberOf(attempt.upstream_model);
    const details = attemptDetails(attempt);
    if (details !== null)
      return [vendor, upstream_model, status, error, first_byte_ms, duration_ms, ...countsOf(attempt), details];
    return calls === undefined || failures === undefined
      ? [vendor, upstream_model, status, error, first_byte_ms, duration_ms]
      : [vendor, upstream_model, status, error, first_byte_ms, duration_ms, calls, failures];
  });
}

/**
 * The attempts as the books keep them (batch/short-texts.ts): the same rows with the texts in place of their numbers, of which
 * `quotedOf` gives the JSON. Written out, as an array for each would only be made to be read by JSON.stringify.
 */
export function unpackAttempts(packed: readonly PackedAttempt[], quotedOf: TextOf): string {
  let text = "[";
  for (const [vendor, upstream_model, status, error, first_byte_ms, duration_ms, calls, failures, details] of packed) {
    if (text.length > 1) text += ",";
    const error_json = error === null ? "null" : `"${error}"`;
    text += `[${quotedOf(vendor)},${quotedOf(upstream_model)},${status},${error_json},${first_byte_ms},${duration_ms}`;
    if (calls !== undefined && failures !== undefined) text += `,${calls},${failures}`;
    text += details === undefined ? "]" : `,${JSON.stringify(details)}]`;
  }
  return `${text}]`;
}
