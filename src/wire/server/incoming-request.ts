import type { AnswerSource, AnswerTaker, ClientSignal } from "../../core/answer-stream.ts";
import { type ServerAnswer, isWhole } from "./server-answer.ts";
import { bodyTooLarge, RequestBody } from "./request-body.ts";
import type { RequestHead } from "./request-head.ts";

/** The connection of a request, as far as the request needs it. */
export interface AnsweringConnection {
  /** The address at the other end; null when it is gone already. */
  readonly peer: string | null;
  /** The body is wanted: from now on it may not come too slowly. */
  awaitBody(): void;
  answer(answer: ServerAnswer): void;
  /** The answer cannot be sent, by a mistake of ours. */
  fail(thrown: unknown): void;
  /** Sends a piece of a stream. */
  send(piece: Uint8Array, is_last: boolean): void;
}

/** Thrown to whoever waits for the body of a client that has left. */
export class ClientGone extends Error {}

/**
 * A request and its answer, as the routes see them: its head, its body when they ask for it, and whether the client is still
 * there (it is its own signal for that).
 */
export class IncomingRequest implements AnswerTaker, ClientSignal {
  readonly head: RequestHead;
  aborted = false;
  onabort: (() => void) | null = null;
  readonly #connection: AnsweringConnection;
  /** The body, where it came with the head. */
  readonly #text: string | null;
  readonly #body: RequestBody | null;
  #source: AnswerSource | null = null;
  #is_answered = false;
  #is_over = false;
  #is_pulling = false;
  #wants_more = false;

  /** `most_body_bytes`: what is kept of a body that nobody has asked for yet. */
  constructor(connection: AnsweringConnection, head: RequestHead, text: string | null, most_body_bytes: number) {
    this.#connection = connection;
    this.head = head;
    this.#text = text;
    this.#body = text === null ? new RequestBody(most_body_bytes) : null;
  }

  get peer(): string | null {
    return this.#connection.peer;
  }

  get isAnswered(): boolean {
    return this.#is_answered;
  }

  /** Whether the last byte of its answer was handed to the connection. */
  get isOver(): boolean {
    return this.#is_over;
  }

  /** Whether somebody waits for the body. */
  get awaitsBody(): boolean {
    return this.#body?.isAwaited ?? false;
  }

  /**
   * The body as text, at once where it is there. Throws, or rejects with, `request_too_large` as soon as its size is known to
   * be above the limit, `request_timeout` when it comes too slowly, ClientGone when the client leaves before its end.
   */
  text(limit_bytes: number): string | Promise<string> {
    const { framing } = this.head;
    if (typeof framing === "number" && framing > limit_bytes) throw bodyTooLarge(limit_bytes, `${framing} bytes`);
    if (this.#text !== null) return this.#text;
    const body = this.#body as RequestBody;
    const text = body.text(limit_bytes);
    if (body.isAwaited) this.#connection.awaitBody();
    return text;
  }

  /** Answers. Once, and first. */
  answer(answer: ServerAnswer): void {
    if (this.#is_answered) throw new Error("a request was answered twice");
    this.#is_answered = true;
    try {
      if (!this.aborted) this.#connection.answer(answer);
      else if (!isWhole(answer.body)) answer.body?.abort();
    } catch (thrown) {
      this.#connection.fail(thrown);
    }
  }

  /** Streams an answer from there, piece by piece. */
  streamFrom(source: AnswerSource): void {
    this.#source = source;
    this.goOn();
  }

  /** The client has taken what there was: the stream goes on. A piece that is there already comes from within the pull. */
  goOn(): void {
    this.#wants_more = true;
    if (this.#is_pulling) return;
    this.#is_pulling = true;
    while (this.#wants_more && this.#source !== null) {
      this.#wants_more = false;
      this.#source.pull(this);
    }
    this.#is_pulling = false;
  }

  take(piece: Uint8Array): void {
    if (!this.#is_over) this.#connection.send(piece, false);
  }

  end(last: Uint8Array): void {
    if (this.#is_over) return;
    this.over();
    this.#connection.send(last, true);
  }

  /** The connection has all of the answer: that the client leaves no longer matters. */
  over(): void {
    this.#is_over = true;
    this.#source = null;
  }

  bodyPiece(data: Buffer): void {
    this.#body?.push(data);
  }

  bodyEnd(): void {
    this.#body?.end();
  }

  bodyFailed(fault: unknown): void {
    this.#body?.fail(fault);
  }

  /** The connection is gone. */
  left(): void {
    if (this.#is_over) return;
    this.over();
    this.aborted = true;
    this.#body?.fail(new ClientGone("the client has left"));
    this.onabort?.();
  }
}
