/** How much may wait in this process: while the database cannot be written, further items are dropped. */
const WAITING_BYTES = 32 * 2 ** 20;
/** The size of one transaction, unless it is said: where there is one writer, the ledger's batches wait for it. */
const BATCH = 64;
const BATCH_BYTES = 2 ** 20;

interface WaitingItem<Item> {
  readonly item: Item;
  readonly bytes: number;
}

interface WriteBehindParts<Item> {
  readonly bytesOf: (item: Item) => number;
  /** Writes a few of them in one transaction. Never rejects: what cannot be written is lost. */
  readonly put: (batch: readonly Item[]) => Promise<void>;
  /** How many it writes at most together. */
  readonly most?: number;
  /** How long a few of them wait for others. */
  readonly write_after_ms: number;
}

/** What a process writes behind its answers, several in one transaction: no request waits for it, and until it is written it is found by its name. */
export class WriteBehind<Item> {
  readonly #parts: WriteBehindParts<Item>;
  readonly #waiting = new Map<string, WaitingItem<Item>>();
  #bytes = 0;
  #writing: Promise<void> | null = null;
  #closed = false;

  constructor(parts: WriteBehindParts<Item>) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#waiting.size;
  }

  find(name: string): Item | undefined {
    return this.#waiting.get(name)?.item;
  }

  /** Has an item written, in place of one with its name that still waits. False where there is no room for it. */
  add(name: string, item: Item): boolean {
    this.#forget(name);
    const bytes = this.#parts.bytesOf(item);
    if (this.#closed || this.#bytes + bytes > WAITING_BYTES) return false;
    this.#waiting.set(name, { item, bytes });
    this.#bytes += bytes;
    this.#writing ??= Bun.sleep(this.#parts.write_after_ms).then(() => this.#write());
    return true;
  }

  /** Forgets items that still wait: those that are just being written will be there all the same. */
  drop(isDropped: (item: Item) => boolean): void {
    for (const [name, { item }] of this.#waiting) if (isDropped(item)) this.#forget(name);
  }

  /** Resolves once everything that waits is written. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.size > 0) {
      const batch = this.#nextBatch();
      await this.#parts.put(batch.map(([, { item }]) => item));
      for (const [name, waiting] of batch) if (this.#waiting.get(name) === waiting) this.#forget(name);
      if (this.#isFew && !this.#closed) await Bun.sleep(this.#parts.write_after_ms);
    }
    this.#writing = null;
  }

  /** Whether those that wait are better written with others that come meanwhile. */
  get #isFew(): boolean {
    return this.#waiting.size > 0 && this.#waiting.size < (this.#parts.most ?? BATCH);
  }

  #nextBatch(): [string, WaitingItem<Item>][] {
    const batch: [string, WaitingItem<Item>][] = [];
    const { most = BATCH } = this.#parts;
    let bytes = 0;
    for (const each of this.#waiting) {
      bytes += each[1].bytes;
      if (batch.length > 0 && (batch.length === most || bytes > BATCH_BYTES)) break;
      batch.push(each);
    }
    return batch;
  }

  #forget(name: string): void {
    const waiting = this.#waiting.get(name);
    if (waiting === undefined) return;
    this.#waiting.delete(name);
    this.#bytes -= waiting.bytes;
  }
}
