import type { SentBody, SentItems } from "../../core/exchange.ts";
import { isObject } from "../../core/json.ts";
import { deliveredResponse } from "../../protocols/responses/delivered-response.ts";

/** A delivered answer with its request. */
export interface KeptAnswer {
  readonly account_id: string;
  /** The vendor that made the answer. */
  readonly vendor: string;
  readonly previous_response_id: string | null;
  /** The items as the client sent them, references unresolved, and their JSON. */
  readonly sent: SentItems;
  readonly used_keys: readonly string[];
  /** The body of a whole answer, or the last bytes of a stream. */
  readonly body: SentBody;
  readonly is_stream: boolean;
}

/** A response to be stored, not yet encrypted. */
export interface KeptResponse {
  readonly id: string;
  readonly output: readonly unknown[];
  /** The response object without its items. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** More items than any real answer has: hashing more ids would take the serving thread too long. */
const MOST_ITEMS = 10_000;

/** The response that was delivered; null where it cannot be referred to. */
export function readKept({ body, is_stream }: KeptAnswer): KeptResponse | null {
  const response = deliveredResponse(body, is_stream);
  if (response === null) return null;
  const { output, ...rest } = response;
  if (typeof rest.id !== "string" || rest.id === "" || !Array.isArray(output)) return null;
  return output.length > MOST_ITEMS ? null : { id: rest.id, output, rest };
}

/** The items of an answer by their ids. */
export function* itemsById(output: readonly unknown[]): Iterable<[id: string, item: unknown]> {
  for (const item of output) if (isObject(item) && typeof item.id === "string" && item.id !== "") yield [item.id, item];
}
