import type { KeyRecord } from "../core/principal.ts";

interface Remembered {
  readonly record: KeyRecord;
  readonly until_ms: number;
  /** Whether it was asked for since it was last passed over. */
  in_use: boolean;
}

/**
 * Key records by a digest of their key, each for a while. When there are too many, the oldest goes that was not asked for
 * lately: noting that costs a read nothing, while keeping all in the order of their use would move one on every request.
 * Holds no secret.
 */
export class KeyCache {
  readonly #remembered = new Map<string, Remembered>();
  readonly #digests = new Map<string, string>();
  readonly #capacity: number;
  readonly #ttl_ms: number;

  constructor(capacity: number, ttl_ms: number) {
    this.#capacity = capacity;
    this.#ttl_ms = ttl_ms;
  }

  get(digest: string, now_ms: number): KeyRecord | null {
    const found = this.#remembered.get(digest);
    if (found === undefined || found.until_ms <= now_ms) return null;
    found.in_use = true;
    return found.record;
  }

  set(digest: string, record: KeyRecord, now_ms: number): void {
    this.#remembered.delete(digest);
    this.#remembered.set(digest, { record, until_ms: now_ms + this.#ttl_ms, in_use: false });
    this.#digests.set(record.id, digest);
    if (this.#remembered.size > this.#capacity) this.#dropOne();
  }

  forget(key_id: string): void {
    const digest = this.#digests.get(key_id);
    if (digest === undefined) return;
    this.#digests.delete(key_id);
    this.#remembered.delete(digest);
  }

  #dropOne(): void {
    // A Map keeps the order of insertion, so putting one back makes it the youngest; it comes up once more at the most.
    for (const [digest, remembered] of this.#remembered) {
      if (!remembered.in_use) return this.forget(remembered.record.id);
      remembered.in_use = false;
      this.#remembered.delete(digest);
      this.#remembered.set(digest, remembered);
    }
  }
}
