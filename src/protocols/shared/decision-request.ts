import type {
  DecisionClientRequest,
  DecisionImage,
  DecisionPart,
  DecisionRequest,
} from "../../core/answer/decision.ts";
import { REQUEST_BOUNDS } from "../../core/answer/request-bounds.ts";
import type { DecisionSurface } from "../../core/catalog/catalog.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { type ErrorCode, GatewayError } from "../../core/errors.ts";
import type { JsonMembers } from "../../core/json.ts";
import { IMAGE_BOUND_TOKENS } from "./input-bound.ts";
import { findMembers } from "./json-members.ts";
import { type JsonPlace, placePath, wrongValue } from "./json-place.ts";
import { parseBody } from "./parse-json.ts";

/** The bounds of a decision request (docs/rulings.md 29). */
export const DECISION_BOUNDS = {
  questions: REQUEST_BOUNDS.questions,
  choices: { min: 2, max: 255 },
  levels: { min: 2, max: 10 },
  images: 128,
  safety_identifier_characters: 128,
} as const;

/** Tokens of the prompt that a vendor writes around one question: no request shows it, and some vendors count it. */
const QUESTION_PREAMBLE_TOKENS = 256;

/** A decision body, parsed, with its fields in the order of the text. */
export interface DecisionBody {
  readonly text: string;
  readonly body: Record<string, unknown>;
  readonly members: JsonMembers;
  readonly fields: ReadonlyMap<string, JsonPlace>;
}

/**
 * Parses a decision body and refuses fields that the endpoint does not define. Throws `invalid_json` and
 * `unknown_parameter` (docs/api.md 7.4).
 */
export function openDecisionBody(text: string, fields: readonly string[], endpoint: string): DecisionBody {
  const body = parseBody(text);
  const members = findMembers(text);
  const opened = { text, body, members, fields: fieldsOf(text, body, members) };
  refuseUnknown(opened.fields, fields, endpoint);
  return opened;
}

function fieldsOf(text: string, body: DecisionBody["body"], members: JsonMembers): ReadonlyMap<string, JsonPlace> {
  const fields = new Map<string, JsonPlace>();
  for (const [index, key] of members.keys().entries()) {
    const { value_start, end } = members.at(index);
    fields.set(key, { text: text.slice(value_start, end), value: body[key], steps: [key] });
  }
  return fields;
}

/** A field of the body, or a place without a value where the body lacks the field. */
export function fieldOf({ fields }: DecisionBody, key: string): JsonPlace {
  return fields.get(key) ?? { text: "", value: undefined, steps: [key] };
}

/**
 * Throws `unknown_parameter` for the first member that is not one of `allowed`; `owner` names the object in the
 * message.
 */
export function refuseUnknown(
  members: ReadonlyMap<string, JsonPlace>,
  allowed: readonly string[],
  owner: string,
): void {
  for (const [key, place] of members) {
    if (allowed.includes(key)) continue;
    const param = placePath(place);
    const message = `'${param}' is not a field of ${owner}; allowed: ${allowed.join(", ")}.`;
    throw new GatewayError("unknown_parameter", message, { param });
  }
}

/** Throws for a value that is none of these; a missing value is as good. */
export function checkOneOf(place: JsonPlace, allowed: readonly unknown[]): void {
  if (place.value === undefined || allowed.includes(place.value)) return;
  throw wrongValue(place, "invalid_input", allowed.map((one) => JSON.stringify(one)).join(", "));
}

/** The string at a place; throws for any other value, and for a missing value. */
export function requiredString(place: JsonPlace): string {
  if (typeof place.value === "string") return place.value;
  throw wrongValue(place, "invalid_input", "a string");
}

/** A string or null; a missing value is null too. */
export function optionalString(place: JsonPlace, code: ErrorCode = "invalid_input"): string | null {
  if (place.value === undefined || place.value === null) return null;
  if (typeof place.value === "string") return place.value;
  throw wrongValue(place, code, "a string");
}

/** The model's name as the client wrote it. */
export function readModel(place: JsonPlace): string {
  if (typeof place.value === "string" && place.value !== "") return place.value;
  throw wrongValue(place, "invalid_input", "the id of a decision model");
}

const IMAGE_URL = /^data:image\/[\w.+-]+(?:;[^,;]*)*,/i;

const IMAGE_ADDRESS = /^https?:\/\/[^\s/]/i;
const DATA_URL = "a data URL of an image (data:image/…)";

/**
 * The URL of an image. It must be a data URL; on the surface of vendors it may be an address, which only the vendor
 * fetches (docs/rulings.md 14, 34, 174).
 */
export function readImageUrl(place: JsonPlace, surface: DecisionSurface): string {
  const url = requiredString(place);
  const begin = url.slice(0, 256);
  if (IMAGE_URL.test(begin) || (surface === "vendor" && IMAGE_ADDRESS.test(begin))) return url;
  const allowed = surface === "vendor" ? `${DATA_URL} or its address (https://…)` : DATA_URL;
  throw wrongValue({ ...place, value: url.slice(0, 30) }, "invalid_input", allowed);
}

/** Throws `invalid_input` when there are more images than a request may hold; `place` is the value that holds them. */
export function checkImageCount(found: number, place: JsonPlace): void {
  const { images } = DECISION_BOUNDS;
  if (found <= images) return;
  const param = placePath(place);
  throw new GatewayError("invalid_input", `'${param}' has ${found} images; allowed: at most ${images}.`, { param });
}

export function imagesOf(input: DecisionRequest["input"]): readonly DecisionImage[] {
  return input.flat().filter((part: DecisionPart) => part.type === "image");
}

/** The error for a name or option that occurs twice. */
export function repeatedName(place: JsonPlace, code: ErrorCode): GatewayError {
  const param = placePath(place);
  const what = code === "duplicate_question_name" ? "names of questions" : "choice values";
  const message = `'${param}' is there more than once; allowed: ${what} that differ from each other.`;
  return new GatewayError(code, message, { param });
}

/**
 * The request for the pipeline: everything that it needs to know besides the questions. No text is generated, so output
 * is 0.
 */
export function decisionClientRequest(
  protocol: Protocol,
  { text, body, members }: DecisionBody,
  decision: DecisionRequest,
): DecisionClientRequest {
  return {
    protocol,
    model: decision.model,
    stream: false,
    output_cap: 0,
    choices: 1,
    input_bound_tokens: inputBoundOf(text, decision),
    text,
    body,
    members,
    decision,
  };
}

/**
 * An upper bound of the input tokens, like `inputBound` of generation requests: each image counts by a fixed bound, and
 * there is room for the prompt that vendors write around questions.
 */
function inputBoundOf(text: string, { input, questions }: DecisionRequest): number {
  const of_input = imagesOf(input);
  let images = of_input.length;
  let image_bytes = of_input.reduce((total, { url }) => total + url.length, 0);
  for (const { images: asked } of questions) {
    images += asked?.count ?? 0;
    image_bytes += asked?.characters ?? 0;
  }
  const text_bytes = Buffer.byteLength(text) - image_bytes;
  return text_bytes + images * IMAGE_BOUND_TOKENS + questions.length * QUESTION_PREAMBLE_TOKENS;
}
