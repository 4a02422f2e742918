import type { SentBody } from "../../core/exchange.ts";
import { isObject } from "../../core/json.ts";
import { deliveredResponse } from "../../protocols/responses/delivered-response.ts";

/** An answer as it was delivered, and what it was given for. */
export interface KeptAnswer {
  readonly account_id: string;
  /** Who made it. */
  readonly vendor: string;
  readonly previous_response_id: string | null;
  /** The items as the client sent them, references unresolved, and their JSON. */
  readonly sent: { readonly items: readonly unknown[]; readonly text: string };
  readonly used_keys: readonly string[];
  /** A whole answer's body, or the bytes that a stream ended with. */
  readonly body: SentBody;
  readonly is_stream: boolean;
}

/** A response as it is kept, open. */
export interface KeptResponse {
  readonly id: string;
  readonly output: readonly unknown[];
  /** All else of the response object. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** More items than any answer has: their keys would take the serving thread too long. */
const MOST_ITEMS = 10_000;

/** The response that was delivered; null where it is none that could be referred to. */
export function readKept({ body, is_stream }: KeptAnswer): KeptResponse | null {
  const response = deliveredResponse(body, is_stream);
  if (response === null) return null;
  const { output, ...rest } = response;
  if (typeof rest.id !== "string" || rest.id === "" || !Array.isArray(output)) return null;
  return output.length > MOST_ITEMS ? null : { id: rest.id, output, rest };
}

/** The ids that the items of an answer go by, each with its item. */
export function* itemsById(output: readonly unknown[]): Iterable<[id: string, item: unknown]> {
  for (const item of output) if (isObject(item) && typeof item.id === "string" && item.id !== "") yield [item.id, item];
}
