import type { KeyRecord, KeyVersion } from "../core/people/principal.ts";

interface Remembered {
  readonly record: KeyRecord;
  /** When the record was current for the last time that anybody asked. */
  as_of_ms: number;
  used_ms: number;
  /** Whether the record was used since the eviction last passed over it. */
  in_use: boolean;
}

/**
 * Key records by a digest of their key, each for a limited time. A full cache evicts the oldest record that was not
 * used lately: marking a use is cheap, while an order by last use would move a record on every request. Holds no
 * secret (docs/rulings.md 135).
 */
export class KeyCache {
  readonly #remembered = new Map<string, Remembered>();
  /** The digests of each key: one, or two while the secret before its last roll is valid. */
  readonly #digests = new Map<string, string | readonly string[]>();
  readonly #capacity: number;
  readonly #ttl_ms: number;

  constructor(capacity: number, ttl_ms: number) {
    this.#capacity = capacity;
    this.#ttl_ms = ttl_ms;
  }

  get(digest: string, now_ms: number): KeyRecord | null {
    const found = this.#remembered.get(digest);
    if (found === undefined || found.as_of_ms + this.#ttl_ms <= now_ms) return null;
    found.in_use = true;
    found.used_ms = now_ms;
    return found.record;
  }

  set(digest: string, record: KeyRecord, now_ms: number): void {
    this.#remembered.delete(digest);
    this.#remembered.set(digest, { record, as_of_ms: now_ms, used_ms: now_ms, in_use: false });
    this.#digests.set(record.id, withDigest(this.#digests.get(record.id), digest));
    if (this.#remembered.size > this.#capacity) this.#dropOne();
  }

  usedSince(since_ms: number): KeyVersion[] {
    const used: KeyVersion[] = [];
    for (const { record, used_ms, as_of_ms } of this.#remembered.values())
      if (used_ms >= since_ms) used.push({ id: record.id, version: record.version, as_of_ms });
    return used;
  }

  /** Takes note that a key was still of a version at a moment. */
  confirm({ id, version }: KeyVersion, at_ms: number): void {
    for (const digest of digestsIn(this.#digests.get(id))) {
      const found = this.#remembered.get(digest);
      if (found?.record.version === version) found.as_of_ms = Math.max(found.as_of_ms, at_ms);
    }
  }

  forget(key_id: string): void {
    for (const digest of digestsIn(this.#digests.get(key_id))) this.#remembered.delete(digest);
    this.#digests.delete(key_id);
  }

  #dropOne(): void {
    // A Map keeps insertion order, so a record that is put back becomes the youngest; each comes up at most twice.
    for (const [digest, remembered] of this.#remembered) {
      if (!remembered.in_use) return this.forget(remembered.record.id);
      remembered.in_use = false;
      this.#remembered.delete(digest);
      this.#remembered.set(digest, remembered);
    }
  }
}

/** The digests of a key with one more: forgetting the key forgets them all. */
function withDigest(known: string | readonly string[] | undefined, digest: string): string | readonly string[] {
  if (known === undefined || known === digest) return digest;
  return [...digestsIn(known).filter((each) => each !== digest), digest];
}

function digestsIn(known: string | readonly string[] | undefined): readonly string[] {
  return known === undefined ? [] : typeof known === "string" ? [known] : known;
}
