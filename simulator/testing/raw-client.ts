import type { Socket } from "bun";

/** A client that reads raw bytes, so that a test can distinguish a cut connection from a complete body. */
export class RawClient {
  received = "";
  /** Resolves when the server has closed the connection, cleanly or by a reset. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  #closed = false;
  #wake = Promise.withResolvers<void>();

  private constructor(socket: Socket, closed: Promise<void>) {
    this.#socket = socket;
    this.closed = closed.then(() => {
      this.#closed = true;
      this.#wake.resolve();
    });
  }

  /** Connects and sends one POST with a JSON body. */
  static async post(
    port: number,
    path: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<RawClient> {
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    let client: RawClient | null = null;
    const decoder = new TextDecoder();
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data: (_socket, chunk) => client?.take(decoder.decode(chunk, { stream: true })),
        close: () => close(),
        error: () => close(),
      },
    });
    client = new RawClient(socket, closed);
    const text = JSON.stringify(body);
    const lines = Object.entries({ host: "simulator", "content-type": "application/json", ...headers });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    socket.write(`POST ${path} HTTP/1.1\r\n${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    return client;
  }

  take(text: string): void {
    this.received += text;
    this.#wake.resolve();
  }

  /** Waits until that text was received; rejects when the connection ends without it. */
  async until(text: string): Promise<void> {
    while (!this.received.includes(text)) {
      if (this.#closed) throw new Error(`The connection ended without ${JSON.stringify(text)}: ${this.received}`);
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
    }
  }

  /** True when the body's last chunk was received, so that an HTTP client takes the body for complete. */
  get complete(): boolean {
    return this.received.endsWith("\r\n0\r\n\r\n");
  }

  leave(): void {
    this.#socket.end();
  }
}
