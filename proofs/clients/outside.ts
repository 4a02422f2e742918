import { createServer, type Socket } from "node:net";

/**
 * The outside world, as clients see it: a proxy that blocks everything and records the hosts that were asked for. A
 * client whose telemetry and updates are switched off asks for no host.
 */
export interface Outside {
  /** For HTTP_PROXY and HTTPS_PROXY. */
  readonly url: string;
  /** The hosts that were asked for since the last `forget`, each once. */
  readonly hosts: ReadonlySet<string>;
  forget(): void;
  stop(): Promise<void>;
}

const REFUSAL = "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/** Starts the proxy on any free port of 127.0.0.1. */
export async function startOutside(): Promise<Outside> {
  const hosts = new Set<string>();
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket)).on("error", () => socket.destroy());
    socket.once("data", (head) => {
      hosts.add(hostOf(head.toString("latin1")));
      socket.end(REFUSAL);
    });
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject).listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    hosts,
    forget: () => hosts.clear(),
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/** The host of `CONNECT example.com:443 HTTP/1.1` or `GET http://example.com/ HTTP/1.1`. */
function hostOf(head: string): string {
  const target = head.split(" ", 2)[1] ?? "";
  return /^(?:https?:\/\/)?([^/:\s]+)/.exec(target)?.[1] ?? "(unreadable)";
}
