import type { Call } from "../call.ts";
import type { AnswerBody } from "../reply.ts";
import type { UpstreamError } from "../upstream-error.ts";

/** A reader that lags behind by more than this stops the vendor … */
const PAUSE_AT_BYTES = 256 * 1024;
/** … until no more than this is left. */
const RESUME_AT_BYTES = 64 * 1024;
const AT_END = Promise.resolve(null);

/** What a body comes from, and can be told to wait. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** A body on its way from a connection to its reader, with the pieces that have come and were not read yet. */
export class IncomingBody implements AnswerBody {
  readonly #flow: Flow;
  readonly #call: Call;
  readonly #pieces: Uint8Array[] = [];
  #waiting_bytes = 0;
  #is_paused = false;
  #is_whole = false;
  #fault: UpstreamError | null = null;
  /** What a reader waits for, and how it is told. Only `#resolve` says whether one waits. */
  #awaited: Promise<Uint8Array | null> = AT_END;
  #resolve: ((piece: Uint8Array | null) => void) | null = null;
  #reject: ((fault: UpstreamError) => void) | null = null;

  constructor(flow: Flow, call: Call) {
    this.#flow = flow;
    this.#call = call;
  }

  read(): Promise<Uint8Array | null> {
    // Whoever takes a stream over from a client that left may come while the last piece for that one is still awaited.
    if (this.#resolve !== null) return this.#awaited.then(() => this.read());
    const piece = this.#pieces.shift();
    if (piece !== undefined) {
      this.#waiting_bytes -= piece.byteLength;
      if (this.#is_paused && this.#waiting_bytes <= RESUME_AT_BYTES) this.#setPaused(false);
      return Promise.resolve(piece);
    }
    if (this.#fault !== null) return Promise.reject(this.#fault);
    if (this.#is_whole) return AT_END;
    this.#call.waits();
    this.#awaited = new Promise(this.#wait);
    return this.#awaited;
  }

  takeWhole(): Uint8Array | null {
    return this.#is_whole && this.#pieces.length === 1 ? (this.#pieces.pop() ?? null) : null;
  }

  /** The next piece has come. */
  push(piece: Uint8Array): void {
    this.#call.rests();
    if (this.#resolve !== null) return this.#wake(piece);
    this.#pieces.push(piece);
    this.#waiting_bytes += piece.byteLength;
    if (!this.#is_paused && this.#waiting_bytes > PAUSE_AT_BYTES) this.#setPaused(true);
  }

  /** All of it has come. */
  end(): void {
    this.#is_whole = true;
    if (this.#is_paused) this.#setPaused(false);
    this.#wake(null);
  }

  /** No more will come. What has come can be read before the fault is met. */
  fail(fault: UpstreamError): void {
    this.#fault = fault;
    this.#is_paused = false;
    const reject = this.#reject;
    this.#resolve = null;
    this.#reject = null;
    reject?.(fault);
  }

  /** One function for all waits: every chunk of a stream is waited for. */
  readonly #wait = (resolve: (piece: Uint8Array | null) => void, reject: (fault: UpstreamError) => void): void => {
    this.#resolve = resolve;
    this.#reject = reject;
  };

  #wake(piece: Uint8Array | null): void {
    const resolve = this.#resolve;
    this.#resolve = null;
    this.#reject = null;
    resolve?.(piece);
  }

  #setPaused(is_paused: boolean): void {
    this.#is_paused = is_paused;
    if (is_paused) this.#flow.pause();
    else this.#flow.resume();
  }
}
