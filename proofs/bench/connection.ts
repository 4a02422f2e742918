import type { Socket } from "bun";
import { objectionTo, pathOf, requestBody, type Shape } from "./exchange.ts";
import { readResponse } from "./http-response.ts";

/** The address that the load generator calls, and the shape of answer that it requests. */
export interface Target {
  /** The base URL of the endpoint: `http://127.0.0.1:8787/v1`. */
  readonly url: string;
  /** The keys to call with, one at least. */
  readonly keys: readonly string[];
  /** Headers that a program wants beside the key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
  readonly shape: Shape;
}

/** One finished call. */
export interface Call {
  readonly duration_ms: number;
  /** How many reads from the socket the answer took: this shows whether chunks arrived one by one. */
  readonly reads: number;
}

interface Pending {
  readonly started_ms: number;
  received: string;
  reads: number;
  readonly resolve: (call: Call) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A kept-alive connection that makes one call after another and checks every answer. A raw socket instead of `fetch`,
 * so that the load generator costs a fraction of what it measures.
 */
export class Connection {
  readonly #target: Target;
  #socket: Socket | null = null;
  #pending: Pending | null = null;
  /** Called with what has come of the answer, each time that something has come. */
  onRead: ((received: string) => void) | null = null;

  private constructor(target: Target) {
    this.#target = target;
  }

  static async open(target: Target): Promise<Connection> {
    const connection = new Connection(target);
    const { hostname, port } = new URL(target.url);
    connection.#socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        data: (_socket, bytes) => connection.#take(bytes),
        close: () => connection.#fail(new Error(`${target.url} closed the connection in the middle of a call`)),
        error: (_socket, error) => connection.#fail(error),
      },
    });
    return connection;
  }

  /** Makes a call; `request`: one of `requestsOf` this connection's target. */
  call(request: Uint8Array): Promise<Call> {
    const { promise, resolve, reject } = Promise.withResolvers<Call>();
    this.#pending = { started_ms: performance.now(), received: "", reads: 0, resolve, reject };
    const written = this.#socket?.write(request) ?? 0;
    if (written < request.length) this.#fail(new Error("the request did not fit into the socket's buffer"));
    return promise;
  }

  close(): void {
    this.#pending = null;
    this.#socket?.end();
  }

  #take(bytes: Buffer): void {
    const pending = this.#pending;
    if (pending === null) return;
    pending.received += bytes.toString("latin1");
    pending.reads += 1;
    this.onRead?.(pending.received);
    const response = readResponse(pending.received);
    if (response === null) return;
    const duration_ms = performance.now() - pending.started_ms;
    const objection = response.status === 200 ? objectionTo(response.body, this.#target.shape) : "";
    if (objection !== null) {
      const said = response.body.slice(0, 500);
      return this.#fail(new Error(`${this.#target.url} answered ${response.status}: ${objection}\n${said}`));
    }
    this.#pending = null;
    pending.resolve({ duration_ms, reads: pending.reads });
  }

  #fail(error: Error): void {
    this.#pending?.reject(error);
    this.#pending = null;
  }
}

/** The bytes of a target's request, one for each of its keys. */
export function requestsOf({ url, keys, headers, model, shape }: Target): readonly Uint8Array[] {
  const { host, pathname } = new URL(url);
  const body = requestBody(model, shape);
  return keys.map((key) => {
    const head = [
      `POST ${pathname}${pathOf(shape)} HTTP/1.1`,
      `host: ${host}`,
      `authorization: Bearer ${key}`,
      "content-type: application/json",
      "anthropic-version: 2023-06-01",
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
  });
}
