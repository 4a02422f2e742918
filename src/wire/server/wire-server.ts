import { systemClock } from "../../core/clock.ts";
import type { GatewayError } from "../../core/errors.ts";
import { Deadlines } from "../deadlines.ts";
import type { BodyRoom } from "./body-room.ts";
import { ClientConnection, type ServerContext } from "./client-connection.ts";
import type { ClientTimeouts } from "./client-timeouts.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import type { ServerAnswer } from "./server-answer.ts";

/** Answers the requests that the connections read. */
export interface RequestHandler {
  handle(request: IncomingRequest): void;
  refuse(first_line: string, error: GatewayError): ServerAnswer;
  /** Reports an error for which no client can get an answer any more. */
  failed(thrown: unknown): void;
  readonly most_body_bytes: number;
  /** Room for the unfinished bodies of all clients. */
  readonly bodies: BodyRoom;
}

export interface ServerAddress {
  readonly hostname: string;
  /** 0: any free port. */
  readonly port: number;
  /**
   * Whether other processes of the gateway listen at the same port, and the system spreads connections over them. The first one
   * makes sure that no other program listens there; those that join it do not. Absent: no other program may listen there.
   */
  readonly sharing?: "first" | "joins";
}

/** HTTP/1.1 over the runtime's sockets (docs/adr/0016-own-http-server.md). */
export class WireServer implements ServerContext {
  readonly deadlines = new Deadlines();
  readonly timeouts: ClientTimeouts;
  readonly #handler: RequestHandler;
  readonly #connections = new Set<ClientConnection>();
  readonly #listener: Bun.TCPSocketListener<ClientConnection>;
  #is_draining = false;
  #onEmpty: (() => void) | null = null;
  #date = "";
  #date_ms = Number.NEGATIVE_INFINITY;

  /** Starts to listen. Throws when the address is not available. */
  constructor(handler: RequestHandler, timeouts: ClientTimeouts, address: ServerAddress) {
    this.#handler = handler;
    this.timeouts = timeouts;
    const socket: Bun.SocketHandler<ClientConnection> = {
      open: (opened) => this.#opened(opened),
      data: (from, bytes) => from.data.received(bytes),
      drain: (to) => to.data.drained(),
      close: (closed) => closed.data.closed(),
      error: (failed, error) => this.#failed(failed, error),
    };
    try {
      this.#listener = Bun.listen({ ...listenOptions(address), socket });
    } catch (cause) {
      throw new Error(cannotListen(address, cause), { cause });
    }
  }

  get port(): number {
    return this.#listener.port;
  }

  get hostname(): string {
    return this.#listener.hostname;
  }

  get isDraining(): boolean {
    return this.#is_draining;
  }

  get most_body_bytes(): number {
    return this.#handler.most_body_bytes;
  }

  get bodies(): BodyRoom {
    return this.#handler.bodies;
  }

  /** At most a second old, like the header's own precision. */
  get date(): string {
    const { now_ms } = this.deadlines;
    if (now_ms - this.#date_ms >= 1000) {
      this.#date_ms = now_ms;
      this.#date = new Date(systemClock.now_ms()).toUTCString();
    }
    return this.#date;
  }

  handle(request: IncomingRequest): void {
    this.#handler.handle(request);
  }

  refuse(first_line: string, error: GatewayError): ServerAnswer {
    return this.#handler.refuse(first_line, error);
  }

  failed(thrown: unknown): void {
    this.#handler.failed(thrown);
  }

  forget(connection: ClientConnection): void {
    this.deadlines.remove(connection);
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#onEmpty?.();
  }

  get hasConnections(): boolean {
    return this.#connections.size > 0;
  }

  /** From now on each answer is its connection's last, and says so. Connections and requests that come are still taken. */
  announceEnd(): void {
    this.#is_draining = true;
  }

  /** Stops accepting connections; open ones end after their current request. Resolves when none is left. */
  async drain(): Promise<void> {
    this.#is_draining = true;
    this.#listener.stop(false);
    for (const connection of this.#connections) connection.drain();
    if (this.#connections.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onEmpty = resolve;
    await promise;
  }

  /** Closes at once the connections that have nothing left to send. */
  cutSilent(): void {
    for (const connection of this.#connections) if (!connection.isSending) connection.cut();
  }

  /** Closes all connections at once. */
  cut(): void {
    this.#is_draining = true;
    this.#listener.stop(true);
    for (const connection of this.#connections) connection.cut();
  }

  /**
   * The system's errors close their connection without further action; all others are bugs, also errors of the runtime
   * with a code.
   */
  #failed(socket: Bun.Socket<ClientConnection>, error: Error): void {
    if ("syscall" in error) return;
    this.failed(error);
    socket.terminate();
  }

  #opened(socket: Bun.Socket<ClientConnection>): void {
    socket.setNoDelay(true);
    const connection = new ClientConnection(this, socket);
    socket.data = connection;
    this.#connections.add(connection);
    this.deadlines.add(connection);
  }
}

interface ListenOptions {
  readonly hostname: string;
  readonly port: number;
  readonly reusePort?: true;
}

/** Two programs that both share their ports would get half of each other's connections: the first one looks, alone. */
function listenOptions({ hostname, port, sharing }: ServerAddress): ListenOptions {
  if (sharing === undefined) return { hostname, port };
  if (sharing === "joins") return { hostname, port, reusePort: true };
  const alone = Bun.listen({ hostname, port, socket: { data: () => {} } });
  const found = alone.port;
  alone.stop(true);
  return { hostname, port: found, reusePort: true };
}

const WHY_NOT: Readonly<Record<string, readonly [why: string, what_to_do: string]>> = {
  EADDRINUSE: ["the port is in use", "Choose another with --port or CAMINO_PORT."],
  EADDRNOTAVAIL: [
    "this machine has no such address",
    "Give one that it has with --host or CAMINO_HOST; 0.0.0.0 means all.",
  ],
  EACCES: ["this user may not use it", "Choose a port above 1023 with --port or CAMINO_PORT."],
};

function cannotListen({ hostname, port }: ServerAddress, cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "the system does not say why";
  const [why, what_to_do] = WHY_NOT[code] ?? [code, ""];
  return `Cannot listen on ${hostname}, port ${port} (${why}). ${what_to_do}`.trimEnd();
}
