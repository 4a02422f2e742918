/** A request with its headers: the client adds only those that the transfer needs. */
export interface OutgoingRequest {
  readonly url: string;
  /** Must not be changed afterwards: the client caches their written form by identity. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: OutgoingBody;
}

/** Bytes in pieces, which nobody joins. */
export class BytePieces {
  readonly pieces: readonly Uint8Array[];

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces;
  }
}

/** A text, or its parts in order, none of which ends within a character; or bytes. */
export type OutgoingBody = string | readonly string[] | Uint8Array | BytePieces;

export function wholeBody(body: OutgoingBody): string | Uint8Array {
  if (body instanceof BytePieces) return Buffer.concat(body.pieces);
  return typeof body === "string" || body instanceof Uint8Array ? body : body.join("");
}
