import type { AnswerSource, AnswerTaker, ClientSignal } from "../../core/answer/answer-stream.ts";
import { isWhole } from "../../core/answer/sent-body.ts";
import type { BodyRoom, BodyShare } from "./body-room.ts";
import { type ContentCoding, readContentCoding } from "./content-coding.ts";
import { bodyTooLarge, RequestBody } from "./request-body.ts";
import type { RequestHead } from "./request-head.ts";
import { decodeText } from "./request-parser.ts";
import type { ServerAnswer } from "./server-answer.ts";
import { unpackBody } from "./unpack-body.ts";

/** The part of a connection that a request needs. */
export interface AnsweringConnection {
  /** The client's address; null when the connection is closed already. */
  readonly peer: string | null;
  /** The slot in which routes keep what they read of the connection's last request. */
  remembered: object | null;
  /** The body is wanted: from now on its time limits count. */
  awaitBody(): void;
  /** The request is told when its client has waited for long from now on. */
  awaitAnswer(): void;
  answer(answer: ServerAnswer): void;
  /** The answer cannot be sent because of an error in the gateway. */
  fail(thrown: unknown): void;
  /** Sends a piece of a stream. */
  send(piece: Uint8Array, is_last: boolean): void;
}

/** How much of bodies is kept that no route has asked for yet, and how much of all unfinished bodies. */
export interface BodyBounds {
  /** The size limit of the route that takes the largest bodies. */
  readonly most_body_bytes: number;
  readonly bodies: BodyRoom;
}

/** Rejects reads of the body of a client that has left. */
export class ClientGone extends Error {}

/**
 * A request and its answer, as the routes see them: the head, the body on demand, and whether the client is still
 * connected (the request itself is the signal for that).
 */
export class IncomingRequest implements AnswerTaker, ClientSignal {
  readonly head: RequestHead;
  /** Header lines that the answer gets beside its own, whoever answers. */
  more_lines = "";
  aborted = false;
  onabort: (() => void) | null = null;
  /** Called once, when the connection has the whole answer, or has closed before: nothing more is sent. Must not throw. */
  onover: (() => void) | null = null;
  #onQuiet: (() => void) | null = null;
  readonly #connection: AnsweringConnection;
  /** The body, where it arrived with the head and is text. */
  readonly #text: string | null;
  readonly #body: RequestBody | null;
  #source: AnswerSource | null = null;
  #is_answered = false;
  #is_over = false;
  #is_pulling = false;
  #wants_more = false;

  constructor(
    connection: AnsweringConnection,
    head: RequestHead,
    text: string | null,
    { most_body_bytes, bodies }: BodyBounds,
  ) {
    this.#connection = connection;
    this.head = head;
    this.#text = text;
    this.#body = text === null ? new RequestBody(most_body_bytes, bodies) : null;
  }

  get peer(): string | null {
    return this.#connection.peer;
  }

  /** The connection's slot for what routes read of its last request; null on a new connection. */
  get remembered(): object | null {
    return this.#connection.remembered;
  }

  set remembered(value: object | null) {
    this.#connection.remembered = value;
  }

  get isAnswered(): boolean {
    return this.#is_answered;
  }

  /** Whether the last byte of the answer was handed to the connection. */
  get isOver(): boolean {
    return this.#is_over;
  }

  get onquiet(): (() => void) | null {
    return this.#onQuiet;
  }

