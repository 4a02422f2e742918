import { GatewayError } from "../../core/errors.ts";
import { BodyPieces } from "./body-pieces.ts";
import { type BodyRoom, BodyShare } from "./body-room.ts";

/** A request's body that arrives in pieces, and the handler that waits for it. */
export class RequestBody {
  /** The body's share in the room for unfinished bodies, until it is handed over or given up. */
  readonly share: BodyShare;
  #most_bytes: number;
  readonly #pieces = new BodyPieces();
  #is_whole = false;
  #is_taken = false;
  /** Why the body will never be complete. */
  #fault: unknown = null;
  #resolve: ((bytes: Buffer) => void) | null = null;
  #reject: ((fault: unknown) => void) | null = null;

  /** `most_bytes`: the most that is kept before a handler asks for the body with a limit of its own. */
  constructor(most_bytes: number, room: BodyRoom) {
    this.#most_bytes = most_bytes;
    this.share = new BodyShare(room);
  }

  /** Whether a handler waits for the body. */
  get isAwaited(): boolean {
    return this.#resolve !== null;
  }

  /** How much has arrived and is kept. */
  get kept_bytes(): number {
    return this.#pieces.bytes;
  }

  /**
   * The whole body, once it has arrived. Rejects with `request_too_large` as soon as it exceeds the limit, and with
   * NoBodyRoom where there is no room for it. The caller gives the share back.
   */
  bytes(limit_bytes: number): Promise<Buffer> {
    this.#most_bytes = limit_bytes;
    if (this.#pieces.bytes > limit_bytes) this.fail(bodyTooLarge(limit_bytes, "more"));
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
    if (this.#pieces.bytes + piece.byteLength > this.#most_bytes)
      return this.fail(bodyTooLarge(this.#most_bytes, "more"));
    const refusal = this.share.take(piece.byteLength);
    if (refusal === null) this.#pieces.add(piece);
    else this.fail(refusal);
  }

  end(): void {
    this.#is_whole = true;
    const resolve = this.#resolve;
    this.#resolve = null;
    if (this.#fault === null) resolve?.(this.#joined());
  }

  /** Gives up the body: current and later readers get this fault. A body that was handed over stays as it is. */
  fail(fault: unknown): void {
    if (this.#fault !== null || this.#is_taken) return;
    this.#fault = fault;
    this.#pieces.clear();
    this.share.giveBack();
    const reject = this.#reject;
    this.#resolve = null;
    this.#reject = null;
    reject?.(fault);
  }

  #joined(): Buffer {
    this.#is_taken = true;
    return this.#pieces.join();
  }
}

/** The 413 for a body that exceeds this limit. */
export function bodyTooLarge(limit_bytes: number, found: string): GatewayError {
  return new GatewayError("request_too_large", `The body has ${found}; at most ${limit_bytes} bytes are allowed.`);
}
