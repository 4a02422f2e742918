import type { ErrorStyle } from "../../core/endpoints.ts";

/**
 * The routes of the public API; the OpenAPI document must describe each of them. `{…}` stands for one or more segments.
 */
export interface RouteRow {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly name: RouteName;
  /** Style A, style B, style C, or chosen by the credential's header (docs/api.md 7). */
  readonly error_style: ErrorStyle | "by-header";
}

export type RouteName =
  | "chat.completions"
  | "responses"
  | "responses.compact"
  | "responses.input_tokens"
  | "responses.retrieve"
  | "responses.delete"
  | "responses.input_items"
  | "messages"
  | "messages.count_tokens"
  | "embeddings"
  | "generateContent"
  | "streamGenerateContent"
  | "countTokens"
  | "audio.speech"
  | "images.generations"
  | "images.edits"
  | "audio.transcriptions"
  | "audio.translations"
  | "moderations"
  | "rerank"
  | "completions"
  | "decisions"
  | "systemone"
  | "models.list"
  | "models.retrieve"
  | "gemini.models.list"
  | "gemini.models.retrieve"
  | "usage"
  | "credits"
  | "key"
  | "generation"
  | "requests.retrieve"
  | "healthz"
  | "readyz"
  | "metrics"
  | "openapi"
  | "docs";

export const ROUTES: readonly RouteRow[] = [
  { method: "POST", path: "/v1/chat/completions", name: "chat.completions", error_style: "a" },
  { method: "POST", path: "/v1/responses", name: "responses", error_style: "a" },
  { method: "POST", path: "/v1/responses/compact", name: "responses.compact", error_style: "a" },
  { method: "POST", path: "/v1/responses/input_tokens", name: "responses.input_tokens", error_style: "a" },
  { method: "GET", path: "/v1/responses/{response_id}", name: "responses.retrieve", error_style: "a" },
  { method: "DELETE", path: "/v1/responses/{response_id}", name: "responses.delete", error_style: "a" },
  { method: "GET", path: "/v1/responses/{response_id}/input_items", name: "responses.input_items", error_style: "a" },
  { method: "POST", path: "/v1/messages", name: "messages", error_style: "b" },
  { method: "POST", path: "/v1/messages/count_tokens", name: "messages.count_tokens", error_style: "b" },
  { method: "POST", path: "/v1/embeddings", name: "embeddings", error_style: "a" },
  { method: "POST", path: "/v1/audio/speech", name: "audio.speech", error_style: "a" },
  { method: "POST", path: "/v1/images/generations", name: "images.generations", error_style: "a" },
  { method: "POST", path: "/v1/images/edits", name: "images.edits", error_style: "a" },
  { method: "POST", path: "/v1/audio/transcriptions", name: "audio.transcriptions", error_style: "a" },
  { method: "POST", path: "/v1/audio/translations", name: "audio.translations", error_style: "a" },
  { method: "POST", path: "/v1/moderations", name: "moderations", error_style: "a" },
  { method: "POST", path: "/v1/completions", name: "completions", error_style: "a" },
  { method: "POST", path: "/v1/rerank", name: "rerank", error_style: "a" },
  { method: "POST", path: "/v1/decisions", name: "decisions", error_style: "a" },
  { method: "POST", path: "/v1/systemone", name: "systemone", error_style: "a" },
  ...geminiMethods("/v1beta"),
  { method: "GET", path: "/v1beta/models", name: "gemini.models.list", error_style: "c" },
  { method: "GET", path: "/v1beta/models/{model}", name: "gemini.models.retrieve", error_style: "c" },
  { method: "GET", path: "/v1/models", name: "models.list", error_style: "by-header" },
  { method: "GET", path: "/v1/models/{model}", name: "models.retrieve", error_style: "by-header" },
  { method: "GET", path: "/v1/usage", name: "usage", error_style: "by-header" },
  { method: "GET", path: "/v1/credits", name: "credits", error_style: "by-header" },
  { method: "GET", path: "/v1/key", name: "key", error_style: "by-header" },
  { method: "GET", path: "/v1/generation", name: "generation", error_style: "by-header" },
  { method: "GET", path: "/v1/requests/{request_id}", name: "requests.retrieve", error_style: "by-header" },
  { method: "GET", path: "/healthz", name: "healthz", error_style: "a" },
  { method: "GET", path: "/readyz", name: "readyz", error_style: "a" },
  { method: "GET", path: "/metrics", name: "metrics", error_style: "a" },
  { method: "GET", path: "/openapi.json", name: "openapi", error_style: "a" },
  { method: "GET", path: "/docs", name: "docs", error_style: "a" },
];

