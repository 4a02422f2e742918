import { GatewayError } from "../../core/errors.ts";

/** Whether a value can be honoured without a vendor that speaks responses. */
type Accepts = (value: unknown) => boolean;

const never: Accepts = () => false;
const always: Accepts = () => true;
const only =
  (...values: readonly unknown[]): Accepts =>
  (value) =>
    values.includes(value);
const INCLUDABLE: ReadonlySet<unknown> = new Set(["reasoning.encrypted_content", "message.output_text.logprobs"]);
const isIncludable: Accepts = (value) => Array.isArray(value) && value.every((included) => INCLUDABLE.has(included));

/**
 * The fields outside the supported surface (docs/api.md 4.2), each with a check for the values that change nothing or
 * that translation can honour (docs/rulings.md 11). Null is accepted everywhere.
 */
const FEATURES: Readonly<Record<string, Accepts>> = {
  previous_response_id: never,
  conversation: never,
  store: only(false),
  background: only(false),
  include: isIncludable,
  prompt: never,
  prompt_cache_key: always,
  prompt_cache_retention: never,
  context_management: never,
  max_tool_calls: never,
  service_tier: only("auto", "default"),
  verbosity: always,
  stream_options: always,
  parallel_tool_calls: always,
  truncation: only("disabled"),
};

/**
 * The first field of a body that a vendor of another protocol cannot honour, or null. Relays do not call this: a vendor
 * of this protocol judges for itself.
 */
export function unsupportedFeature(body: Readonly<Record<string, unknown>>): string | null {
  for (const [field, accepts] of Object.entries(FEATURES)) {
    const value = body[field];
    if (value !== undefined && value !== null && !accepts(value)) return field;
  }
  return null;
}

/** The 400 error for a field that the model's vendor cannot honour. `why` ends the sentence "…, which …". */
export function unsupportedFeatureError(field: string, why: string): GatewayError {
  return new GatewayError("unsupported_responses_feature", `'${field}' was given, which ${why}.`, { param: field });
}
