/** A request with its headers: the client adds only those that the transfer needs. */
export interface OutgoingRequest {
  readonly url: string;
  /** Must not be changed afterwards: the client caches their written form by identity. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: OutgoingBody;
}

/** A text, or its parts in order, none of which ends within a character; or bytes. */
export type OutgoingBody = string | readonly string[] | Uint8Array;

/** The body in one piece. */
export function wholeBody(body: OutgoingBody): string | Uint8Array {
  return typeof body === "string" || body instanceof Uint8Array ? body : body.join("");
}
