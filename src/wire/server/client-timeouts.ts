/** The time limits for clients (docs/rulings.md 50, 137). */
export interface ClientTimeouts {
  /** For a whole head, from its first byte. */
  readonly head_ms: number;
  /** For a pause within a body. */
  readonly stall_ms: number;
  /** For a whole body. */
  readonly total_ms: number;
  /** For a connection without a request. */
  readonly idle_ms: number;
  /** For a client that takes no bytes of its answer. */
  readonly unread_ms: number;
  /** How long a client that waits for its answer, or for more of a stream, is left without a byte (docs/rulings.md 194). */
  readonly beat_ms: number;
}
