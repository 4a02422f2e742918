import { connect, type Socket } from "node:net";
import { AnswerParser, type Ending, type ParsedAnswer } from "./answer-parser.ts";

/** The longest wait of a test. */
/** The end of a broken stream waits for an estimate of its tokens, whose patience is ten seconds on a busy machine. */
const PATIENCE_MS = 30_000;
/** A server that takes no more bytes takes none after this either. */
const SENDING_PATIENCE_MS = 8000;

/**
 * A connection on which a test writes any bytes in any pieces. The bytes that come back have to be valid answers
 * (`AnswerParser`): other bytes reject the next promise of the client.
 */
export class WireClient implements Disposable {
  readonly parser = new AnswerParser();
  /** The number of bytes that have come so far. */
  received_bytes = 0;
  /** Null while the connection is open. */
  ending: Ending | null = null;
  readonly #socket: Socket;
  #fault: Error | null = null;
  #wake = Promise.withResolvers<void>();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (bytes: Buffer) => this.#take(bytes));
    socket.on("error", () => this.#end("reset"));
    socket.on("close", () => this.#end("closed"));
  }

  /** Connects. Rejects where nobody listens. `allowHalfOpen`: keeps its side open when the other is closed. */
  static open(url: string, { allowHalfOpen = false } = {}): Promise<WireClient> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen });
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.removeListener("error", reject);
        resolve(new WireClient(socket));
      });
    });
  }

  /** What came and is no valid answer; null while all is well. */
  get fault(): Error | null {
    return this.#fault;
  }

  get answers(): readonly ParsedAnswer[] {
    return this.parser.answers;
  }

  get statuses(): number[] {
    return this.parser.answers.map(({ status }) => status);
  }

  /** Writes; bytes that the system does not take yet are sent later. Text is one byte a character. */
  send(bytes: string | Uint8Array): this {
    if (this.ending === null) this.#socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
    return this;
  }

  /** Writes, and resolves when the system has taken all bytes or the connection is gone. */
  async sendAll(bytes: Uint8Array): Promise<void> {
    if (this.ending !== null) return;
    const taken = new Promise<void>((resolve) => this.#socket.write(bytes, () => resolve()));
    const stopped = this.#until("everything is sent", () => this.ending !== null, { patience_ms: SENDING_PATIENCE_MS });
    await Promise.race([taken, stopped.catch(() => {})]);
  }

  /** Writes each piece by itself, with a turn in between for the other side to read it. */
  async sendPieces(pieces: readonly Uint8Array[]): Promise<this> {
    for (const piece of pieces) {
      this.send(piece);
      await new Promise(setImmediate);
    }
    return this;
  }

  /** Its port, by which the system's table of connections names it. */
  get local_port(): number {
    return this.#socket.localPort ?? 0;
  }

  /** Stops reading: bytes that come fill the system's buffers. */
  pause(): this {
    this.#socket.pause();
    return this;
  }

  resume(): this {
    this.#socket.resume();
    return this;
  }

  /** Leaves in order: says that nothing more will be sent. */
  leave(): void {
    this.#socket.end();
  }

  /** The answer at an index, once complete. Rejects when the connection ends before that, or on an invalid answer. */
  async answer(index = 0): Promise<ParsedAnswer> {
    await this.#until(`answer ${index}`, () => this.answers.length > index, { while_open: true });
    return this.answers[index] as ParsedAnswer;
  }

  /** Resolves when `holds` is true; rejects when the connection ends before that. */
  async until(what: string, holds: () => boolean): Promise<void> {
    await this.#until(what, holds, { while_open: true });
  }

  /** Resolves with all answers when the other side has closed the connection, and rejects where the last one was cut. */
  async ended(): Promise<readonly ParsedAnswer[]> {
    await this.#until("the end of the connection", () => this.ending !== null);
    return this.answers;
  }

  /** Resolves when the connection has ended, also where the end has cut an answer. */
  async gone(): Promise<void> {
    await this.#until("the end of the connection", () => this.ending !== null).catch((thrown: unknown) => {
      if (this.ending === null) throw thrown;
    });
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  async #until(
    what: string,
    holds: () => boolean,
    { while_open = false, patience_ms = PATIENCE_MS }: { while_open?: boolean; patience_ms?: number } = {},
  ): Promise<void> {
    const end_ms = performance.now() + patience_ms;
    for (;;) {
      if (this.#fault !== null) throw this.#fault;
      if (holds()) return;
      if (while_open && this.ending !== null) throw new Error(`the connection ended before ${what}: ${this.#story()}`);
      const left_ms = end_ms - performance.now();
      if (left_ms <= 0) throw new Error(`${what} did not come: ${this.#story()}`);
      const timer = setTimeout(() => this.#nudge(), left_ms);
      await this.#wake.promise;
      clearTimeout(timer);
    }
  }

  #story(): string {
    const { answers, partial_status, partial } = this.parser;
    const whole = answers.map(({ status, text }) => `${status} ${text.slice(0, 200)}`);
    return JSON.stringify([...whole, `${partial_status} ${partial.toString().slice(0, 200)}`, this.ending]);
  }

  #take(bytes: Buffer): void {
    this.received_bytes += bytes.length;
    this.#attempt(() => this.parser.push(bytes));
  }

  #end(ending: Ending): void {
    if (this.ending !== null) return;
    this.ending = ending;
    this.#attempt(() => this.parser.end(ending));
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.#fault ??= thrown instanceof Error ? thrown : new Error("the answers could not be read", { cause: thrown });
    }
    this.#nudge();
  }

  #nudge(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}
