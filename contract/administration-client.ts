import type { AdministrationAnswer, AdministrationInput, AdministrationName } from "./administration.ts";
import { CONSOLE_API, type ErrorBody } from "./common.ts";

export interface ClientOptions {
  /** The gateway's address, such as https://gateway.example. */
  readonly url: string;
  /** A management key (`cmm-…`) or the admin token. */
  readonly key: string;
  /** Default: the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  readonly timeout_ms?: number;
}

/** A refusal of the administration API, as the gateway words it. */
export class AdministrationError extends Error {
  override readonly name = "AdministrationError";
  readonly status: number;
  readonly code: string;
  /** The wrong field; null where the refusal is not about a field. */
  readonly param: string | null;
  readonly request_id: string | null;

  constructor(
    message: string,
    told: { status: number; code: string; param: string | null; request_id: string | null },
  ) {
    super(message);
    this.status = told.status;
    this.code = told.code;
    this.param = told.param;
    this.request_id = told.request_id;
  }
}

/** Calls whose lists come in pages. */
export type PagedName = {
  [Name in AdministrationName]: AdministrationAnswer<Name> extends { data: unknown[]; next_before?: string | null }
    ? "query" extends keyof AdministrationInput<Name>
      ? Name
      : never
    : never;
}[AdministrationName];

type RowOf<Name extends PagedName> = AdministrationAnswer<Name> extends { data: (infer Item)[] } ? Item : never;

export interface AdministrationClient {
  /** `call("GET /accounts/{account}", { path: { account } })`. Rejects with an AdministrationError, or as `fetch` does. */
  call<Name extends AdministrationName>(
    name: Name,
    input: AdministrationInput<Name>,
  ): Promise<AdministrationAnswer<Name>>;
  /** Every row of a list, page after page, newest first: `for await (const key of client.rows("GET /keys", {}))`. */
  rows<Name extends PagedName>(name: Name, input: AdministrationInput<Name>): AsyncGenerator<RowOf<Name>>;
}

const TIMEOUT_MS = 30_000;
const PAGE = "100";

/** A small client of the administration API. It needs nothing but `fetch`. */
export function administrationClient(options: ClientOptions): AdministrationClient {
  const { url, key, fetch = globalThis.fetch, timeout_ms = TIMEOUT_MS } = options;
  const base = url.replace(/\/$/, "") + CONSOLE_API;

  async function send(name: AdministrationName, input: AnyInput): Promise<unknown> {
    const [method = "GET", path = ""] = name.split(" ");
    const response = await fetch(base + addressOf(path, input), {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        accept: "application/json",
        ...(input.body === undefined ? {} : { "content-type": "application/json" }),
        ...(input.idempotency_key === undefined ? {} : { "idempotency-key": input.idempotency_key }),
      },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      redirect: "manual",
      signal: AbortSignal.timeout(timeout_ms),
    });
    if (response.ok) return await response.json();
    throw await refusalOf(response);
  }

  return {
    call: (name, input) => send(name, input as AnyInput) as Promise<AdministrationAnswer<typeof name>>,
    async *rows(name, input) {
      const { query, ...rest } = input as AnyInput;
      for (let before: string | null | undefined; before !== null; ) {
        const wanted = { ...query, limit: PAGE, ...(before === undefined ? {} : { before }) };
        const page = (await send(name, { ...rest, query: wanted })) as { data: never[]; next_before?: string | null };
        yield* page.data;
        before = page.next_before ?? null;
      }
    },
  };
}

interface AnyInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly idempotency_key?: string;
}

function addressOf(path: string, { path: fields = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, field: string) => encodeURIComponent(fields[field] ?? ""));
  const search = new URLSearchParams();
  for (const [field, value] of Object.entries(query)) if (value !== undefined) search.set(field, value);
  return search.size === 0 ? filled : `${filled}?${search}`;
}

async function refusalOf(response: Response): Promise<AdministrationError> {
  const told = { status: response.status, request_id: response.headers.get("x-request-id") };
  const body = (await response.json().catch(() => null)) as Partial<ErrorBody> | null;
  const error = body?.error;
  if (typeof error?.message !== "string")
    return new AdministrationError(`The gateway answered with status ${response.status}.`, {
      ...told,
      code: "unknown",
      param: null,
    });
  return new AdministrationError(error.message, { ...told, code: error.code, param: error.param });
}
