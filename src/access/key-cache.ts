import type { KeyRecord } from "../core/principal.ts";

/** Key records by the hash of their key, the least recently used forgotten first. Holds no secret. */
export class KeyCache {
  readonly #records = new Map<string, KeyRecord>();
  readonly #hashes = new Map<string, string>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#records.size;
  }

  get(hash: string): KeyRecord | null {
    const record = this.#records.get(hash);
    if (!record) return null;
    // A Map keeps the order of insertion, so putting a record back makes it the youngest.
    this.#records.delete(hash);
    this.#records.set(hash, record);
    return record;
  }

  set(hash: string, record: KeyRecord): void {
    this.#records.delete(hash);
    this.#records.set(hash, record);
    this.#hashes.set(record.id, hash);
    if (this.#records.size > this.#capacity) this.#dropOldest();
  }

  forget(key_id: string): void {
    const hash = this.#hashes.get(key_id);
    if (hash === undefined) return;
    this.#hashes.delete(key_id);
    this.#records.delete(hash);
  }

  #dropOldest(): void {
    for (const record of this.#records.values()) {
      this.forget(record.id);
      return;
    }
  }
}
