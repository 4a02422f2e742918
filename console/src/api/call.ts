import { ApiError, readApiError } from "./api-error.ts";
import { isOfGateway, tellReached } from "./connection.ts";
import type { AnswerOf, EndpointName, InputOf } from "./endpoints.ts";
import { newIdempotencyKey } from "./idempotency-key.ts";

const BASE = "/console/api";

/** The session as the client knows it: set when the session is loaded, cleared when it ends. */
const session: { csrf_token: string | null; onEnded: () => Promise<void> | null; onDenied: () => void } = {
  csrf_token: null,
  onEnded: () => null,
  onDenied: () => undefined,
};

/** Sets the token that every later change carries. */
export function setCsrfToken(token: string | null): void {
  session.csrf_token = token;
}

/**
 * Sets the function that is called when an answer says that the session has ended. Its promise is resolved when the same user is
 * back; null: no user was signed in.
 */
export function whenSessionEnds(callback: () => Promise<void> | null): void {
  session.onEnded = callback;
}

/** Sets the function that is called when an answer says that the user may not do this: their role may have changed. */
export function whenDenied(callback: () => void): void {
  session.onDenied = callback;
}

/**
 * Calls an endpoint and returns its answer. Throws an ApiError: a refusal as the gateway words it, or "unreachable". Where the
 * session has ended, a read waits until its user is back; a change is refused, and what was typed for it stays.
 */
export async function call<Name extends EndpointName>(
  name: Name,
  input: InputOf<Name>,
  signal?: AbortSignal,
): Promise<AnswerOf<Name>> {
  const response = await send(name, input as AnyInput, signal);
  if (response.ok) return (response.status === 204 ? undefined : await response.json()) as AnswerOf<Name>;
  const refusal = await readApiError(response);
  if (SIGNED_OUT.has(refusal.code) && !isOfSession(name)) {
    const back = session.onEnded();
    if (back === null) throw refusal;
    if (!name.startsWith("GET ")) throw changedNothing(refusal);
    await unlessAborted(back, signal);
    return await call(name, input, signal);
  }
  // A token of another session: somebody has signed in, in another tab.
  if (refusal.code === "not_permitted" || refusal.code === "csrf") session.onDenied();
  throw refusal;
}

/** The refusals of a caller without a session: it has ended, or the browser sends its cookie no more. */
const SIGNED_OUT: ReadonlySet<string> = new Set(["session_ended", "missing_api_key"]);

/** The calls by which the session itself is read, begun and ended. */
function isOfSession(name: EndpointName): boolean {
  return name.split(" ")[1]?.split("/")[1] === "session";
}

function changedNothing({ status, code, request_id }: ApiError): ApiError {
  const message = "Your session had ended, so nothing was changed. Send it again.";
  return new ApiError(message, { status, code, request_id });
}

function unlessAborted(back: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return back;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return Promise.race([back, promise]).finally(() => signal.removeEventListener("abort", onAbort));
}

interface AnyInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly once?: string;
}

async function send(name: EndpointName, input: AnyInput, signal: AbortSignal | undefined): Promise<Response> {
  const [method = "GET", path = ""] = name.split(" ");
  const headers: Record<string, string> = { accept: "application/json" };
  if (input.body !== undefined) headers["content-type"] = "application/json";
  if (method !== "GET") headers["idempotency-key"] = input.once ?? newIdempotencyKey();
  if (method !== "GET" && session.csrf_token !== null) headers["x-camino-csrf"] = session.csrf_token;
  try {
    const response = await fetch(urlOf(path, input), {
      method,
      headers,
      credentials: "same-origin",
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    tellReached(isOfGateway(response));
    return response;
  } catch (thrown) {
    if (signal?.aborted) throw thrown;
    tellReached(false);
    const message = "The gateway cannot be reached. Check that it is running and that you are connected.";
    throw new ApiError(message, { status: 0, code: "unreachable", cause: thrown });
  }
}

/** Fields of a query whose empty text has a meaning: usage without a tag. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(["value"]);

/** The address of a call, its path's fields encoded and its empty query fields left out. */
export function urlOf(path: string, { path: fields = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(fields[field] ?? ""));
  const search = new URLSearchParams();
  for (const [field, value] of Object.entries(query))
    if (value !== undefined && (value !== "" || MAY_BE_EMPTY.has(field))) search.set(field, value);
  return `${BASE}${filled}${search.size > 0 ? `?${search}` : ""}`;
}
