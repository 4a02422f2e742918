/**
 * The interfaces by which a streamed answer gets from the pipeline to a client's connection: neither imports the other.
 */

/** Whether the client is still connected: the part of an AbortSignal that a call needs, with room for one listener. */
export interface ClientSignal {
  /** True when the client's connection closed before the whole answer was sent. */
  readonly aborted: boolean;
  /** Called when the client's connection closes before the whole answer was sent. */
  onabort: (() => void) | null;
  /**
   * Called once when the client has waited for a while (docs/rulings.md 194) since this was set, and has got no answer: whoever
   * makes the answer may begin it then.
   */
  onquiet: (() => void) | null;
}

/** A streamed answer that produces its next piece on request: a client that reads slowly slows the vendor down. */
export interface AnswerSource {
  /** Asks for the next piece: `taker` gets a piece or the end, now or later. Is not called again before that. */
  pull(taker: AnswerTaker): void;
  /** Called when the client has disconnected. */
  abort(): void;
  /**
   * What tells a client that gets nothing else that its answer is still being made (docs/rulings.md 194); null while it would be
   * out of place, as between two parts of an event. Absent where nothing may be sent but the answer. Never throws.
   */
  beat?(): Uint8Array | null;
}

export interface AnswerTaker {
  take(piece: Uint8Array): void;
  /** The last piece, which may be empty. */
  end(last: Uint8Array): void;
  /** Cuts the client's connection, because the rest of the answer cannot be sent: the client must not wait for it. Never throws. */
  fail(thrown: unknown): void;
}
