import type { Command } from "commander";
import type { Static, TSchema } from "typebox";
import { Check } from "typebox/value";
import { ErrorBody } from "../../../contract/common.ts";
import { type CommonOptions, leafCommand } from "./command.ts";
import type { CliDeps } from "./deps.ts";
import { CliFailure } from "./failure.ts";
import { gatewayUrl, readAnswer, unexpectedAnswer } from "./gateway-client.ts";
import { gatewayFetch } from "./gateway-fetch.ts";

/** Options of the commands that call the public API, like any client. */
export interface ApiOptions extends CommonOptions {
  readonly url?: string;
  readonly key?: string;
}

/** The time that a call may take: longer than the gateway takes for the slowest decision. */
const TIMEOUT_MS = 300_000;
const LONGEST_PAUSE_MS = 30_000;

/** A command that needs an API key and nothing else. */
export function apiCommand(parent: Command, usage: string, description: string): Command {
  return leafCommand(parent, usage, description)
    .option("--url <url>", "the gateway's address (default: CAMINO_URL, else the data directory's gateway)")
    .option("--key <key>", "an API key (default: CAMINO_API_KEY)");
}

/** A call of the public API, and the shape of its answer. */
interface ApiCall<Schema extends TSchema> {
  readonly path: string;
  readonly body: object;
  readonly answer: Schema;
  /** How often the call is tried when it fails with a passing error (429, 502, 503). Default: once. */
  readonly tries?: number;
}

/** Posts to the public API. Throws a CliFailure with the gateway's sentence, or one that says what to do. */
export async function callApi<Schema extends TSchema>(
  deps: CliDeps,
  options: ApiOptions,
  call: ApiCall<Schema>,
): Promise<Static<Schema>> {
  const url = gatewayUrl(deps, options);
  const key = options.key ?? deps.env.CAMINO_API_KEY;
  if (key === undefined || key === "") throw noKey();
  for (let tries = call.tries ?? 1; ; tries -= 1) {
    const response = await post(deps, url, key, call);
    const body = await readAnswer(response, url);
    if (response.ok && Check(call.answer, body)) return body;
    const pause_s = Number(response.headers.get("retry-after"));
    if (response.ok || tries <= 1 || !(pause_s > 0)) throw failureOf(response.status, body, url);
    await Bun.sleep(Math.min(pause_s * 1000, LONGEST_PAUSE_MS));
  }
}

async function post(deps: CliDeps, url: URL, key: string, { path, body }: ApiCall<TSchema>): Promise<Response> {
  try {
    return await gatewayFetch(deps)(url.href.replace(/\/$/, "") + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (cause) {
    const message = `No gateway answers at ${url.origin}. Give its address with --url or CAMINO_URL.`;
    throw new CliFailure(message, { code: "gateway_unreachable", cause });
  }
}

function failureOf(status: number, body: unknown, url: URL): CliFailure {
  if (Check(ErrorBody, body)) return new CliFailure(body.error.message, { code: body.error.code, body });
  return unexpectedAnswer(status, url);
}

function noKey(): CliFailure {
  const message = "No API key. Give one with --key or CAMINO_API_KEY; `camino key create --account EMAIL` makes one.";
  return new CliFailure(message, { code: "missing_api_key" });
}
