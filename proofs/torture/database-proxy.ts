import type { Socket, TCPSocketListener } from "bun";

/**
 * A TCP proxy before a PostgreSQL, which can refuse, cut or hold connections, and can lose a connection in the midst of
 * a COMMIT: before the server gets it, or before the client hears of it.
 */
export type ProxyMode =
  /** Passes everything on. */
  | "pass"
  /** Cuts every connection, and each new one at once. */
  | "refuse"
  /** Holds all bytes in both directions, and delivers them when it passes again. */
  | "hold"
  /** Cuts a connection that sends a COMMIT, which the server does not get. */
  | "drop commit"
  /** Cuts a connection that sends a COMMIT, after the server got it, before its answer. */
  | "drop answer";

interface Side {
  pair: Pair | null;
}

interface Pair {
  readonly client: Socket<Side>;
  server: Socket<Side> | null;
  /** Bytes that wait: for the server's connection, for a socket to drain, or while the proxy holds. */
  readonly to_server: Uint8Array[];
  readonly to_client: Uint8Array[];
  /** The COMMIT has passed: the connection ends with the server's next bytes. */
  doomed: boolean;
}

export class DatabaseProxy {
  readonly #target: { readonly hostname: string; readonly port: number };
  readonly #listener: TCPSocketListener<Side>;
  readonly #pairs = new Set<Pair>();
  #mode: ProxyMode = "pass";
  /** How many connections were cut. */
  cut = 0;

  constructor(target: { readonly hostname: string; readonly port: number }) {
    this.#target = target;
    this.#listener = Bun.listen<Side>({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        open: (socket) => void this.#open(socket),
        data: (socket, bytes) => this.#fromClient(socket.data.pair, bytes),
        drain: (socket) => this.#flush(socket.data.pair),
        close: (socket) => this.#end(socket.data.pair),
        error: (socket) => this.#end(socket.data.pair),
      },
    });
  }

  get port(): number {
    return this.#listener.port;
  }

  set mode(mode: ProxyMode) {
    this.#mode = mode;
    if (mode === "refuse") for (const pair of [...this.#pairs]) this.#cut(pair);
    else if (mode === "pass") for (const pair of this.#pairs) this.#flush(pair);
  }

  stop(): void {
    this.#listener.stop(true);
    for (const pair of [...this.#pairs]) this.#end(pair);
  }

  async #open(client: Socket<Side>): Promise<void> {
    const pair: Pair = { client, server: null, to_server: [], to_client: [], doomed: false };
    client.data = { pair };
    if (this.#mode === "refuse") return this.#cut(pair);
    this.#pairs.add(pair);
    try {
      pair.server = await Bun.connect<Side>({
        ...this.#target,
        socket: {
          data: (_socket, bytes) => this.#fromServer(pair, bytes),
          drain: () => this.#flush(pair),
          close: () => this.#end(pair),
          error: () => this.#end(pair),
        },
      });
    } catch {
      return this.#cut(pair);
    }
    if (this.#pairs.has(pair)) this.#flush(pair);
    else pair.server.terminate();
  }

  #fromClient(pair: Pair | null, bytes: Uint8Array): void {
    if (pair === null) return;
    const commits = /COMMIT/i.test(Buffer.from(bytes).toString("latin1"));
    if (commits && this.#mode === "drop commit") return this.#cut(pair);
    if (commits && this.#mode === "drop answer") pair.doomed = true;
    pair.to_server.push(bytes.slice());
    this.#flush(pair);
  }

  #fromServer(pair: Pair, bytes: Uint8Array): void {
    if (pair.doomed) return this.#cut(pair);
    pair.to_client.push(bytes.slice());
    this.#flush(pair);
  }

  /** Writes what waits, as far as the sockets take it. */
  #flush(pair: Pair | null): void {
    if (pair === null || this.#mode === "hold") return;
    if (pair.server !== null) drain(pair.server, pair.to_server);
    drain(pair.client, pair.to_client);
  }

  #cut(pair: Pair): void {
    this.cut += 1;
    this.#end(pair);
  }

  #end(pair: Pair | null): void {
    if (pair === null) return;
    this.#pairs.delete(pair);
    pair.client.terminate();
    pair.server?.terminate();
  }
}

function drain(socket: Socket<Side>, waiting: Uint8Array[]): void {
  for (let bytes = waiting[0]; bytes !== undefined; bytes = waiting[0]) {
    const written = socket.write(bytes);
    if (written < bytes.length) {
      waiting[0] = bytes.subarray(Math.max(written, 0));
      return;
    }
    waiting.shift();
  }
}
