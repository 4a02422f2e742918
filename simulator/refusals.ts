import type { Params } from "./model-name.ts";
import type { Failure } from "./protocols/protocol.ts";

/**
 * Answers in place of a performance: errors with an HTTP status, and ways to give no answer. `reply` is an error in the
 * protocol's shape; `raw` is sent unchanged; `hang` never answers.
 */
type Refusal =
  | { readonly kind: "reply"; readonly failure: Failure; readonly headers: Record<string, string> }
  | { readonly kind: "raw"; readonly status: number; readonly body: string; readonly headers: Record<string, string> }
  | { readonly kind: "hang" };

interface RefusalContext {
  readonly params: Params;
  readonly full_name: string;
  readonly path: string;
  readonly headers: Headers;
  /** The number of earlier requests for the model's full name. */
  readonly asked_before: number;
}

type RefusalRule = (context: RefusalContext) => Refusal | null;

/** Refusals by name; any model takes a refusal: `echo@fault=fail-first&n=2`. `fail-NNN` works for every status. */
const REFUSALS = {
  fail: ({ params }) => reply(params.count("status", 500), params),
  "fail-first": ({ params, asked_before }) =>
    asked_before < params.count("n", 1) ? reply(params.count("status", 503), params) : null,
  hang: () => ({ kind: "hang" }),
  "html-200": () => html(200),
  "html-502": () => html(502),
  /** Redirects to `/redirected…` on the same server, which answers, so that the log shows whether a client followed. */
  redirect: ({ path, params }) =>
    path.startsWith("/redirected")
      ? null
      : { kind: "raw", status: params.count("status", 307), body: "", headers: { location: `/redirected${path}` } },
  "echo-secret": ({ headers, params }) => ({
    kind: "reply",
    headers: {},
    failure: {
      status: params.count("status", 400),
      message: `Simulated failure: refused for organization org-simulated0123456789, with authorization '${headers.get("authorization") ?? "(none)"}' and key '${headers.get("x-api-key") ?? "(none)"}'.`,
      param: null,
    },
  }),
} as const satisfies Record<string, RefusalRule>;

export type RefusalFault = keyof typeof REFUSALS | `fail-${number}`;

const FAIL_STATUS = /^fail-([45]\d\d)$/;

/** The refusal rule with the given name; null for an unknown name. */
export function refusalRule(name: string): RefusalRule | null {
  const status = FAIL_STATUS.exec(name)?.[1];
  if (status !== undefined) return ({ params }) => reply(Number(status), params);
  return Object.hasOwn(REFUSALS, name) ? REFUSALS[name as keyof typeof REFUSALS] : null;
}

const MESSAGES: Readonly<Record<number, string>> = {
  400: "the request was not understood",
  401: "incorrect API key provided",
  403: "this key may not use the model",
  404: "the model does not exist",
  408: "the request took too long",
  422: "the request could not be processed",
  429: "rate limit reached for organization org-simulated0123456789, try again later",
  500: "the server had an error while processing the request",
  503: "the service is temporarily unavailable",
  529: "the service is overloaded",
};

function reply(status: number, params: Params): Refusal {
  const message = `Simulated failure: ${MESSAGES[status] ?? `status ${status}`}.`;
  return { kind: "reply", headers: retryHeaders(status, params), failure: { status, message, param: null } };
}

/** Retry headers: always for 429, for other statuses only with `@retry_after` (seconds) or `@retry_after_ms`. */
function retryHeaders(status: number, params: Params): Record<string, string> {
  const headers: Record<string, string> = {};
  if (status === 429 || params.has("retry_after")) headers["retry-after"] = params.text("retry_after", "1");
  if (params.has("retry_after_ms")) headers["retry-after-ms"] = params.text("retry_after_ms", "0");
  return headers;
}

function html(status: number): Refusal {
  const body = "<!doctype html><html><body><h1>Simulated gateway page</h1></body></html>";
  return { kind: "raw", status, body, headers: { "content-type": "text/html; charset=utf-8" } };
}

/** Credentials that get a failure in place of an answer: a test may change them while requests come. */
export type RefusedCredentials = ReadonlyMap<
  string,
  { readonly status: number; readonly message?: string; readonly headers?: Readonly<Record<string, string>> }
>;
