import type { ChoreName, UpkeepStore } from "../core/operations/upkeep.ts";

/** Work that is done again and again beside the calls. */
interface BackgroundWork {
  readonly every_ms: number;
  /** Does the work once. A wait by the chore's `rest` rejects early where the process stops. */
  readonly work: (chore: BackgroundChore) => Promise<void>;
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
      await this.#parts.work(this);
    } catch (thrown) {
      if (!this.#stopped.signal.aborted) this.#parts.onFailure(thrown);
    }
  }
}

/** Starts work that is stopped with all else that was opened. A gateway that has just started has other things to do: it begins after a while. */
export function begin<Chore extends Pick<BackgroundChore, "start" | "stop">>(
  chore: Chore,
  opened: AsyncDisposableStack,
): Chore {
  opened.defer(() => chore.stop());
  chore.start();
  return chore;
}

const BEAT_EVERY_MS = 10_000;

/** Marks, every ten seconds that it is asked, a chore of all nodes as still in progress on this one. False where another node has taken over. */
export function beating(
  upkeep: Pick<UpkeepStore, "beatChore">,
  name: ChoreName,
  node_id: string,
): () => Promise<boolean> {
  let beaten_ms = performance.now();
  return async () => {
    if (performance.now() - beaten_ms < BEAT_EVERY_MS) return true;
    beaten_ms = performance.now();
    return await upkeep.beatChore(name, node_id);
  };
}
