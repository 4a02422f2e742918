/** Work that is done again and again beside the calls. */
interface BackgroundWork {
  readonly every_ms: number;
  /** Does the work once. A wait by `BackgroundChore.rest` rejects early where the process stops. */
  readonly work: () => Promise<void>;
  /** Gets the error of a failed run. The work is tried again when its time has come; an end by a stop is no failure. */
  readonly onFailure: (thrown: unknown) => void;
}

/** Work in the background that never runs twice at a time, and that ends before the parts that it needs are closed. */
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
