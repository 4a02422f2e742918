import { GatewayError } from "../../core/errors.ts";
import type { JsonRecord } from "../../core/json.ts";

/** Whether a value asks for nothing that only a vendor of responses can honour. */
type Accepts = (value: unknown) => boolean;

const never: Accepts = () => false;
const only =
  (...values: readonly unknown[]): Accepts =>
  (value) =>
    values.includes(value);
const isNothing: Accepts = (value) => Array.isArray(value) && value.length === 0;
const areNames: Accepts = (value) => Array.isArray(value) && value.every((entry) => typeof entry === "string");

/**
 * The fields that demand what only a vendor of this protocol can honour (docs/api.md 4.2, docs/rulings.md 11), each with
 * a check for the values that ask for nothing. Null is accepted everywhere. Fields that only wish for something are left
 * out and named, and are not here (docs/rulings.md 190).
 */
const DEMANDS: Readonly<Record<string, Accepts>> = {
  previous_response_id: never,
  conversation: never,
  store: only(false),
  background: only(false),
  include: areNames,
  prompt: never,
  context_management: isNothing,
};

/**
 * The first field of a body that a vendor of another protocol cannot honour, or null. Relays do not call this: a vendor
 * of this protocol judges for itself.
 */
export function unsupportedFeature(body: JsonRecord): string | null {
  for (const [field, accepts] of Object.entries(DEMANDS)) {
    const value = body[field];
    if (value !== undefined && value !== null && !accepts(value)) return field;
  }
  return null;
}

/** The 400 error for a field that the model's vendor cannot honour. `why` ends the sentence "…, which …". */
export function unsupportedFeatureError(field: string, why: string): GatewayError {
  return new GatewayError("unsupported_responses_feature", `'${field}' was given, which ${why}.`, { param: field });
}

/**
 * The 400 error for a part of a request that only a vendor of this protocol understands. `place` is its path in the
 * body.
 */
export function onlyInResponses(place: string, what: string): GatewayError {
  const message = `'${place}' is ${what}, which this model cannot take: it is not reached by responses.`;
  return new GatewayError("unsupported_responses_feature", message, { param: place });
}
