import type { ResponseCipher } from "../../access/response-cipher.ts";
import type { CachedAnswerStore, CachedRow } from "../../core/answer/cached-answers.ts";
import type { ClientRequest } from "../../core/answer/exchange.ts";
import { COST_MARK } from "../../core/answer/shown-cost.ts";
import type { Clock } from "../../core/clock.ts";
import type { Micro } from "../../core/money/money.ts";
import { WriteBehind } from "../../core/write-behind.ts";
import type { Log } from "../../observe/log.ts";
import type { Metrics } from "../../observe/metrics.ts";
import { comparedBody } from "./asked-same.ts";
import { CacheCounts } from "./cache-counts.ts";
import { type CachedAnswer, openAnswer, sealAnswer } from "./cached-answer.ts";
import { RecentAnswers } from "./recent-answers.ts";

/** The largest answer that is stored. */
export const MOST_CACHED_BYTES = 8 * 2 ** 20;
/** Of how many requests the places are known by their letters, and how long these may be. */
const MOST_KNOWN = 256;
const LONGEST_KNOWN = 8192;
const TRIM_EVERY_MS = 5000;
const TRIM_STEP = 100;

export interface CacheDeps {
  readonly store: CachedAnswerStore;
  readonly cipher: ResponseCipher;
  /** The bound of all answers of all accounts. */
  readonly keep_bytes: number;
  readonly write_after_ms: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "cache_stores" | "cache_saved">;
}

/** Whose answer it is, and under which key. */
export interface CachePlace {
  readonly account_id: string;
  readonly key: string;
}

interface Waiting {
  readonly place: CachePlace;
  readonly answer: CachedAnswer;
  readonly keep_ms: number;
  readonly since_ms: number;
}

/**
 * The answers that are given again (docs/rulings.md 183). No request waits for an answer to be written: until it is, this process finds it
 * among the waiting ones. What cannot be written or read is counted, and the request goes on without.
 */
