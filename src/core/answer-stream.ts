/** How a streamed answer gets from the pipeline to a client's connection: neither knows the other. */

/** Whether the client is still there. One listener at a time; as much of an AbortSignal as a call needs. */
export interface ClientSignal {
  /** Its connection is gone, and its answer had not been sent whole. */
  readonly aborted: boolean;
  /** Called when that happens. */
  onabort: (() => void) | null;
}

/** A streamed answer, which gives its next piece when it is asked for one: a slow client slows the vendor down. */
export interface AnswerSource {
  /** Asks for a piece: `taker` is given one, now or later, or the end. Not asked again before that. */
  pull(taker: AnswerTaker): void;
  /** The client is gone. */
  abort(): void;
}

/** Where a streamed answer goes. */
export interface AnswerTaker {
  take(piece: Uint8Array): void;
  /** The last piece, which may be empty. */
  end(last: Uint8Array): void;
}