/** The methods of Gemini's style, which are below `/v1beta`; Google's clients ask below `/v1` where they are told so (docs/api.md 4.14). */
function geminiMethods(base: "/v1beta" | "/v1"): RouteRow[] {
  const methods = ["generateContent", "streamGenerateContent", "countTokens"] as const;
  return methods.map((name) => ({ method: "POST", path: `${base}/models/{model}:${name}`, name, error_style: "c" }));
}

export interface RouteMatch {
  readonly row: RouteRow;
  /**
   * The percent-decoded text in place of `{…}`; null when it cannot be decoded, or has a NUL. Empty where the route has no parameter.
   */
  readonly parameter: string | null;
}

/** Where version 2 of Cohere's client asks for the same. */
const RERANK_V2: RouteRow = { method: "POST", path: "/v2/rerank", name: "rerank", error_style: "a" };

const exact = new Map<string, RouteMatch>(
  [...ROUTES, RERANK_V2].filter((row) => !row.path.includes("{")).map((row) => [row.path, { row, parameter: "" }]),
);
/** Routes with a parameter, those with the longest endings first, so that the most specific ending matches. */
const open = [...ROUTES, ...geminiMethods("/v1")]
  .filter((row) => row.path.includes("{"))
  .map((row) => ({
    prefix: row.path.slice(0, row.path.indexOf("{")),
    suffix: row.path.slice(row.path.indexOf("}") + 1),
    row,
  }))
  .toSorted((a, b) => b.suffix.length - a.suffix.length);

/**
 * Paths of the public APIs that are not served, and look like a response's id or lie below one: nothing is there, whatever
 * the method.
 */
const NOT_SERVED = /^\/v1\/responses\/[^/]+\/cancel\/?$/;

/**
 * The route of a path: the route for this method where the path has several, else its first. A model id may contain a
 * slash, encoded or not (docs/rulings.md 19b). Null for an unknown path.
 */
export function matchRoute(path: string, method: string): RouteMatch | null {
  const found = exact.get(path) ?? (path.endsWith("/") ? exact.get(path.slice(0, -1)) : undefined);
  if (found !== undefined) return found;
  if (NOT_SERVED.test(path)) return null;
  let other: RouteMatch | null = null;
  for (const { prefix, suffix, row } of open) {
    if (!path.startsWith(prefix) || !path.endsWith(suffix) || path.length <= prefix.length + suffix.length) continue;
    if (other !== null && other.row.path !== row.path) break;
    const match: RouteMatch = other ?? {
      row,
      parameter: decode(path.slice(prefix.length, path.length - suffix.length)),
    };
    if (row.method === method) return { ...match, row };
    other = match;
  }
  return other;
}

export function methodsOf({ path }: RouteRow): string {
  return ROUTES.filter((row) => row.path === path)
    .map(({ method }) => method)
    .join(", ");
}

function decode(text: string): string | null {
  try {
    const decoded = decodeURIComponent(text);
    // No id and no name has a NUL, which a PostgreSQL cannot even be asked for.
    return decoded.includes("\0") ? null : decoded;
  } catch {
    return null;
  }
}
