import { connect, createServer, type Socket } from "node:net";

/**
 * A TCP proxy between a client and a server that can refuse, stall and cut: a network that fails as a test says. Bytes pass
 * unchanged otherwise.
 */
export interface FaultyProxy extends AsyncDisposable {
  readonly port: number;
  /** Where new connections lead. */
  target: number;
  /** Whether new connections are refused. */
  refuses: boolean;
  /** How many connections were made so far. */
  readonly connected: number;
  /** From now on nothing passes in either direction, until `flow`. Connections stay open. */
  stall(): void;
  flow(): void;
  /** Cuts all connections. */
  cut(): void;
  /**
   * The next time that a client sends these bytes: they are kept back, the client is cut off at once, and the returned function
   * sends them to the server after all.
   */
  cutAt(text: string): Promise<() => void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

export async function faultyProxy(target: number): Promise<FaultyProxy> {
  const pairs = new Set<Pair>();
  let stalled = false;
  let trap: { readonly text: string; readonly caught: (release: () => void) => void } | null = null;

  const listener = createServer((client) => {
    if (proxy.refuses) {
      client.destroy();
      return;
    }
    proxy.connected += 1;
    const server = connect({ port: proxy.target, host: "127.0.0.1", allowHalfOpen: true });
    const pair = { client, server };
    pairs.add(pair);
    client.on("data", (bytes) => {
      if (trap !== null && bytes.includes(trap.text)) {
        const { caught } = trap;
        trap = null;
        // The server's side stays open: to the server the client is only slow.
        client.removeAllListeners("end");
        client.destroy();
        caught(() => server.end(bytes));
        return;
      }
      if (!server.write(bytes)) client.pause();
    });
    server.on("data", (bytes) => {
      if (!client.destroyed && !client.write(bytes)) server.pause();
    });
    client.on("drain", () => !stalled && server.resume());
    server.on("drain", () => !stalled && client.resume());
    client.on("error", () => {});
    server.on("error", () => client.destroy());
    client.on("end", () => server.end());
    server.on("close", () => {
      pairs.delete(pair);
      client.destroy();
    });
    if (stalled) stop(pair);
  });
  const stop = ({ client, server }: Pair): void => {
    client.pause();
    server.pause();
  };
  const proxy = {
    port: 0,
    target,
    refuses: false,
    connected: 0,
    stall() {
      stalled = true;
      for (const pair of pairs) stop(pair);
    },
    flow() {
      stalled = false;
      for (const { client, server } of pairs) {
        client.resume();
        server.resume();
      }
    },
    cut() {
      for (const { client, server } of pairs) {
        client.destroy();
        server.destroy();
      }
    },
    cutAt: (text: string) =>
      new Promise<() => void>((caught) => {
        trap = { text, caught };
      }),
    async [Symbol.asyncDispose]() {
      proxy.cut();
      await new Promise((closed) => listener.close(closed));
    },
  };
  await new Promise<void>((listening) => listener.listen(0, "127.0.0.1", listening));
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  proxy.port = address.port;
  return proxy;
}

/** A database's URL by way of the proxy. */
export function throughProxy(url: string, { port }: Pick<FaultyProxy, "port">): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}
