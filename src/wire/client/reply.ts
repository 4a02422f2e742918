import type { WholeBody } from "../../core/exchange.ts";
import { UpstreamError } from "./upstream-error.ts";

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;
const NO_BYTES = new Uint8Array(0);

/** An answer's headers, by name in any case. Several of one name are joined by a comma. */
export interface AnswerHeaders {
  get(name: string): string | null;
}

/** Takes what it asked for without a promise: each chunk of each stream is asked for. */
export interface PieceReader {
  /** The next bytes, or null at the end. */
  take(piece: Uint8Array | null): void;
  /** The answer broke or stalled, with an UpstreamError. */
  broke(fault: unknown): void;
}

/** An answer's body as a transport hands it out. */
export interface AnswerBody {
  /** The next bytes as they come, or null at the end. Rejects with an UpstreamError when the answer breaks or stalls. */
  read(): Promise<Uint8Array | null>;
  /**
   * Hands the next bytes to the reader when they come, once. False, and nothing done, where they are there already, where
   * somebody else waits for them, or where the body has no such way: then they have to be read.
   */
  handNext(reader: PieceReader): boolean;
  /**
   * All of the body, if all of it is there in one piece and none of it was read; as text, if that is the same. Null
   * otherwise: then it has to be read.
   */
  takeWhole(): WholeBody | null;
}

/** A vendor's answer whose head has arrived. Read it once: whole, as error text, or chunk by chunk. */
export class UpstreamReply {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly #body: AnswerBody;
  readonly #call: { abort(): void };

  constructor(status: number, headers: AnswerHeaders, body: AnswerBody, call: { abort(): void }) {
    this.status = status;
    this.headers = headers;
    this.#body = body;
    this.#call = call;
  }

  /** The next bytes as they come, or null at the end. Throws an UpstreamError when the answer breaks or stalls. */
  read(): Promise<Uint8Array | null> {
    return this.#body.read();
  }

  /** The same, handed to a reader once: always later, never before this has returned. */
  readTo(reader: PieceReader): void {
    if (this.#body.handNext(reader)) return;
    this.#body.read().then(
      (piece) => reader.take(piece),
      (fault: unknown) => reader.broke(fault),
    );
  }

  /** The whole body, at most 64 MiB; at once where it is there already. Rejects with an UpstreamError. */
  readWhole(): Promise<WholeBody> | WholeBody {
    return this.#body.takeWhole() ?? this.#collect(MAX_ANSWER_BYTES, "refuse");
  }

  /** The body of an error answer as text, as far as it is worth reading. Never throws: what is missing is missing. */
  async readErrorText(): Promise<string> {
    try {
      return new TextDecoder().decode(await this.#collect(MAX_ERROR_BYTES, "truncate"));
    } catch {
      return "";
    } finally {
      this.close();
    }
  }

  /** Closes the connection to the vendor unless the answer has ended. */
  close(): void {
    this.#call.abort();
  }

  async #collect(limit_bytes: number, above: "refuse" | "truncate"): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (let chunk = await this.read(); chunk !== null; chunk = await this.read()) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size <= limit_bytes) continue;
      this.close();
      if (above === "truncate") break;
      throw new UpstreamError("too_large", `the vendor's answer is larger than ${limit_bytes} bytes`);
    }
    if (chunks.length === 1 && size <= limit_bytes) return chunks[0] ?? NO_BYTES;
    return Buffer.concat(chunks, Math.min(size, limit_bytes));
  }
}
