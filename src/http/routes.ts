import type { ErrorStyle } from "../core/endpoints.ts";

/** The public API's routes, which the OpenAPI document must name one by one. `{…}` stands for the rest of the path. */
export interface RouteRow {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly name: RouteName;
  /** Style A, style B, or by the credential's header (docs/api.md 7). */
  readonly error_style: ErrorStyle | "by-header";
}

export type RouteName =
  | "chat.completions"
  | "responses"
  | "messages"
  | "messages.count_tokens"
  | "decisions"
  | "systemone"
  | "models.list"
  | "models.retrieve"
  | "usage"
  | "credits"
  | "requests.retrieve"
  | "healthz"
  | "readyz"
  | "metrics"
  | "openapi"
  | "docs";

export const ROUTES: readonly RouteRow[] = [
  { method: "POST", path: "/v1/chat/completions", name: "chat.completions", error_style: "a" },
  { method: "POST", path: "/v1/responses", name: "responses", error_style: "a" },
  { method: "POST", path: "/v1/messages", name: "messages", error_style: "b" },
  { method: "POST", path: "/v1/messages/count_tokens", name: "messages.count_tokens", error_style: "b" },
  { method: "POST", path: "/v1/decisions", name: "decisions", error_style: "a" },
  { method: "POST", path: "/v1/systemone", name: "systemone", error_style: "a" },
  { method: "GET", path: "/v1/models", name: "models.list", error_style: "by-header" },
  { method: "GET", path: "/v1/models/{model}", name: "models.retrieve", error_style: "by-header" },
  { method: "GET", path: "/v1/usage", name: "usage", error_style: "by-header" },
  { method: "GET", path: "/v1/credits", name: "credits", error_style: "by-header" },
  { method: "GET", path: "/v1/requests/{request_id}", name: "requests.retrieve", error_style: "by-header" },
  { method: "GET", path: "/healthz", name: "healthz", error_style: "a" },
  { method: "GET", path: "/readyz", name: "readyz", error_style: "a" },
  { method: "GET", path: "/metrics", name: "metrics", error_style: "a" },
  { method: "GET", path: "/openapi.json", name: "openapi", error_style: "a" },
  { method: "GET", path: "/docs", name: "docs", error_style: "a" },
];

export interface RouteMatch {
  readonly row: RouteRow;
  /** What stood for `{…}`, percent-decoded; null when it cannot be decoded. Empty where the route has none. */
  readonly parameter: string | null;
}

const exact = new Map<string, RouteMatch>(
  ROUTES.filter((row) => !row.path.includes("{")).map((row) => [row.path, { row, parameter: "" }]),
);
const prefixed = ROUTES.filter((row) => row.path.includes("{")).map((row) => ({
  prefix: row.path.slice(0, row.path.indexOf("{")),
  row,
}));

/**
 * The route of a path, whatever the method. A model id may hold a slash, encoded or not (docs/rulings.md 19b). Null for
 * an unknown path.
 */
export function matchRoute(path: string): RouteMatch | null {
  const found = exact.get(path) ?? (path.endsWith("/") ? exact.get(path.slice(0, -1)) : undefined);
  if (found !== undefined) return found;
  for (const { prefix, row } of prefixed) {
    if (path.startsWith(prefix) && path.length > prefix.length) {
      return { row, parameter: decode(path.slice(prefix.length)) };
    }
  }
  return null;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
