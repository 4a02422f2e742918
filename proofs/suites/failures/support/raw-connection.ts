import type { Socket } from "bun";

/** A connection on which a test writes any bytes, HTTP or not, and sees every byte that comes back. */
export class RawConnection implements Disposable {
  received = "";
  /** Settles when the other side has closed the connection, in order or by a reset. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  #is_closed = false;
  #wake = Promise.withResolvers<void>();

  private constructor(socket: Socket, closed: Promise<void>) {
    this.#socket = socket;
    this.closed = closed.then(() => {
      this.#is_closed = true;
      this.#wake.resolve();
    });
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    let connection: RawConnection | null = null;
    const decoder = new TextDecoder();
    const socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        data: (_socket, chunk) => connection?.take(decoder.decode(chunk, { stream: true })),
        close: () => close(),
        error: () => close(),
      },
    });
    connection = new RawConnection(socket, closed);
    return connection;
  }

  send(text: string): this {
    this.#socket.write(text);
    this.#socket.flush();
    return this;
  }

  take(text: string): void {
    this.received += text;
    this.#wake.resolve();
  }

  /** Waits until the text was received; rejects when the connection ends without it. */
  async until(text: string | RegExp): Promise<this> {
    while (this.received.search(text) === -1) await this.more(`without ${text}`);
    return this;
  }

  /** Waits until something more was received; rejects when the connection ends before. */
  async more(how = "too early"): Promise<void> {
    if (this.#is_closed) throw new Error(`The connection ended ${how}: ${this.received}`);
    await this.#wake.promise;
    this.#wake = Promise.withResolvers();
  }

  /** The status of each answer so far. */
  get statuses(): number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }
}
