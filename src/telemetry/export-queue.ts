export interface ExportCounts {
  sent(count: number): void;
  dropped(count: number, reason: "full" | "failed", thrown?: unknown): void;
}

interface QueueSettings<Item> {
  /** The most items that wait: further ones are dropped. */
  readonly most: number;
  /** How many are sent at once: making a batch ready takes the event loop's time. */
  readonly batch: number;
  readonly every_ms: number;
  readonly send: (batch: readonly Item[]) => Promise<void>;
  readonly counts: ExportCounts;
}

/**
 * What waits to be sent to a collector. It is bounded, one batch is sent at a time, and no call waits for it. A batch that the collector does not take
 * after the sender's own tries is dropped and counted (docs/rulings.md 186).
 */
export class ExportQueue<Item> {
  readonly #settings: QueueSettings<Item>;
  #waiting: Item[] = [];
  #timer: Timer | null = null;
  #sending: Promise<void> | null = null;

  constructor(settings: QueueSettings<Item>) {
    this.#settings = settings;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  add(item: Item): void {
    const { most, batch, every_ms, counts } = this.#settings;
    if (this.#waiting.length >= most) return counts.dropped(1, "full");
    this.#waiting.push(item);
    if (this.#waiting.length >= batch) this.#sendSoon();
    else this.#timer ??= setTimeout(() => this.#sendSoon(), every_ms);
  }

  /** Sends what waits, until this time has passed: then the rest is dropped. */
  async close(patience_ms: number): Promise<void> {
    let timer: Timer | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patience_ms);
    });
    this.#sendSoon();
    await Promise.race([this.#sending ?? Promise.resolve(), patience]);
    clearTimeout(timer);
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#settings.counts.dropped(this.#waiting.length, "failed");
    this.#waiting = [];
  }

  #sendSoon(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  /** Never rejects. A batch is made in a turn of the event loop of its own. */
  async #sendAll(): Promise<void> {
    const { batch, send, counts } = this.#settings;
    while (this.#waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const items = this.#waiting.splice(0, batch);
      try {
        await send(items);
        counts.sent(items.length);
      } catch (thrown) {
        counts.dropped(items.length, "failed", thrown);
      }
    }
  }
}
