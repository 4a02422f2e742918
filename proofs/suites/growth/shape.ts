/** A request that grows in one way. */
export interface RequestShape {
  readonly name: string;
  readonly endpoint: Endpoint;
  /** The body's text with `count` of what grows. */
  readonly write: (count: number) => string;
  /** The least count that is measured, where it is not the usual one: bounds allow no more than four times it. */
  readonly count?: number;
  /** Set where the request is refused, which must not take longer than to accept it. */
  readonly is_refused?: true;
}

export type Endpoint = "chat.completions" | "responses" | "messages" | "count_tokens" | "decisions" | "systemone";

export type Json = unknown;
export type Fields = Record<string, Json>;

export const times = <Item>(count: number, make: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** An object with so many members. */
export const named = (count: number, make: (at: number) => Json): Fields =>
  Object.fromEntries(times(count, (at) => [`member_${at}`, make(at)]));
