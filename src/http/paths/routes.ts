import type { ErrorStyle } from "../../core/endpoints.ts";

interface RouteAddress {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** Style A, style B, style C, or chosen by the credential's header (docs/api.md 7). */
  readonly error_style: ErrorStyle | "by-header";
}

/** The routes of the public API by their names; the OpenAPI document must describe each of them. `{…}` stands for one or more segments. */
const TABLE = {
  "chat.completions": { method: "POST", path: "/v1/chat/completions", error_style: "a" },
  responses: { method: "POST", path: "/v1/responses", error_style: "a" },
  "responses.compact": { method: "POST", path: "/v1/responses/compact", error_style: "a" },
  "responses.input_tokens": { method: "POST", path: "/v1/responses/input_tokens", error_style: "a" },
  "responses.retrieve": { method: "GET", path: "/v1/responses/{response_id}", error_style: "a" },
  "responses.delete": { method: "DELETE", path: "/v1/responses/{response_id}", error_style: "a" },
  "responses.input_items": { method: "GET", path: "/v1/responses/{response_id}/input_items", error_style: "a" },
  messages: { method: "POST", path: "/v1/messages", error_style: "b" },
  "messages.count_tokens": { method: "POST", path: "/v1/messages/count_tokens", error_style: "b" },
  embeddings: { method: "POST", path: "/v1/embeddings", error_style: "a" },
  "audio.speech": { method: "POST", path: "/v1/audio/speech", error_style: "a" },
  "images.generations": { method: "POST", path: "/v1/images/generations", error_style: "a" },
  "images.edits": { method: "POST", path: "/v1/images/edits", error_style: "a" },
  "audio.transcriptions": { method: "POST", path: "/v1/audio/transcriptions", error_style: "a" },
  "audio.translations": { method: "POST", path: "/v1/audio/translations", error_style: "a" },
  moderations: { method: "POST", path: "/v1/moderations", error_style: "a" },
  completions: { method: "POST", path: "/v1/completions", error_style: "a" },
  rerank: { method: "POST", path: "/v1/rerank", error_style: "a" },
  decisions: { method: "POST", path: "/v1/decisions", error_style: "a" },
  systemone: { method: "POST", path: "/v1/systemone", error_style: "a" },
  generateContent: { method: "POST", path: "/v1beta/models/{model}:generateContent", error_style: "c" },
  streamGenerateContent: { method: "POST", path: "/v1beta/models/{model}:streamGenerateContent", error_style: "c" },
  countTokens: { method: "POST", path: "/v1beta/models/{model}:countTokens", error_style: "c" },
  "gemini.models.list": { method: "GET", path: "/v1beta/models", error_style: "c" },
  "gemini.models.retrieve": { method: "GET", path: "/v1beta/models/{model}", error_style: "c" },
  "models.list": { method: "GET", path: "/v1/models", error_style: "by-header" },
  "models.retrieve": { method: "GET", path: "/v1/models/{model}", error_style: "by-header" },
  usage: { method: "GET", path: "/v1/usage", error_style: "by-header" },
  credits: { method: "GET", path: "/v1/credits", error_style: "by-header" },
  key: { method: "GET", path: "/v1/key", error_style: "by-header" },
  generation: { method: "GET", path: "/v1/generation", error_style: "by-header" },
  "requests.retrieve": { method: "GET", path: "/v1/requests/{request_id}", error_style: "by-header" },
  healthz: { method: "GET", path: "/healthz", error_style: "a" },
  readyz: { method: "GET", path: "/readyz", error_style: "a" },
  metrics: { method: "GET", path: "/metrics", error_style: "a" },
  openapi: { method: "GET", path: "/openapi.json", error_style: "a" },
  docs: { method: "GET", path: "/docs", error_style: "a" },
} as const satisfies Readonly<Record<string, RouteAddress>>;

export type RouteName = keyof typeof TABLE;

export interface RouteRow extends RouteAddress {
  readonly name: RouteName;
}

export const ROUTES: readonly RouteRow[] = Object.entries(TABLE).map(([name, row]) => ({
  ...row,
  name: name as RouteName,
}));

/** The methods of Gemini's style, which are below `/v1beta`; Google's clients ask below `/v1` where they are told so (docs/api.md 4.14). */
const GEMINI_BELOW_V1 = ROUTES.filter(({ path }) => path.startsWith("/v1beta/models/{model}:")).map((row) => ({
  ...row,
  path: row.path.replace("/v1beta/", "/v1/"),
}));

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
const open = [...ROUTES, ...GEMINI_BELOW_V1]
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
