import type { WholeBody } from "../../core/answer/exchange.ts";
import { UpstreamError } from "./upstream-error.ts";

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** The most bytes of a vendor's answer to a decision: an honest answer has some kilobytes, and is read on the serving thread. */
export const MAX_SMALL_ANSWER_BYTES = 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;
const NO_BYTES = new Uint8Array(0);

/** An answer's headers, by name in any case. The values of a repeated header are joined by a comma. */
export interface AnswerHeaders {
  get(name: string): string | null;
}

/** Receives one chunk by callback: a promise for each chunk of each stream would cost more. */
export interface PieceReader {
  /** The next bytes, or null at the end. */
  take(piece: Uint8Array | null): void;
  /** Called where the connection broke or stalled; `fault` is an UpstreamError. */
  fail(fault: unknown): void;
}

/** The body of an answer, from any transport. */
export interface AnswerBody {
  /**
   * The next bytes when they arrive, or null at the end. Rejects with an UpstreamError when the answer breaks or
   * stalls.
   */
  read(): Promise<Uint8Array | null>;
  /**
   * Hands the next bytes to the reader when they arrive, once. Returns false, and does nothing, where bytes are there
   * already, where another reader waits, or where the transport has no callbacks: the caller then uses `read`.
   */
  handNext(reader: PieceReader): boolean;
  /**
   * The whole body, if all of it is there in one piece and unread; as text where text represents the bytes exactly.
   * Null otherwise: the caller then uses `read`.
   */
  takeWhole(): WholeBody | null;
}

/** The call that an answer belongs to. */
export interface AnsweredCall {
  /** Closes the connection, unless the answer has ended. */
  abort(): void;
  /** Closes the connection in any case. */
  distrust(): void;
}

/** A vendor's answer whose head has arrived. Read it once: whole, as error text, or chunk by chunk. */
export class UpstreamReply {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly #body: AnswerBody;
  readonly #call: AnsweredCall;

  constructor(status: number, headers: AnswerHeaders, body: AnswerBody, call: AnsweredCall) {
    this.status = status;
    this.headers = headers;
    this.#body = body;
    this.#call = call;
  }

  /** The next bytes when they arrive, or null at the end. Throws an UpstreamError when the answer breaks or stalls. */
  read(): Promise<Uint8Array | null> {
    return this.#body.read();
  }

  /** Hands the next bytes to a reader, once: always later, never before this call has returned. */
  readTo(reader: PieceReader): void {
    if (this.#body.handNext(reader)) return;
    this.#body.read().then(
      (piece) => reader.take(piece),
      (fault: unknown) => reader.fail(fault),
    );
  }

  /** The whole body, at most 64 MiB; synchronous where it is there already. Rejects with an UpstreamError. */
  readWhole(): Promise<WholeBody> | WholeBody {
    return this.#body.takeWhole() ?? this.#collect(MAX_ANSWER_BYTES, "refuse");
  }

  /** The same, in the pieces in which it arrives where those are several. */
  readInPieces(): Promise<WholeBody | readonly Buffer[]> | WholeBody {
    return this.#body.takeWhole() ?? this.#gather(MAX_ANSWER_BYTES);
  }

  /** Reads an answer that an honest vendor keeps small: more than MAX_SMALL_ANSWER_BYTES are refused. See `readWhole`. */
  async readSmall(): Promise<WholeBody> {
    const body = this.#body.takeWhole();
    if (body === null) return await this.#collect(MAX_SMALL_ANSWER_BYTES, "refuse");
    if (body.length <= MAX_SMALL_ANSWER_BYTES) return body;
    this.discard();
    throw tooLarge(MAX_SMALL_ANSWER_BYTES);
  }

  /**
   * The body of an error answer as text, cut at a limit. Never throws: a body that breaks off is returned as far as it
   * came.
   */
  async readErrorText(): Promise<string> {
    try {
      return new TextDecoder().decode(await this.#collect(MAX_ERROR_BYTES, "truncate"));
    } catch {
      return "";
    } finally {
      this.close();
    }
  }

  /** Closes the connection to the vendor, unless the answer has ended. */
  close(): void {
    this.#call.abort();
  }

  /**
   * Closes the connection to the vendor even where the answer has ended. For what is no answer: it may be left over from before, and the
   * request's own answer would then be read as the answer to the next request on this connection.
   */
  discard(): void {
    this.#call.distrust();
  }

  async #gather(limit_bytes: number): Promise<readonly Buffer[]> {
    const pieces: Buffer[] = [];
    let size = 0;
    for (let piece = await this.read(); piece !== null; piece = await this.read()) {
      pieces.push(bufferOf(piece));
      size += piece.byteLength;
      if (size <= limit_bytes) continue;
      this.discard();
      throw tooLarge(limit_bytes);
    }
    return pieces;
  }

  async #collect(limit_bytes: number, above: "refuse" | "truncate"): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (let chunk = await this.read(); chunk !== null; chunk = await this.read()) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size <= limit_bytes) continue;
      this.discard();
      if (above === "truncate") break;
      throw tooLarge(limit_bytes);
    }
    if (chunks.length === 1 && size <= limit_bytes) return chunks[0] ?? NO_BYTES;
    return Buffer.concat(chunks, Math.min(size, limit_bytes));
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function tooLarge(limit_bytes: number): UpstreamError {
  return new UpstreamError("too_large", `the vendor's answer is larger than ${limit_bytes} bytes`);
}
