import type { Socket, SocketHandler } from "bun";
import { MalformedMessage } from "../grammar/malformed-message.ts";
import type { AnswerHead } from "./answer-head.ts";
import { AnswerParser, type AnswerSink } from "./answer-parser.ts";
import type { ArrivedBody } from "./arrived-body.ts";
import type { Call, CallTransport } from "./call.ts";
import { decodedBody } from "./decoded-body.ts";
import { IncomingBody, type PausableSource } from "./incoming-body.ts";
import { type AnswerBody, UpstreamReply } from "./reply.ts";
import { type RequestBytes, writePieces } from "./request-bytes.ts";
import type { UrlTarget } from "./target.ts";
import { canPeek, hasUnread } from "./unread.ts";
import { tlsFailure, UpstreamError } from "./upstream-error.ts";

/** The owner of a connection between two calls. */
export interface ConnectionOwner {
  /** The connection may carry another call, for at least `patience_ms` as far as the vendor has said. */
  keep(connection: Connection, patience_ms: number): void;
  forget(connection: Connection): void;
}

/** The event loop hands on what has arrived in each of its turns: a connection for which it does not is of no use. */
const MOST_LOOKS = 1000;

/** A connection to a vendor: carries any number of calls, one after the other (docs/rulings.md 128). */
export class Connection implements AnswerSink, CallTransport, PausableSource {
  /** For an idle connection: when it becomes too old to be used again. */
  idle_until_ms = 0;
  readonly #owner: ConnectionOwner;
  readonly #parser = new AnswerParser(this);
  #socket: Socket<Connection> | null = null;
  /** The request that is sent once the connection is open. */
  #request: RequestBytes | null = null;
  /** Bytes that the vendor has been too slow to take so far. */
  #unsent: readonly Uint8Array[] | null = null;
  /** The call that the connection carries; null while it is idle or closed. */
  #call: Call | null = null;
  #body: IncomingBody | null = null;
  /** The number of the call that ended last, until the answer to the next one begins. Not the call: it would keep its answer in memory. */
  #ended: number | null = null;
  #keeps_alive = true;
  /** How often bytes were found that the event loop had not handed on before the first request was sent. */
  #looks = 0;
  /** How long the vendor keeps the connection when it is idle; null until its first answer. */
  #patience_ms: number | null = null;

  private constructor(owner: ConnectionOwner) {
    this.#owner = owner;
  }

  static open(owner: ConnectionOwner, target: UrlTarget, call: Call, request: RequestBytes): void {
    const connection = new Connection(owner);
    connection.#call = call;
    connection.#request = request;
    call.carriedBy(connection);
    call.connects();
    const { port, is_secure, address } = target;
    const hostname = address ?? target.hostname;
    const tls = address === undefined ? TLS : { ...TLS, serverName: target.hostname };
    const secure = is_secure ? { tls, socket: TLS_EVENTS } : { socket: TCP_EVENTS };
    // `connectError` handles failures.
    Bun.connect({ hostname, port, data: connection, ...secure }).catch(() => {});
  }

