import { isObject } from "../../core/json.ts";

/**
 * In this style the model, and whether the answer is streamed, stand in the address and not in the body. HTTP writes them behind the
 * body's own members, so that one text says the whole request wherever a request is read, kept apart from others or compared.
 */
export interface RequestAddress {
  readonly model: string;
  readonly stream: boolean;
  /** Whether the stream is one JSON array, as it is without `alt=sse`. */
  readonly array?: boolean;
}

/** No member of the public API begins with this sign. */
export const ADDRESS = "@address";

/** The body's text with its address as the last member; a text that does not end as an object stays as it is, and its reader refuses it. */
export function addressedBody(text: string, { model, stream, array = false }: RequestAddress): string {
  const end = text.trimEnd().length - 1;
  if (text[end] !== "}") return text;
  const before = text.slice(0, end).trimEnd();
  const comma = before.endsWith("{") ? "" : ",";
  return `${before}${comma}${JSON.stringify(ADDRESS)}:${JSON.stringify({ model, stream, ...(array && { array }) })}}`;
}

/** Whether a request's answer is a stream in the form of an array. */
export function wantsArray(body: Readonly<Record<string, unknown>>): boolean {
  const address = body[ADDRESS];
  return isObject(address) && address.array === true;
}
