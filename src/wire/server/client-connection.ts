import type { Socket } from "bun";
import { isWhole } from "../../core/answer/sent-body.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Deadlines, WithDeadline } from "../deadlines.ts";
import { detachedBytes } from "../grammar/detached-bytes.ts";
import { MalformedMessage } from "../grammar/malformed-message.ts";
import { AnswerWriter, type WritingConnection } from "./answer-writer.ts";
import type { ClientTimeouts } from "./client-timeouts.ts";
import { type AnsweringConnection, type BodyBounds, IncomingRequest } from "./incoming-request.ts";
import type { RequestHead } from "./request-head.ts";
import { RequestParser, type RequestSink } from "./request-parser.ts";
import type { ServerAnswer } from "./server-answer.ts";

/** The parts that the connections of a server share. */
export interface ServerContext extends BodyBounds {
  readonly deadlines: Deadlines;
  readonly timeouts: ClientTimeouts;
  /** Whether connections end after their current request. */
  readonly isDraining: boolean;
  /** The current time as the value of a `date` header. */
  readonly date: string;
  /** Answers a request, now or later. */
  handle(request: IncomingRequest): void;
  /** The answer to bytes that are not a readable request; `first_line` is as much of the first line as arrived. */
  refuse(first_line: string, error: GatewayError): ServerAnswer;
  /** Reports an error that no route has caught. */
  failed(thrown: unknown): void;
  /** The connection is closed. */
  forget(connection: ClientConnection): void;
}

/**
 * The most that a client may send ahead while its request is answered; at more the gateway stops reading
 * (docs/rulings.md 139).
 */
const MAX_AHEAD_BYTES = 64 * 1024;
/**
 * The most that is read of an unwanted body to keep its connection; for more the connection is closed (docs/rulings.md
 * 138).
 */
const MAX_DROPPED_BYTES = 64 * 1024;
/**
 * How long a closing connection is read on while its client is silent. Closing a connection while its client still
 * sends would discard the answer that the client has not read yet.
 */
const LINGER_MS = 2000;
/**
 * The longest time that a closing connection is read in all: some clients read nothing before they have sent
 * everything.
 */
const MOST_LINGER_MS = 30_000;
const CONTINUE = Buffer.from("HTTP/1.1 100 Continue\r\n\r\n");

/**
 * A client's connection: reads one request after the other, has each answered, and sends the answers in order. It has
 * one deadline at a time: that of what it waits for.
 */
export class ClientConnection implements RequestSink, AnsweringConnection, WritingConnection, WithDeadline {
  readonly #context: ServerContext;
  readonly #socket: Socket<ClientConnection>;
  readonly #parser = new RequestParser(this);
  readonly #writer: AnswerWriter;
  remembered: object | null = null;
  #state: "open" | "lingering" | "closed" = "open";
  /** The request that is being read or answered. */
  #request: IncomingRequest | null = null;
  #is_body_here = true;
  /** Whether the connection stays open after the request. */
  #keeps = true;
  /** Whether the client waits for `100 Continue` before it sends the body. */
  #owes_continue = false;
  /** True once bytes could not be parsed: nothing after them is read. */
  #is_deaf = false;
  #is_reading_head = false;
  #is_feeding = false;
  /** Bytes that the client sent ahead while its request was being answered. */
  #ahead: Buffer | null = null;
  #is_paused = false;
  #due_ms: number;
  #body_by_ms = Number.POSITIVE_INFINITY;
  #linger_by_ms = 0;

  constructor(context: ServerContext, socket: Socket<ClientConnection>) {
    this.#context = context;
    this.#socket = socket;
    this.#writer = new AnswerWriter(this, socket);
    this.#due_ms = this.#in(context.timeouts.idle_ms);
  }

  get peer(): string | null {
    return this.#state === "closed" ? null : (this.#socket.remoteAddress ?? null);
  }

  /** Whether the client has still to take a part of the answers. */
  get isSending(): boolean {
    return this.#writer.isSending;
  }