  set onquiet(listener: (() => void) | null) {
    this.#onQuiet = listener;
    if (listener !== null && !this.#is_answered) this.#connection.awaitAnswer();
  }

  /** Whether a streamed answer is under way that may be told to go on. */
  get hasBeat(): boolean {
    return this.#source?.beat !== undefined;
  }

  /** Whether a route waits for the body. */
  get awaitsBody(): boolean {
    return this.#body?.isAwaited ?? false;
  }

  /** The body as text; synchronous where it is there. Throws, or rejects, as `bytes` does. */
  text(limit_bytes: number, own: BodyRoom | null = null): string | Promise<string> {
    this.#checkLength(limit_bytes);
    return this.#text ?? this.bytes(limit_bytes, own).then((bytes) => decodeText(bytes, 0, bytes.length));
  }

  /**
   * The body: as text up to `most_text_bytes`, beyond it as bytes, which nobody has looked at. Throws, or rejects, as
   * `bytes` does.
   */
  textOrBytes(
    limit_bytes: number,
    most_text_bytes: number,
    own: BodyRoom | null = null,
  ): string | Promise<string | Buffer> {
    this.#checkLength(limit_bytes);
    return (
      this.#text ??
      this.bytes(limit_bytes, own).then((bytes) =>
        bytes.length > most_text_bytes ? bytes : decodeText(bytes, 0, bytes.length),
      )
    );
  }

  /**
   * The decompressed body. `own` is the room for the unfinished bodies of the request's key. Throws, or rejects with,
   * `request_too_large` as soon as its size is known to exceed the limit, NoBodyRoom where there is no room for it,
   * `unsupported_content_encoding`, `invalid_json` where it cannot be unpacked, `request_timeout` when it comes too
   * slowly, ClientGone when the client leaves before its end.
   */
  bytes(limit_bytes: number, own: BodyRoom | null = null): Promise<Buffer> {
    this.#checkLength(limit_bytes);
    const coding = readContentCoding(this.head.content_encoding);
    const body = this.#body;
    if (body === null) return Promise.resolve(Buffer.from(this.#text as string));
    const { share } = body;
    if (own !== null) share.joins(own);
    const { framing } = this.head;
    // A body that cannot fit is refused before its sender has sent it.
    if (typeof framing === "number") share.requireRoom(Math.max(0, framing - body.kept_bytes));
    const bytes = body.bytes(limit_bytes);
    if (body.isAwaited) this.#connection.awaitBody();
    return handedOver(bytes, { coding, limit_bytes, share });
  }

  #withMoreLines(answer: ServerAnswer): ServerAnswer {
    return this.more_lines === "" ? answer : { ...answer, headers: answer.headers + this.more_lines };
  }

  /** Sends the answer: once, and before any piece. */
  answer(answer: ServerAnswer): void {
    if (this.#is_answered) throw new Error("a request was answered twice");
    this.#is_answered = true;
    // Nobody reads it any more.
    this.#body?.fail(ANSWERED);
    try {
      if (!this.aborted) this.#connection.answer(this.#withMoreLines(answer));
      else if (!isWhole(answer.body)) answer.body?.abort();
    } catch (thrown) {
      this.#connection.fail(thrown);
    }
  }

  streamFrom(source: AnswerSource): void {
    this.#source = source;
    this.goOn();
  }

  /**
   * Continues the stream once the client has taken the last piece. The source may hand on a piece from within `pull`.
   */
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
    try {
      this.#connection.send(last, true);
    } catch (thrown) {
      this.#connection.fail(thrown);
    }
  }

  fail(thrown: unknown): void {
    if (this.#is_over) return;
    this.over();
    this.#connection.fail(thrown);
  }

  /** Tells the route that its client has waited for long. */
  quiet(): void {
    const listener = this.#onQuiet;
    this.#onQuiet = null;
    listener?.();
  }

  /** What is sent to a client that waits for more of its stream; null where nothing can be sent now. */
  beat(): Uint8Array | null {
    return this.#source?.beat?.() ?? null;
  }

  /** The connection has the whole answer: the client may leave from now on. */
  over(): void {
    this.#is_over = true;
    this.#source = null;
    this.onover?.();
  }

  #checkLength(limit_bytes: number): void {
    const { framing } = this.head;
    if (typeof framing === "number" && framing > limit_bytes) throw bodyTooLarge(limit_bytes, `${framing} bytes`);
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

  /** The connection is closed. */
  left(): void {
    if (this.#is_over) return;
    this.over();
    this.aborted = true;
    this.#body?.fail(new ClientGone("the client has left"));
    this.onabort?.();
  }
}

const ANSWERED = new Error("the request is answered");

interface Read {
  readonly coding: ContentCoding | null;
  readonly limit_bytes: number;
  readonly share: BodyShare;
}

/** The body, unpacked. Its share of the room is given back when it is whole, or will never be. */
async function handedOver(bytes: Promise<Buffer>, { coding, limit_bytes, share }: Read): Promise<Buffer> {
  try {
    const packed = await bytes;
    return coding === null ? packed : await unpackBody(packed, coding, { limit_bytes, share });
  } finally {
    share.giveBack();
  }
}
