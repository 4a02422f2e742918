import type { Task } from "./messages.ts";
import type { WorkerClient } from "./worker-client.ts";

/** A reader without a question for this long is closed: its thread takes some megabytes, and starts again within milliseconds. */
const IDLE_MS = 15_000;

/** The thread that reads a database: it is started by the first question, and closed after a while without questions. */
export class ReaderOnDemand {
  readonly #start: () => WorkerClient;
  readonly #idle_ms: number;
  #reader: WorkerClient | null = null;
  /** Questions without an answer yet. */
  #waiting = 0;
  #timer: Timer | null = null;

  /** `start`: opens a thread on the database. */
  constructor(start: () => WorkerClient, idle_ms = IDLE_MS) {
    this.#start = start;
    this.#idle_ms = idle_ms;
  }

  /** Whether the thread runs. */
  get isOpen(): boolean {
    return this.#reader !== null;
  }

  async ask<Answer>(task: Task): Promise<Answer> {
    this.#reader ??= this.#start();
    this.#waiting += 1;
    try {
      return await this.#reader.ask<Answer>(task);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#rest();
    }
  }

  /** Closes the thread once the earlier questions are answered. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const reader = this.#reader;
    this.#reader = null;
    await reader?.close();
  }

  /** Has the thread closed after a while without questions. */
  #rest(): void {
    if (this.#timer !== null) {
      this.#timer.refresh();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = null;
      // The next question starts another thread; a failure of this thread was reported when it failed.
      if (this.#waiting === 0) this.close().catch(() => {});
    }, this.#idle_ms);
    this.#timer.unref();
  }
}
