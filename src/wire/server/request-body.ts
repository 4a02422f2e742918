import { GatewayError } from "../../core/errors.ts";

/** A request's body that arrives in pieces, and the handler that waits for it. */
export class RequestBody {
  #most_bytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #is_whole = false;
  /** Why the body will never be complete. */
  #fault: unknown = null;
  #resolve: ((bytes: Buffer) => void) | null = null;
  #reject: ((fault: unknown) => void) | null = null;

  /** `most_bytes`: the most that is kept before a handler asks for the body with a limit of its own. */
  constructor(most_bytes: number) {
    this.#most_bytes = most_bytes;
  }

  /** Whether a handler waits for the body. */
  get isAwaited(): boolean {
    return this.#resolve !== null;
  }

  /** The whole body, once it has arrived. Rejects with `request_too_large` as soon as it exceeds the limit. */
  bytes(limit_bytes: number): Promise<Buffer> {
    this.#most_bytes = limit_bytes;
    if (this.#bytes > limit_bytes) this.fail(bodyTooLarge(limit_bytes, "more"));
    return new Promise((resolve, reject) => {
      if (this.#fault !== null) reject(this.#fault);
      else if (this.#is_whole) resolve(this.#joined());
      else {
        this.#resolve = resolve;
        this.#reject = reject;
      }
    });
  }

  push(piece: Buffer): void {
    if (this.#fault !== null) return;
    this.#bytes += piece.byteLength;
    if (this.#bytes > this.#most_bytes) this.fail(bodyTooLarge(this.#most_bytes, "more"));
    else this.#pieces.push(piece);
  }

  end(): void {
    this.#is_whole = true;
    const resolve = this.#resolve;
    this.#resolve = null;
    if (this.#fault === null) resolve?.(this.#joined());
  }

  /** Gives up the body: current and later readers get this fault. */
  fail(fault: unknown): void {
    if (this.#fault !== null || (this.#is_whole && this.#pieces.length === 0)) return;
    this.#fault = fault;
    this.#pieces = [];
    const reject = this.#reject;
    this.#resolve = null;
    this.#reject = null;
    reject?.(fault);
  }

  #joined(): Buffer {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  }
}

/** The 413 for a body that exceeds this limit. */
export function bodyTooLarge(limit_bytes: number, found: string): GatewayError {
  return new GatewayError("request_too_large", `The body has ${found}; at most ${limit_bytes} bytes are allowed.`);
}
