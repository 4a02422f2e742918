import type { JsonRecord } from "../../core/json.ts";
import { inputBound } from "../shared/input-bound.ts";
import { referenceOf } from "./reference-of.ts";

/**
 * An upper bound of a request's input tokens: of the body itself, and of the input that its vendor may add from its own
 * store (docs/rulings.md 25).
 */
export function inputTokenBound(text: string, body: JsonRecord): number {
  const has_tools = Array.isArray(body.tools) && body.tools.length > 0;
  return inputBound(text, body.input, has_tools) + storedBound(body);
}

/** No model's context is larger, so earlier turns that the vendor kept cannot add more tokens than this. */
const STORED_BOUND_TOKENS = 1_000_000;
const STORED_FIELDS = ["previous_response_id", "conversation", "prompt"];

/** An upper bound of the input that the vendor adds from its own store, which no byte of the request shows. */
function storedBound(body: JsonRecord): number {
  const is_stored = STORED_FIELDS.some((field) => (body[field] ?? null) !== null);
  return is_stored || (Array.isArray(body.input) && body.input.some((item) => referenceOf(item) !== null))
    ? STORED_BOUND_TOKENS
    : 0;
}
