import { Queue } from "../../core/queue.ts";
import type { Call } from "./call.ts";
import type { AnswerBody, PieceReader } from "./reply.ts";
import type { UpstreamError } from "./upstream-error.ts";

/** More unread bytes than this pause the vendor's connection … */
const PAUSE_AT_BYTES = 256 * 1024;
/** … until the reader has left no more than this. */
const RESUME_AT_BYTES = 64 * 1024;
const AT_END = Promise.resolve(null);

/** A source of bytes that can be paused: the connection. */
export interface PausableSource {
  pause(): void;
  resume(): void;
}

/** A body on its way from a connection to its reader, with the pieces that have arrived and were not read yet. */
export class IncomingBody implements AnswerBody {
  readonly #source: PausableSource;
  readonly #call: Call;
  readonly #pieces = new Queue<Uint8Array>();
  #waiting_bytes = 0;
  #is_paused = false;
  #is_whole = false;
  #fault: UpstreamError | null = null;
  /** The reader that waits for the next piece. */
  #reader: PieceReader | null = null;

  constructor(source: PausableSource, call: Call) {
    this.#source = source;
    this.#call = call;
  }

  read(): Promise<Uint8Array | null> {
    if (this.#reader !== null) return this.#readAfter(this.#reader);
    const piece = this.#pieces.take();
    if (piece !== undefined) {
      this.#waiting_bytes -= piece.byteLength;
      if (this.#is_paused && this.#waiting_bytes <= RESUME_AT_BYTES) this.#setPaused(false);
      return Promise.resolve(piece);
    }
    if (this.#fault !== null) return Promise.reject(this.#fault);
    if (this.#is_whole) return AT_END;
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | null>();
    this.#wait({ take: resolve, fail: reject });
    return promise;
  }

  handNext(reader: PieceReader): boolean {
    if (this.#reader !== null || this.#pieces.size > 0 || this.#is_whole || this.#fault !== null) return false;
    this.#wait(reader);
    return true;
  }

  takeWhole(): Uint8Array | null {
    return this.#is_whole && this.#pieces.size === 1 ? (this.#pieces.take() ?? null) : null;
  }

  /** Called when the next piece has arrived. */
  push(piece: Uint8Array): void {
    this.#call.rests();
    if (this.#reader !== null) return this.#wake(piece);
    this.#pieces.push(piece);
    this.#waiting_bytes += piece.byteLength;
    if (!this.#is_paused && this.#waiting_bytes > PAUSE_AT_BYTES) this.#setPaused(true);
  }

  /** Called when all of the body has arrived. */
  end(): void {
    this.#is_whole = true;
    if (this.#is_paused) this.#setPaused(false);
    this.#wake(null);
  }

  /** Called when no more will arrive. Readers still get the pieces that have arrived, then the fault. */
  fail(fault: UpstreamError): void {
    this.#fault = fault;
    this.#is_paused = false;
    const reader = this.#reader;
    this.#reader = null;
    reader?.fail(fault);
  }

  #wait(reader: PieceReader): void {
    this.#call.waits();
    this.#reader = reader;
  }

  #wake(piece: Uint8Array | null): void {
    const reader = this.#reader;
    this.#reader = null;
    reader?.take(piece);
  }

  /** Reads the piece after the one that another reader waits for: a stream that outlives its client changes readers. */
  #readAfter(before: PieceReader): Promise<Uint8Array | null> {
    return new Promise((resolve) => {
      this.#reader = {
        take: (piece) => {
          before.take(piece);
          resolve(this.read());
        },
        fail: (fault) => {
          before.fail(fault);
          resolve(this.read());
        },
      };
    });
  }

  #setPaused(is_paused: boolean): void {
    this.#is_paused = is_paused;
    if (is_paused) this.#source.pause();
    else this.#source.resume();
  }
}
