import type { Socket } from "bun";
import type { SentBody } from "../../core/answer/exchange.ts";
import { type AnswerByteSink, putHead, putPiece, putWhole, statusLine } from "./answer-bytes.ts";
import type { RequestHead } from "./request-head.ts";
import type { ServerAnswer } from "./server-answer.ts";

const NOTHING = new Uint8Array(0);

/** What the writer needs of its connection. */
export interface WritingConnection {
  /** The current time as the value of a `date` header. */
  readonly date: string;
  /** The client takes no more bytes for now. */
  blocked(): void;
}

/** Writes a connection's answers in their frames, and keeps what the client has not taken yet. */
export class AnswerWriter implements AnswerByteSink {
  readonly #connection: WritingConnection;
  readonly #socket: Pick<Socket, "write">;
  /** The head of a streamed answer, until it is sent with the first piece. */
  #stream_head: string | null = null;
  /** Bytes that the client has been too slow to take so far. */
  #unsent: Uint8Array[] | null = null;
  #is_closed = false;

  constructor(connection: WritingConnection, socket: Pick<Socket, "write">) {
    this.#connection = connection;
    this.#socket = socket;
  }

  /** Whether the client has still to take a part of the answers. */
  get isSending(): boolean {
    return this.#unsent !== null;
  }

  /** Sends what the client has not taken yet. Returns whether it has taken all. */
  sendRest(): boolean {
    const unsent = this.#unsent;
    this.#unsent = null;
    for (const bytes of unsent ?? []) this.put(bytes, 0, bytes.byteLength, false);
    return this.#unsent === null;
  }

  /** Nothing is written any more. */
  close(): void {
    this.#is_closed = true;
    this.#unsent = null;
  }

  /** A whole answer, or one without a body; `head` is null where there was no readable request. */
  whole(answer: ServerAnswer, head: RequestHead | null, keeps: boolean): void {
    const lines = this.#headOf(answer, head, keeps);
    if (answer.body === null) putHead(this, lines);
    else putWhole(this, lines, answer.body as SentBody, head?.method === "HEAD");
  }

  /** Begins a streamed answer, whose head goes out with the first piece. */
  begin(answer: ServerAnswer, head: RequestHead, keeps: boolean): void {
    const framing = head.is_1_0 ? "" : "transfer-encoding: chunked\r\n";
    this.#stream_head = this.#headOf(answer, head, keeps) + framing;
  }

  /** Sends the head of a streamed answer that has no piece yet. */
  sendHead(head: RequestHead): void {
    if (this.#stream_head !== null) this.piece(NOTHING, false, head);
  }

  piece(piece: Uint8Array, is_last: boolean, { is_1_0 }: RequestHead): void {
    const head = this.#stream_head;
    this.#stream_head = null;
    putPiece(this, head, piece, { is_last, chunks: !is_1_0 });
  }

  put(bytes: Uint8Array, start: number, length: number, is_shared: boolean): void {
    if (this.#is_closed) return;
    if (this.#unsent !== null) {
      this.#unsent.push(restOf(bytes, start, start + length, is_shared));
      return;
    }
    const taken = this.#socket.write(bytes, start, length);
    // A closed socket reports its end itself.
    if (taken === length || taken < 0) return;
    this.#unsent = [restOf(bytes, start + taken, start + length, is_shared)];
    this.#connection.blocked();
  }

  /** The head of an answer without the header that delimits its body. */
  #headOf({ status, headers }: ServerAnswer, head: RequestHead | null, keeps: boolean): string {
    const kept = head?.is_1_0 ? "connection: keep-alive\r\n" : "";
    return `${statusLine(status)}${headers}date: ${this.#connection.date}\r\n${keeps ? kept : "connection: close\r\n"}`;
  }
}

/** The bytes that a client has not taken yet; a copy where others use the memory, or where most of it has been sent. */
function restOf(bytes: Uint8Array, start: number, end: number, is_shared: boolean): Uint8Array {
  const rest = bytes.subarray(start, end);
  return is_shared || rest.byteLength * 2 < rest.buffer.byteLength ? new Uint8Array(rest) : rest;
}
