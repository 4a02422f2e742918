/** Work that is done again and again beside the calls. */
export interface BackgroundWork {
  readonly every_ms: number;
  /** Does it once. What it waits for by `BackgroundChore.rest` ends early where the process stops, by a rejection. */
  readonly work: () => Promise<void>;
  /** Is told why it failed. It is tried again when its time has come; what ends it at a stop is no failure. */
  readonly onFailure: (thrown: unknown) => void;
}

/** Work in the background that is never done twice at a time, and that ends before what it needs is closed. */
export class BackgroundChore {
  readonly #parts: BackgroundWork;
  readonly #stopped = new AbortController();
  #timer: Timer | undefined;
  #running: Promise<void> | null = null;

  constructor(parts: BackgroundWork) {
    this.#parts = parts;
  }

  /** Does the work from time to time, the first time after a while. */
  start(): void {
    this.#timer ??= setInterval(() => void this.run(), this.#parts.every_ms);
  }

  /** Does the work, unless it is being done or the process stops. Resolves when it is done; never rejects. */
  run(): Promise<void> {
    if (this.#running !== null) return this.#running;
    if (this.#stopped.signal.aborted) return Promise.resolve();
    // Cleared by a callback, which is never called before the field is set: also where the work throws before it waits for anything.
    this.#running = this.#run().finally(() => (this.#running = null));
    return this.#running;
  }

  /** Waits between two steps of the work. Rejects where the process stops. */
  async rest(time_ms: number): Promise<void> {
    await Bun.sleep(time_ms);
    this.throwIfStopped();
  }

  /** Rejects work that is not to go on. */
  throwIfStopped(): void {
    this.#stopped.signal.throwIfAborted();
  }

  /** Resolves when nothing runs any more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      await this.#parts.work();
    } catch (thrown) {
      if (!this.#stopped.signal.aborted) this.#parts.onFailure(thrown);
    }
  }
}