  /**
   * Carries another call. False, and nothing of the request was sent, where the connection is closed already, or where
   * the vendor has sent something since its last answer: that would be read as the answer to this request.
   */
  carry(call: Call, request: RequestBytes): boolean {
    if (this.#socket === null || hasUnread(this.#socket) || !this.#write(request)) return false;
    this.#call = call;
    call.carriedBy(this);
    call.sent();
    return true;
  }

  close(): void {
    this.#socket?.end();
  }

  cancel(fault: UpstreamError): void {
    this.#lose(fault);
  }

  /** A call that has begun on it meanwhile is lost where it has no answer yet: what would reach it may be meant for the one before. */
  retire(ended: number): void {
    if (this.#ended !== ended) return;
    this.#owner.forget(this);
    this.#lose(new UpstreamError("broken", "an earlier answer on the connection to the vendor was none"));
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  head(head: AnswerHead, arrived: ArrivedBody | null): void {
    const call = this.#call as Call;
    this.#ended = null;
    this.#body = arrived === null ? new IncomingBody(this, call) : null;
    this.#keeps_alive = head.keeps_alive;
    this.#patience_ms ??= readPatience(head.get("keep-alive"));
    const body = decodedBody((arrived ?? this.#body) as AnswerBody, head, call);
    call.answered(new UpstreamReply(head.status, head, body, call));
  }

  piece(data: Buffer): void {
    this.#body?.push(data);
  }

  end(is_clean: boolean): void {
    // The reader of the last piece may have given up the call because of what the piece said.
    if (this.#call === null) return;
    // A vendor that answers before it has read the whole request may not read the rest of it.
    const is_reusable = is_clean && this.#keeps_alive && this.#unsent === null;
    const body = this.#body;
    this.#ended = this.#call.number;
    this.#call.end();
    this.#body = null;
    this.#call = null;
    body?.end();
    if (is_reusable) this.#owner.keep(this, this.#patience_ms ?? Number.POSITIVE_INFINITY);
    else if (this.#unsent !== null) this.#socket?.terminate();
    else this.#socket?.end();
  }

  /** @internal The socket is connected; with TLS, the handshake follows. */
  opened(socket: Socket<Connection>): void {
    this.#socket = socket;
    // Deadlines keep the process alive while a call runs; an idle connection must not.
    socket.unref();
    if (this.#call === null) socket.terminate();
    else socket.setNoDelay(true);
  }

  /** @internal The connection can carry the request. */
  ready(): void {
    const request = this.#request;
    if (this.#call === null || request === null || this.#socket === null) return;
    // Bytes that have arrived are handed on first: `received` ends the call, unless they are TLS's own (tickets).
    if (canPeek && hasUnread(this.#socket)) return this.#lookAgain();
    this.#request = null;
    this.#call.sent();
    this.#write(request);
  }

  /** @internal The TLS handshake ended. The request is sent only to the server that the URL names. */
  secured(success: boolean, error: Error | null): void {
    if (success && error === null && this.#socket?.authorized === true) return this.ready();
    this.#lose(tlsFailure(codeOf(error), error ?? undefined));
  }

  /** @internal */
  received(bytes: Buffer): void {
    // Bytes from a vendor that was not asked: before the request was sent, or while no call runs.
    if (this.#call === null || this.#request !== null) return this.#refuseBytes();
    try {
      this.#parser.feed(bytes);
    } catch (thrown) {
      this.#lose(brokenBy(thrown));
    }
  }

  /** @internal The vendor takes bytes again. */
  drained(): void {
    const [first] = this.#unsent ?? [];
    if (this.#unsent === null || first === undefined || this.#socket === null) return;
    const written = this.#socket.write(first);
    if (written >= 0) this.#unsent = writePieces(this.#socket, this.#unsent, written);
  }

  /** @internal */
  closed(error: Error | undefined): void {
    this.#owner.forget(this);
    if (this.#call === null) return;
    if (this.#request !== null)
      return this.#lose(
        new UpstreamError("unreachable", "the vendor closed the connection before TLS was agreed on", error),
      );
    if (error !== undefined) return this.#lose(brokenBy(error));
    try {
      this.#parser.close();
    } catch (thrown) {
      this.#lose(brokenBy(thrown));
    }
  }

  /** @internal */
  failed(error: Error): void {
    if (this.#request === null) return this.#lose(brokenBy(error));
    this.#lose(new UpstreamError("unreachable", `no connection to the vendor (${codeOf(error)})`, error));
  }

  /** Waits for the event loop to hand on what the vendor has sent, which it does within a turn or two. */
  #lookAgain(): void {
    this.#looks += 1;
    if (this.#looks > MOST_LOOKS) return this.#refuseBytes();
    setImmediate(() => this.ready());
  }

  #refuseBytes(): void {
    this.#owner.forget(this);
    this.#lose(new UpstreamError("unreachable", "the vendor sent bytes before it was sent a request"));
  }

  /** False when nothing was written because the connection is closed. */
  #write(request: RequestBytes): boolean {
    const unsent = this.#socket === null ? false : request.writeTo(this.#socket);
    if (unsent === false) return false;
    this.#unsent = unsent;
    return true;
  }

  #lose(fault: UpstreamError): void {
    const call = this.#call;
    const body = this.#body;
    this.#call = null;
    this.#body = null;
    this.#socket?.terminate();
    if (call === null) return;
    const first = call.fail(fault);
    body?.fail(first);
  }
}

/**
 * Certificates are checked as fetch does: chain, dates and name, against the runtime's and the environment's
 * authorities.
 */
const TLS = { rejectUnauthorized: true, ALPNProtocols: "http/1.1" };

/** One set of handlers for all connections: each socket refers to its connection. */
const TCP_EVENTS: SocketHandler<Connection> = {
  open(socket) {
    socket.data.opened(socket);
    socket.data.ready();
  },
  data: (socket, bytes) => socket.data.received(bytes),
  drain: (socket) => socket.data.drained(),
  close: (socket, error) => socket.data.closed(error),
  error: (socket, error) => socket.data.failed(error),
  connectError: (socket, error) => socket.data.failed(error),
};

const TLS_EVENTS: SocketHandler<Connection> = {
  ...TCP_EVENTS,
  open: (socket) => socket.data.opened(socket),
  handshake: (socket, success, error) => socket.data.secured(success, error),
};

function brokenBy(thrown: unknown): UpstreamError {
  const why = thrown instanceof MalformedMessage ? `its answer cannot be read: ${thrown.message}` : codeOf(thrown);
  return new UpstreamError("broken", `the connection to the vendor broke (${why})`, thrown);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "no code";
}

/** How long the vendor keeps idle connections, as its `keep-alive` header says. */
function readPatience(keep_alive: string | null): number {
  const seconds = /(?:^|[\s,;])timeout=(\d{1,6})/i.exec(keep_alive ?? "")?.[1];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000;
}