  /** Closes the connection if it is idle; otherwise it closes after the current answer. */
  drain(): void {
    const is_idle = this.#request === null && !this.#parser.hasBegun && !this.isSending;
    if (is_idle && this.#state === "open") this.#socket.end();
  }

  /** Closes the connection at once. */
  cut(): void {
    this.#socket.terminate();
  }

  /** @internal */
  received(bytes: Buffer): void {
    if (this.#state === "lingering") this.#due_ms = Math.min(this.#in(LINGER_MS), this.#linger_by_ms);
    if (this.#state !== "open" || this.#is_deaf) return;
    if (this.#request !== null && this.#is_body_here) this.#keepAhead(bytes);
    else this.#feed(bytes);
  }

  /** @internal The client takes bytes again. */
  drained(): void {
    if (!this.isSending || !this.#writer.sendRest()) return;
    this.#due_ms = this.#is_body_here ? this.#quietUntil() : this.#in(this.#context.timeouts.stall_ms);
    if (!this.#turn()) this.#request?.goOn();
  }

  /** @internal */
  closed(): void {
    this.#state = "closed";
    this.#context.forget(this);
    this.#writer.close();
    this.#ahead = null;
    const request = this.#request;
    this.#request = null;
    request?.left();
  }

  head(head: RequestHead, text: string | null): void {
    this.#is_reading_head = false;
    this.#is_body_here = false;
    this.#keeps = head.keeps_alive;
    this.#owes_continue = head.expects_continue && text === null;
    this.#due_ms = Number.POSITIVE_INFINITY;
    const request = new IncomingRequest(this, head, text, this.#context);
    this.#request = request;
    this.#context.handle(request);
  }

  piece(data: Buffer): void {
    const request = this.#request;
    if (request === null || request.isAnswered) return;
    request.bodyPiece(data);
    if (request.awaitsBody) this.#due_ms = Math.min(this.#in(this.#context.timeouts.stall_ms), this.#body_by_ms);
    // Whether the body is read at all is being decided from the head: until then the client keeps it.
    else this.#pause();
  }

  end(): void {
    this.#is_body_here = true;
    this.#owes_continue = false;
    this.#resume();
    if (!this.isSending) this.#due_ms = this.#quietUntil();
    this.#request?.bodyEnd();
    this.#turn();
  }

  awaitBody(): void {
    const { stall_ms, total_ms } = this.#context.timeouts;
    this.#body_by_ms = this.#in(total_ms);
    this.#due_ms = Math.min(this.#in(stall_ms), this.#body_by_ms);
    this.#resume();
    if (!this.#owes_continue) return;
    this.#owes_continue = false;
    this.#writer.put(CONTINUE, 0, CONTINUE.byteLength, false);
  }

  awaitAnswer(): void {
    if (this.#is_body_here && !this.isSending) this.#due_ms = this.#in(this.#context.timeouts.beat_ms);
  }

  answer(answer: ServerAnswer): void {
    const request = this.#request as IncomingRequest;
    const { head } = request;
    // A body that nobody wants is skipped, up to a limit.
    const can_go_on = this.#is_body_here || (!this.#owes_continue && this.#parser.bytes_left <= MAX_DROPPED_BYTES);
    const knows_end = isWhole(answer.body) || answer.body === null || !head.is_1_0;
    this.#keeps = this.#keeps && can_go_on && knows_end && !this.#is_deaf && !this.#context.isDraining;
    if (!this.#is_body_here) {
      this.#due_ms = this.#in(this.#context.timeouts.stall_ms);
      this.#resume();
    }
    if (answer.body === null || isWhole(answer.body)) {
      request.over();
      this.#writer.whole(answer, head, this.#keeps);
      this.#turn();
      return;
    }
    this.#writer.begin(answer, head, this.#keeps);
    request.streamFrom(answer.body);
    this.#writer.sendHead(head);
    this.#rest();
  }

  fail(thrown: unknown): void {
    this.#context.failed(thrown);
    this.cut();
  }

  send(piece: Uint8Array, is_last: boolean): void {
    const request = this.#request as IncomingRequest;
    this.#writer.piece(piece, is_last, request.head);
    if (is_last) this.#turn();
    else if (!this.isSending) {
      this.#rest();
      request.goOn();
    }
  }

  get date(): string {
    return this.#context.date;
  }

  blocked(): void {
    this.#due_ms = this.#in(this.#context.timeouts.unread_ms);
  }

  check(now_ms: number): number {
    if (now_ms < this.#due_ms) return this.#due_ms;
    this.#due_ms = Number.POSITIVE_INFINITY;
    const request = this.#request;
    if (this.#state === "lingering" || this.isSending) this.#socket.terminate();
    else if (request === null && this.#parser.hasBegun) this.#refuse(tooSlow("head"));
    else if (request === null) this.#socket.end();
    else if (this.#is_body_here) this.#comfort(request);
    else if (request.isAnswered) this.#close();
    else this.#giveUpBody(tooSlow("body"));
    return this.#due_ms;
  }

  /** The client has waited for long, and all that it was sent it has taken. */
  #comfort(request: IncomingRequest): void {
    if (!request.isAnswered) return request.quiet();
    const beat = request.beat();
    if (beat !== null) this.#writer.piece(beat, false, request.head);
    this.#rest();
  }

  /** The client has taken all bytes so far. From now on it waits for more. */
  #rest(): void {
    if (!this.isSending && this.#is_body_here) this.#due_ms = this.#quietUntil();
  }

  /** Until when nothing has to be sent. */
  #quietUntil(): number {
    return this.#request?.hasBeat === true ? this.#in(this.#context.timeouts.beat_ms) : Number.POSITIVE_INFINITY;
  }

  /** The time that is `time_ms` from now. */
  #in(time_ms: number): number {
    return this.#context.deadlines.now_ms + time_ms;
  }

  /** Parses requests one by one, until one has to be answered before the next. */
  #feed(bytes: Buffer): void {
    this.#is_feeding = true;
    let rest: Buffer | null = bytes;
    try {
      while (rest !== null && this.#state === "open" && !(this.#request !== null && this.#is_body_here))
        rest = this.#parser.feed(rest);
    } catch (thrown) {
      rest = null;
      const refusal = refusalOf(thrown);
      if (refusal === null) this.fail(thrown);
      else this.#couldNotRead(refusal);
    }
    this.#is_feeding = false;
    if (this.#state !== "open" || this.#is_deaf) return;
    if (rest !== null) this.#keepAhead(detachedBytes(rest));
    if (this.#request !== null || !this.#parser.hasBegun || this.#is_reading_head) return;
    this.#is_reading_head = true;
    this.#due_ms = this.#in(this.#context.timeouts.head_ms);
  }

  #couldNotRead(error: GatewayError): void {
    if (this.#request === null) this.#refuse(error);
    else this.#giveUpBody(error);
  }

  /** Answers bytes that are not a request, or not a complete one, with an error. */
  #refuse(error: GatewayError): void {
    if (this.#state !== "open") return;
    this.#is_deaf = true;
    this.#keeps = false;
    this.#writer.whole(this.#context.refuse(this.#parser.first_line, error), null, false);
    if (!this.isSending) this.#close();
  }

  /** Stops reading the body. A handler that waits for it gets the error, and answers with it. */
  #giveUpBody(error: GatewayError): void {
    this.#is_deaf = true;
    this.#keeps = false;
    const request = this.#request as IncomingRequest;
    if (request.isAnswered) this.#turn();
    else request.bodyFailed(error);
  }

  #keepAhead(bytes: Buffer): void {
    const ahead = this.#ahead === null ? bytes : Buffer.concat([this.#ahead, bytes]);
    this.#ahead = ahead;
    if (ahead.byteLength > MAX_AHEAD_BYTES) this.#pause();
  }

  /** Stops reading from the client. */
  #pause(): void {
    if (this.#is_paused) return;
    this.#is_paused = true;
    this.#socket.pause();
  }

  #resume(): void {
    if (!this.#is_paused) return;
    this.#is_paused = false;
    this.#socket.resume();
  }

  /** Goes on to the next request, or to the end, if the current request is over. Returns whether it is. */
  #turn(): boolean {
    if (this.isSending || this.#state !== "open") return false;
    if (this.#request === null) {
      if (this.#is_deaf) this.#close();
      return this.#is_deaf;
    }
    if (!this.#request.isOver || (this.#keeps && !this.#is_body_here)) return false;
    this.#request = null;
    if (!this.#keeps || this.#context.isDraining) {
      this.#close();
      return true;
    }
    this.#due_ms = this.#in(this.#context.timeouts.idle_ms);
    if (!this.#is_feeding) this.#readAhead();
    return true;
  }

  #readAhead(): void {
    const ahead = this.#ahead;
    if (ahead === null) return;
    this.#ahead = null;
    this.#resume();
    this.#feed(ahead);
  }

  /** Ends the connection once everything has been sent. */
  #close(): void {
    if (this.#state !== "open") return;
    const is_all_read = this.#is_body_here && !this.#is_deaf && this.#ahead === null;
    this.#ahead = null;
    if (is_all_read) return void this.#socket.end();
    this.#state = "lingering";
    this.#due_ms = this.#in(LINGER_MS);
    this.#linger_by_ms = this.#in(MOST_LINGER_MS);
    this.#resume();
    this.#socket.shutdown();
  }
}

/**
 * The error for a client whose bytes could not be parsed; null where the fault is the gateway's (docs/rulings.md 91).
 */
function refusalOf(thrown: unknown): GatewayError | null {
  if (thrown instanceof GatewayError) return thrown;
  if (!(thrown instanceof MalformedMessage)) return null;
  const why = `The request cannot be read as HTTP/1.1: ${thrown.message}.`;
  return new GatewayError("invalid_request", why, { cause: thrown });
}

/** The error for a client whose request takes too long to come. */
function tooSlow(part: "head" | "body"): GatewayError {
  return new GatewayError("request_timeout", `The request's ${part} came too slowly.`, { retry_after_ms: 1000 });
}