export class AnswerCache {
  readonly #deps: CacheDeps;
  readonly #waiting: WriteBehind<Waiting>;
  readonly #recent = new RecentAnswers();
  readonly #places = new Map<string, CachePlace>();
  readonly #counts: CacheCounts;
  readonly #timer: Timer;
  #trimming: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(deps: CacheDeps) {
    this.#deps = deps;
    this.#counts = new CacheCounts(deps);
    this.#waiting = new WriteBehind({
      bytesOf: ({ answer }) => answer.body.byteLength,
      put: (batch) => this.#put(batch),
      write_after_ms: deps.write_after_ms,
    });
    this.#timer = setInterval(() => {
      this.#trimming = this.#trimming.then(() => this.#trim());
    }, TRIM_EVERY_MS);
    this.#timer.unref();
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** The place of the answer to a request. `head` is what it shares with requests that are the same beside its body. */
  placeOf(account_id: string, head: string, request: ClientRequest): CachePlace {
    // The same letters ask for the same: what is asked again and again is taken apart once.
    const name = request.text.length > LONGEST_KNOWN ? null : `${account_id}\n${head}\n${request.text}`;
    const known = name === null ? undefined : this.#places.get(name);
    if (known !== undefined) return known;
    const key = this.#deps.cipher.keyOf(account_id, `${head}\n${comparedBody(request)}`);
    const place = { account_id, key };
    if (name === null) return place;
    if (this.#places.size >= MOST_KNOWN) this.#places.clear();
    this.#places.set(name, place);
    return place;
  }

  /** The answer that is stored, if it is not older than is accepted; null also where the database cannot be read. */
  async find(place: CachePlace, most_age_ms: number): Promise<CachedAnswer | null> {
    const name = nameOf(place);
    const now_ms = this.#deps.clock.monotonic_ms();
    const waiting = this.#waiting.find(name);
    if (waiting !== undefined) {
      const age_ms = now_ms - waiting.since_ms;
      return age_ms <= Math.min(most_age_ms, waiting.keep_ms) ? waiting.answer : null;
    }
    const recent = this.#recent.find(name, most_age_ms, now_ms);
    if (recent !== null) return recent;
    try {
      const found = await this.#deps.store.findCached(place.account_id, place.key, most_age_ms);
      if (found === null) return null;
      const answer = await openAnswer(this.#deps.cipher, place, found.content);
      if (answer === null) this.#deps.metrics.cache_stores.add(1, "unreadable");
      else this.#recent.keep(name, answer, { since_ms: now_ms - found.age_ms, left_ms: found.left_ms }, now_ms);
      return answer;
    } catch (thrown) {
      this.#deps.metrics.cache_stores.add(1, "unreadable");
      this.#deps.log.warn({ err: thrown }, "the cache of answers could not be read: the request is answered anew");
      return null;
    }
  }

  /** Stores an answer, in the background. */
  keep(place: CachePlace, answer: CachedAnswer, keep_ms: number): void {
    const { metrics, clock } = this.#deps;
    if (answer.body.byteLength > MOST_CACHED_BYTES) return metrics.cache_stores.add(1, "too_large");
    const waiting = { place, answer, keep_ms, since_ms: clock.monotonic_ms() };
    if (!this.#waiting.add(nameOf(place), waiting)) metrics.cache_stores.add(1, "no_room");
  }

  hit(account_id: string, model: string, saved_micro: Micro): void {
    this.#counts.add(account_id, { hits: 1, misses: 0, saved_micro });
    this.#deps.metrics.cache_saved.add(Number(saved_micro), model);
  }

  missed(account_id: string): void {
    this.#counts.add(account_id, { hits: 0, misses: 1, saved_micro: 0n });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closed = true;
    await this.#waiting.close();
    await this.#trimming;
    await this.#counts.write();
  }

  async #put(batch: readonly Waiting[]): Promise<void> {
    const { store, cipher, metrics, log, clock } = this.#deps;
    try {
      const rows: CachedRow[] = [];
      for (const { place, answer, keep_ms, since_ms } of batch) {
        const { account_id, key } = place;
        const content = await sealAnswer(cipher, place, answer);
        const age_ms = Math.floor(clock.monotonic_ms() - since_ms);
        rows.push({ account_id, answer_key: key, content, age_ms, keep_ms });
      }
      await store.putCached(rows);
      metrics.cache_stores.add(rows.length, "kept");
    } catch (thrown) {
      metrics.cache_stores.add(batch.length, "failed");
      log.warn({ err: thrown }, "answers could not be stored for the cache: they are dropped");
    }
    const now_ms = clock.monotonic_ms();
    for (const each of batch) {
      const { place, answer, keep_ms, since_ms } = each;
      const name = nameOf(place);
      if (this.#waiting.find(name) !== each) continue;
      this.#recent.keep(name, answer, { since_ms, left_ms: since_ms + keep_ms - now_ms }, now_ms);
    }
  }

  /** Removes what is over in small steps, between which the ledger's batches run, and writes the counts. */
  async #trim(): Promise<void> {
    const { store, keep_bytes, log, clock } = this.#deps;
    this.#recent.sweep(clock.monotonic_ms());
    try {
      await this.#counts.write();
      while (!this.#closed && (await store.trimCached(keep_bytes, TRIM_STEP)) === TRIM_STEP);
    } catch (thrown) {
      log.warn({ err: thrown }, "cached answers that are over could not be removed");
    }
  }
}

function nameOf({ account_id, key }: CachePlace): string {
  return `${account_id} ${key}`;
}

/** The bytes of a stored answer under this process's mark of the cost. */
export function bodyOf({ body, mark }: CachedAnswer): Buffer {
  const copy = Buffer.from(body);
  const at = mark === COST_MARK ? -1 : copy.lastIndexOf(mark);
  // All marks have one length.
  if (at !== -1) copy.write(COST_MARK, at, "latin1");
  return copy;
}
