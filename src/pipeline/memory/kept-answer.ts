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

function parsedResponse(id: string, output: readonly unknown[], rest: KeptResponse["rest"]): KeptResponse {
  return {
    ...{ id, output, rest },
    get item_ids() {
      return [...itemsById(output)].map(([item_id]) => item_id);
    },
    get output_json() {
      return JSON.stringify(output);
    },
    get rest_json() {
      return JSON.stringify(rest);
    },
  };
}

/** A large answer that another thread has read: it is parsed when a request continues it. */
export interface WorkerReadResponse {
  readonly id: string;
  readonly item_ids: readonly string[];
  /** JSON. */
  readonly output: Uint8Array;
  readonly rest: Uint8Array;
}

export function responseAsBytes({ id, item_ids, output, rest }: WorkerReadResponse): KeptResponse {
  return {
    ...{ id, item_ids, output_json: output, rest_json: rest },
    get output() {
      return parseBytes(output) as unknown[];
    },
    get rest() {
      return parseBytes(rest) as Record<string, unknown>;
    },
  };
}

export function parseBytes({ buffer, byteOffset, byteLength }: Uint8Array): unknown {
  return JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString());
}

/** More items than any real answer has: hashing more ids would take the serving thread too long. */
const MOST_ITEMS = 10_000;

/** The response that was delivered; null where it cannot be referred to. */
export function readKept({ body, is_stream }: Pick<KeptAnswer, "body" | "is_stream">): KeptResponse | null {
  const response = deliveredResponse(body, is_stream);
  if (response === null) return null;
  const { output, ...rest } = response;
  if (typeof rest.id !== "string" || rest.id === "" || !Array.isArray(output)) return null;
  return output.length > MOST_ITEMS ? null : parsedResponse(rest.id, output, rest);
}

export function* itemsById(output: readonly unknown[]): Iterable<[id: string, item: unknown]> {
  for (const item of output) if (isObject(item) && typeof item.id === "string" && item.id !== "") yield [item.id, item];
}
