import type { KeyRecord } from "../core/principal.ts";

interface Remembered {
  readonly record: KeyRecord;
  readonly until_ms: number;
}

/** Key records by the hash of their key, each for a while, the least recently used forgotten first. Holds no secret. */
export class KeyCache {
  readonly #remembered = new Map<string, Remembered>();
  readonly #hashes = new Map<string, string>();
  readonly #capacity: number;
  readonly #ttl_ms: number;

  constructor(capacity: number, ttl_ms: number) {
    this.#capacity = capacity;
    this.#ttl_ms = ttl_ms;
  }

  get(hash: string, now_ms: number): KeyRecord | null {
    const found = this.#remembered.get(hash);
    if (!found || found.until_ms <= now_ms) return null;
    // A Map keeps the order of insertion, so putting a record back makes it the youngest.
    this.#remembered.delete(hash);
    this.#remembered.set(hash, found);
    return found.record;
  }

  set(hash: string, record: KeyRecord, now_ms: number): void {
    this.#remembered.delete(hash);
    this.#remembered.set(hash, { record, until_ms: now_ms + this.#ttl_ms });
    this.#hashes.set(record.id, hash);
    if (this.#remembered.size > this.#capacity) this.#dropOldest();
  }

  forget(key_id: string): void {
    const hash = this.#hashes.get(key_id);
    if (hash === undefined) return;
    this.#hashes.delete(key_id);
    this.#remembered.delete(hash);
  }

  #dropOldest(): void {
    for (const { record } of this.#remembered.values()) {
      this.forget(record.id);
      return;
    }
  }
}
