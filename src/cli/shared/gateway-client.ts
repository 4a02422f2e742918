import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Static, TSchema } from "typebox";
import { Check } from "typebox/value";
import { CONSOLE_API, ErrorBody } from "../../../contract/common.ts";
import { DEFAULT_DATA, findAdminToken } from "./admin-token.ts";
import type { CliDeps } from "./deps.ts";
import { CliFailure } from "./failure.ts";
import { gatewayFetch } from "./gateway-fetch.ts";

/** Options of every command that calls a running gateway. */
export interface GatewayOptions {
  readonly url?: string;
  readonly token?: string;
  readonly data?: string;
}

/** The file in the data directory that says where its gateway listens. */
export const ADDRESS_FILE = "address";
const DEFAULT_URL = "http://127.0.0.1:8787";
const TIMEOUT_MS = 30_000;
/** For a whole file. */
const DOWNLOAD_MS = 3_600_000;

/** A call of the console API, and the shape of its answer. */
export interface GatewayCall<Schema extends TSchema> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Segments below /console/api, not yet escaped. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: object;
  /** Makes the call's change once, however often it is sent. */
  readonly idempotency_key?: string | undefined;
  readonly answer: Schema;
}

/** Calls a running gateway's console API. Throws a CliFailure with a sentence that says what to do. */
export async function callGateway<Schema extends TSchema>(
  deps: CliDeps,
  options: GatewayOptions,
  call: GatewayCall<Schema>,
): Promise<Static<Schema>> {
  const url = gatewayUrl(deps, options);
  const { token, source } = await findAdminToken({ token: options.token, data: options.data, env: deps.env, url });
  const response = await send(deps, url, token, call);
  const body = await readAnswer(response, url);
  if (response.ok && Check(call.answer, body)) return body;
  throw failureOf(response.status, body, url, source);
}

/** Writes a file of the console API to the standard output, as it comes. Throws as `callGateway` does. */
export async function downloadFromGateway(
  deps: CliDeps,
  options: GatewayOptions,
  call: Pick<GatewayCall<TSchema>, "path" | "query">,
): Promise<void> {
  const url = gatewayUrl(deps, options);
  const { token, source } = await findAdminToken({ token: options.token, data: options.data, env: deps.env, url });
  const response = await send(deps, url, token, { ...call, method: "GET", answer: ErrorBody, timeout_ms: DOWNLOAD_MS });
  if (!response.ok || response.body === null)
    throw failureOf(response.status, await readAnswer(response, url), url, source);
  const decoder = new TextDecoder();
  for await (const bytes of response.body) deps.stdout(decoder.decode(bytes, { stream: true }));
}

/**
 * The gateway's address: `--url`, else `CAMINO_URL`, else where the gateway of the data directory listens, else the address of a gateway
 * of the same environment (`CAMINO_HOST`, `CAMINO_PORT`). Throws a CliFailure for an invalid address.
 */
export function gatewayUrl(deps: Pick<CliDeps, "env">, options: Pick<GatewayOptions, "url" | "data">): URL {
  const { env } = deps;
  const text = options.url ?? (env.CAMINO_URL || null) ?? addressIn(options.data ?? env.CAMINO_DATA) ?? localUrl(env);
  const url = URL.parse(text);
  if (url && (url.protocol === "http:" || url.protocol === "https:")) return url;
  const message = `The gateway's address is '${text}'; give one such as ${DEFAULT_URL} with --url or CAMINO_URL.`;
  throw new CliFailure(message, { code: "invalid_url" });
}

/** The address in a data directory's file; null where no gateway was started on it, or its files are another user's. */
function addressIn(data = DEFAULT_DATA): string | null {
  try {
    return readFileSync(join(data, ADDRESS_FILE), "utf8").trim() || null;
  } catch {
    return null;
  }
}

/** The address at which this machine reaches a `camino serve` with these variables. */
function localUrl({ CAMINO_HOST: host = "", CAMINO_PORT: port = "" }: CliDeps["env"]): string {
  const everywhere = host === "" || host === "0.0.0.0";
  const reached = everywhere ? "127.0.0.1" : host === "::" ? "::1" : host;
  const taken = port === "" || port === "0" ? "8787" : port;
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${taken}`;
}

async function send(
  deps: CliDeps,
  url: URL,
  token: string,
  call: GatewayCall<TSchema> & { readonly timeout_ms?: number },
): Promise<Response> {
  const target = new URL(url.href.replace(/\/$/, "") + [CONSOLE_API, ...call.path.map(encodeURIComponent)].join("/"));
  for (const [name, value] of Object.entries(call.query ?? {}))
    if (value !== undefined) target.searchParams.set(name, value);
  const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept: "application/json" };
  if (call.body) headers["content-type"] = "application/json";
  if (call.idempotency_key !== undefined) headers["idempotency-key"] = call.idempotency_key;
  const init: RequestInit = {
    method: call.method,
    headers,
    redirect: "manual",
    signal: AbortSignal.timeout(call.timeout_ms ?? TIMEOUT_MS),
  };
  try {
    return await gatewayFetch(deps)(target.href, call.body ? { ...init, body: JSON.stringify(call.body) } : init);
  } catch (cause) {
    throw unreachable(url, cause);
  }
}

/** The failure of a call that got no answer. */
export function unreachable(url: URL, cause: unknown): CliFailure {
  if (cause instanceof Error && cause.name === "TimeoutError") {
    const message = `The gateway at ${url.origin} did not answer within ${TIMEOUT_MS / 1000} s. Look at its log.`;
    return new CliFailure(message, { code: "gateway_timeout", cause });
  }
  const message = `No gateway answers at ${url.origin}. Start it with \`npm start\`, or give its address with --url or CAMINO_URL.`;
  return new CliFailure(message, { code: "gateway_unreachable", cause });
}

function failureOf(status: number, body: unknown, url: URL, source: string): CliFailure {
  if (!Check(ErrorBody, body)) return unexpectedAnswer(status, url);
  // The gateway's own sentence says which scope a management key lacks; only the admin token has places that this command knows.
  if (status !== 401 || body.error.message.includes("management key"))
    return new CliFailure(body.error.message, { code: body.error.code, body });
  const message = `The gateway at ${url.origin} does not accept the admin token from ${source}. Use the one in the file admin-token of its data directory, or its CAMINO_ADMIN_TOKEN.`;
  return new CliFailure(message, { code: body.error.code, body });
}

/** The JSON of a gateway's answer. Throws a CliFailure where the server at the address sends something else. */
export async function readAnswer(response: Response, url: URL): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `What answers at ${url.origin} (status ${response.status}) is not a Camino gateway. Give its address with --url or CAMINO_URL.`;
    throw new CliFailure(message, { code: "not_a_gateway", cause });
  }
}

/** The failure of an answer that has neither the expected shape nor an error's: the gateway is of another version. */
export function unexpectedAnswer(status: number, url: URL): CliFailure {
  const message = `The gateway at ${url.origin} answered with status ${status} in a shape that this command does not know. Use the camino command of the gateway's own version.`;
  return new CliFailure(message, { code: "unexpected_answer" });
}
