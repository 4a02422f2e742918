import { GatewayError } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { refuseMore } from "../shared/check-bounds.ts";
import { plainEndpoint } from "../shared/plain-endpoint.ts";
import { type RankedDocument, RerankRequest } from "./wire-request.ts";

/** The tokens that a model's own marks may add to each pair of query and document; no byte of the request shows them. */
const MARK_TOKENS = 8;
/** Cohere's search unit: a query with up to 100 documents, of which one with more than 500 tokens, its query included, counts as several. */
const DOCUMENTS_PER_SEARCH = 100;
const TOKENS_PER_DOCUMENT = 500;

/** The shape of `/v1/rerank` and `/v2/rerank` (docs/api.md 4.18, docs/rulings.md 214). */
export const rerank = plainEndpoint({
  protocol: "rerank",
  endpoint: "rerank",
  kind: "rerank",
  schema: RerankRequest,
  refuse: ({ documents }) =>
    refuseMore(documents, { bound: "rerank_documents", place: "documents", of: "documents", code: "invalid_input" }),
  read: (body) => {
    const { model, query } = body;
    const texts = textsOf(body);
    return {
      model,
      input_bound_tokens: pairBytes(query, texts) + MARK_TOKENS * texts.length,
      units: { searches: mostSearches(query, texts) },
      // Models that rank read the query once for each document, and their vendors count it so.
      collectInput: (most) => ({
        sample: `${query}\n${texts.join("\n")}`.slice(0, most),
        characters: texts.reduce((sum, each) => sum + query.length + each.length, 0),
        media_tokens: 0,
      }),
    };
  },
});

/** No token is shorter than a byte. */
function pairBytes(query: string, texts: readonly string[]): number {
  const query_bytes = Buffer.byteLength(query);
  return texts.reduce((sum, text) => sum + query_bytes + Buffer.byteLength(text), 0);
}

function mostSearches(query: string, texts: readonly string[]): number {
  const query_bytes = Buffer.byteLength(query);
  const chunks = texts.reduce(
    (sum, text) => sum + Math.max(1, Math.ceil((query_bytes + Buffer.byteLength(text)) / TOKENS_PER_DOCUMENT)),
    0,
  );
  return searchesFor(chunks);
}

/** The searches that so many documents are, if none of them is long. */
export function searchesFor(documents: number): number {
  return Math.ceil(documents / DOCUMENTS_PER_SEARCH);
}

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
