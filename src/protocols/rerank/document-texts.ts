import { GatewayError } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import type { RankedDocument, RerankRequest } from "./wire-request.ts";

/**
 * The texts of a request's documents, as every vendor takes them: of an object its `text`, or with `rank_fields` those fields as lines of
 * YAML, in their order. Throws the 400 for an object without a text, by its place.
 */
export function textsOf({ documents, rank_fields }: Pick<RerankRequest, "documents" | "rank_fields">): string[] {
  return documents.map((document, index) => {
    if (typeof document === "string") return document;
    return rank_fields == null ? textIn(document, index) : fieldsIn(document, rank_fields, index);
  });
}

function textIn({ text }: Exclude<RankedDocument, string>, index: number): string {
  if (typeof text === "string") return text;
  throw missing(`documents[${index}].text`, "a text; other documents than texts cannot be ranked");
}

function fieldsIn(document: Exclude<RankedDocument, string>, names: readonly string[], index: number): string {
  const lines = names.flatMap((name) => {
    const value = Object.hasOwn(document, name) ? document[name] : null;
    return value === null
      ? []
      : [`${name}: ${isObject(value) || Array.isArray(value) ? JSON.stringify(value) : value}`];
  });
  if (lines.length > 0) return lines.join("\n");
  throw missing(`documents[${index}]`, `one of the fields of 'rank_fields' at least: ${names.slice(0, 5).join(", ")}`);
}

function missing(place: string, allowed: string): GatewayError {
  return new GatewayError("invalid_input", `'${place}' has no text to be ranked; allowed: ${allowed}.`, {
    param: place,
  });
}
