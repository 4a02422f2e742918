import { deserialize, serialize } from "bun:jsc";
import type { Socket } from "bun";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { type Caller, type DatabaseClient, giveAnswer } from "./database-client.ts";
import { FrameSocket, TEXT } from "./frame-socket.ts";
import type { Reply, Request, Task } from "./messages.ts";
import { ownIdOf } from "./messages.ts";

/** The pause before a lost connection is opened again. The owner's next process needs some tenths of a second to start. */
const AGAIN_AFTER_MS = 50;

/**
 * A worker's connection to the process that owns the embedded database. While that process is away, every question is refused at once, as by
 * an unreachable server; operations that were under way may or may not have taken place.
 */
export class RemoteWriter implements DatabaseClient {
  readonly is_shared = true;
  readonly #path: string;
  readonly #node_id: string;
  #frames: FrameSocket | null = null;
  #connection = 0;
  #last_id = 0;
  #callers = new Map<number, Caller>();
  #is_closed = false;
  #again: Timer | null = null;
  #onIdle: (() => void) | null = null;

  private constructor(path: string, node_id: string) {
    this.#path = path;
    this.#node_id = node_id;
  }

  /** Rejects when no process listens at the socket. `node_id`: the worker's node. */
  static async open(path: string, node_id: string): Promise<RemoteWriter> {
    const writer = new RemoteWriter(path, node_id);
    await writer.#connect();
    return writer;
  }

  get connection(): number {
    return this.#connection;
  }

  ask<Answer>(task: Task): Promise<Answer> {
    return this.#ask((frames, id) => frames.sendClone(cloneOf({ id, task }))) as Promise<Answer>;
  }

  commit<Answer>(batch: string): Promise<Answer> {
    return this.#ask((frames, id) => frames.sendText(`${id} ${batch}`)) as Promise<Answer>;
  }

  /** Disconnects when the earlier questions are answered. The database stays open, as it is the owner's. */
  async close(): Promise<void> {
    this.#is_closed = true;
    if (this.#again !== null) clearTimeout(this.#again);
    if (this.#callers.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    this.#frames?.end();
    this.#frames = null;
  }

  #ask(send: (frames: FrameSocket, id: number) => void): Promise<unknown> {
    const frames = this.#frames;
    if (frames === null || this.#is_closed) return Promise.reject(away(true));
    return new Promise<unknown>((resolve, reject) => {
      this.#last_id += 1;
      this.#callers.set(this.#last_id, { resolve, reject });
      send(frames, this.#last_id);
    });
  }

  async #connect(): Promise<void> {
    const socket: Bun.SocketHandler<FrameSocket> = {
      open: (opened) => this.#opened(opened),
      data: (from, bytes) => from.data.received(bytes),
      drain: (to) => to.data.drained(),
      close: (closed) => this.#lost(closed.data),
      // The connection's end follows, and is handled there.
      error: () => {},
      connectError: () => {},
    };
    await Bun.connect<FrameSocket>({ unix: this.#path, socket });
  }

  #opened(socket: Socket<FrameSocket>): void {
    const frames = new FrameSocket(socket, (kind, bytes) => {
      const text_or_clone = kind === TEXT ? JSON.parse(bytes.toString()) : deserialize(new Uint8Array(bytes));
      this.#take(text_or_clone as Reply);
    });
    socket.data = frames;
    frames.sendClone(cloneOf({ id: 0, task: { kind: "greet", node_id: this.#node_id } }));
    this.#frames = frames;
    this.#connection += 1;
  }

  #lost(frames: FrameSocket | undefined): void {
    if (frames === undefined || frames !== this.#frames) return;
    this.#frames = null;
    const callers = [...this.#callers.values()];
    this.#callers = new Map();
    for (const { reject } of callers) reject(away(false));
    this.#onIdle?.();
    this.#connectAgain();
  }

  #connectAgain(): void {
    if (this.#is_closed) return;
    this.#again = setTimeout(() => {
      this.#connect().catch(() => this.#connectAgain());
    }, AGAIN_AFTER_MS);
  }

  #take(reply: Reply): void {
    const id = ownIdOf(reply.id);
    const caller = this.#callers.get(id);
    if (caller === undefined) return;
    this.#callers.delete(id);
    if (this.#callers.size === 0) this.#onIdle?.();
    giveAnswer(caller, reply);
  }
}

function cloneOf(request: Request): Uint8Array {
  return new Uint8Array(serialize(request));
}

function away(nothing_happened: boolean): StoreUnavailable {
  return new StoreUnavailable("unreachable", "the process that keeps the ledger is away, and is being started again", {
    nothing_happened,
  });
}
