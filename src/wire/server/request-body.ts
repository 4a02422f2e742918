import { GatewayError } from "../../core/errors.ts";
import { decodeText } from "./request-parser.ts";

/** A request's body that comes in pieces, and who waits for it. */
export class RequestBody {
  #most_bytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #is_whole = false;
  /** Why it will never be whole. */
  #fault: unknown = null;
  #resolve: ((text: string) => void) | null = null;
  #reject: ((fault: unknown) => void) | null = null;

  /** `most_bytes`: no more than these are kept for whoever may ask, and say how much they take. */
  constructor(most_bytes: number) {
    this.#most_bytes = most_bytes;
  }

  /** Whether somebody waits for it. */
  get isAwaited(): boolean {
    return this.#resolve !== null;
  }

  /** All of it as text, when it has come. Rejects with `request_too_large` as soon as it is larger than that. */
  text(limit_bytes: number): Promise<string> {
    this.#most_bytes = limit_bytes;
    if (this.#bytes > limit_bytes) this.fail(bodyTooLarge(limit_bytes, "more"));
    return new Promise((resolve, reject) => {
      if (this.#fault !== null) reject(this.#fault);
      else if (this.#is_whole) resolve(this.#decoded());
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
    if (this.#fault === null) resolve?.(this.#decoded());
  }

  /** Nobody gets it any more. Whoever waits is told why, and so is whoever asks later. */
  fail(fault: unknown): void {
    if (this.#fault !== null || (this.#is_whole && this.#pieces.length === 0)) return;
    this.#fault = fault;
    this.#pieces = [];
    const reject = this.#reject;
    this.#resolve = null;
    this.#reject = null;
    reject?.(fault);
  }

  #decoded(): string {
    const pieces = this.#pieces;
    this.#pieces = [];
    const [first] = pieces;
    if (first === undefined) return "";
    const bytes = pieces.length === 1 ? first : Buffer.concat(pieces);
    return decodeText(bytes, 0, bytes.length);
  }
}

/** The 413 for a body of so many bytes. */
export function bodyTooLarge(limit_bytes: number, found: string): GatewayError {
  return new GatewayError("request_too_large", `The body has ${found}; at most ${limit_bytes} bytes are allowed.`);
}
