import type { SentBody, SentItems } from "../../core/answer/exchange.ts";
import { isObject } from "../../core/json.ts";
import { deliveredResponse } from "../../protocols/responses/delivered-response.ts";

/** A delivered answer with its request. */
export interface KeptAnswer {
  readonly account_id: string;
  readonly vendor: string;
  readonly previous_response_id: string | null;
  /** The items as the client sent them, references unresolved, and their JSON. */
  readonly sent: SentItems;
  readonly used_keys: readonly string[];
  /** The body of a whole answer, or the last bytes of a stream. */
  readonly body: SentBody;
  readonly is_stream: boolean;
}

/** A response to be stored, not yet encrypted: parsed or as JSON, whichever it was read as. */
export interface KeptResponse {
  readonly id: string;
  readonly item_ids: readonly string[];
  readonly output: readonly unknown[];
  readonly output_json: JsonText;
  /** The response object without its items. */
  readonly rest: Readonly<Record<string, unknown>>;
  readonly rest_json: JsonText;
}

/** A JSON text, or its bytes in UTF-8 where it is large. */
export type JsonText = string | Uint8Array;

export class ParsedResponse implements KeptResponse {
  readonly id: string;
  readonly output: readonly unknown[];
  readonly rest: Readonly<Record<string, unknown>>;

  constructor(id: string, output: readonly unknown[], rest: Readonly<Record<string, unknown>>) {
    this.id = id;
    this.output = output;
    this.rest = rest;
  }

  get item_ids(): readonly string[] {
    return [...itemsById(this.output)].map(([id]) => id);
  }

  get output_json(): string {
    return JSON.stringify(this.output);
  }

  get rest_json(): string {
    return JSON.stringify(this.rest);
  }
}

/** A large answer that another thread has read: it is parsed when a request continues it. */
export interface WorkerReadResponse {
  readonly id: string;
  readonly item_ids: readonly string[];
  /** JSON. */
  readonly output: Uint8Array;
  readonly rest: Uint8Array;
}

export class ResponseAsBytes implements KeptResponse {
  readonly id: string;
  readonly item_ids: readonly string[];
  readonly #output: Uint8Array;
  readonly #rest: Uint8Array;

  constructor({ id, item_ids, output, rest }: WorkerReadResponse) {
    this.id = id;
    this.item_ids = item_ids;
    this.#output = output;
    this.#rest = rest;
  }

  get output_json(): Uint8Array {
    return this.#output;
  }

  get output(): readonly unknown[] {
    return parseBytes(this.#output) as unknown[];
  }

  get rest_json(): Uint8Array {
    return this.#rest;
  }

  get rest(): Readonly<Record<string, unknown>> {
    return parseBytes(this.#rest) as Record<string, unknown>;
  }
}

export function parseBytes({ buffer, byteOffset, byteLength }: Uint8Array): unknown {
  return JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString());
}

/** More items than any real answer has: hashing more ids would take the serving thread too long. */
const MOST_ITEMS = 10_000;

/** The response that was delivered; null where it cannot be referred to. */
export function readKept({ body, is_stream }: Pick<KeptAnswer, "body" | "is_stream">): ParsedResponse | null {
  const response = deliveredResponse(body, is_stream);
  if (response === null) return null;
  const { output, ...rest } = response;
  if (typeof rest.id !== "string" || rest.id === "" || !Array.isArray(output)) return null;
  return output.length > MOST_ITEMS ? null : new ParsedResponse(rest.id, output, rest);
}

export function* itemsById(output: readonly unknown[]): Iterable<[id: string, item: unknown]> {
  for (const item of output) if (isObject(item) && typeof item.id === "string" && item.id !== "") yield [item.id, item];
}
