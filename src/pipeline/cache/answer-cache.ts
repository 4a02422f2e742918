import type { ResponseCipher } from "../../access/response-cipher.ts";
import type { CacheCount, CachedAnswerStore, CachedRow, CacheSums } from "../../core/answer/cached-answers.ts";
import type { ClientRequest } from "../../core/answer/exchange.ts";
import type { Clock } from "../../core/clock.ts";
import type { Later } from "../../core/later.ts";
import type { Micro } from "../../core/money/money.ts";
import { WriteBehind } from "../../core/write-behind.ts";
import type { Log } from "../../observe/log.ts";
import type { Metrics } from "../../observe/metrics.ts";
import { type Compared, comparedBody, comparedHead } from "./asked-same.ts";
import type { CacheAsked } from "./cache-asked.ts";
import { type CachedAnswer, type CachePlace, openAnswer, sealAnswer } from "./cached-answer.ts";
import { EMPTY_STEP } from "./empty-cache.ts";
import { type AskingCall, KnownAskings } from "./known-askings.ts";
import { RecentAnswers } from "./recent-answers.ts";

const HOUR_MS = 3_600_000;

interface CountDeps {
  readonly store: Pick<CachedAnswerStore, "countCached">;
  readonly clock: Clock;
  readonly log: Log;
}

/** What requests have found since the counts were written last: a process that is killed loses a few seconds of them. */
class CacheCounts {
  readonly #deps: CountDeps;
  #counts = new Map<string, CacheCount>();

  constructor(deps: CountDeps) {
    this.#deps = deps;
  }

  add(account_id: string, sums: CacheSums): void {
    const hour_ms = Math.floor(this.#deps.clock.now_ms() / HOUR_MS) * HOUR_MS;
    this.#merge({ account_id, hour_ms, ...sums });
  }

  /** Never rejects: what could not be written is written with the next. */
  async write(): Promise<void> {
    if (this.#counts.size === 0) return;
    const counts = this.#counts;
    this.#counts = new Map();
    try {
      await this.#deps.store.countCached([...counts.values()]);
    } catch (thrown) {
      this.#deps.log.warn({ err: thrown }, "the counts of the cache could not be written; trying on");
      for (const each of counts.values()) this.#merge(each);
    }
  }

  #merge(count: CacheCount): void {
    const name = `${count.account_id} ${count.hour_ms}`;
    const { hits, misses, saved_micro } = this.#counts.get(name) ?? { hits: 0, misses: 0, saved_micro: 0n };
    const sums = {
      hits: hits + count.hits,
      misses: misses + count.misses,
      saved_micro: saved_micro + count.saved_micro,
    };
    this.#counts.set(name, { ...count, ...sums });
  }
}

/** The largest answer that is stored. */
export const MOST_CACHED_BYTES = 8 * 2 ** 20;
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

interface WaitingAnswer {
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
  readonly #waiting: WriteBehind<WaitingAnswer>;
  readonly #recent = new RecentAnswers();
  readonly #askings = new KnownAskings();
  readonly #counts: CacheCounts;
  readonly #timer: Timer;
  /** What was emptied since the last trimming: answers that other processes were just writing are removed then. */
  readonly #emptied = new Map<string | null, number>();
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

  /** Looks whether the letters of a call are known, and returns its request if so: it need not be read anew. */
  recall(call: AskingCall, asked: CacheAsked): ClientRequest | null {
    asked.name = this.#askings.nameOf(call);
    asked.known = asked.name === null ? null : this.#askings.find(asked.name);
    // This style has one more header, which is checked when a request is read.
    return call.endpoint === "messages" ? null : (asked.known?.request ?? null);
  }

  /** The place of the answer to a request that may be cached. */
  placeOf(account_id: string, { name, known }: CacheAsked, request: ClientRequest, compared: Compared): CachePlace {
    const { model, shows_cost } = compared;
    if (known !== null && known.model === model && known.shows_cost === shows_cost) return known.place;
    const asks = `${comparedHead(request, compared)}\n${comparedBody(request)}`;
    const place = { account_id, key: this.#deps.cipher.keyOf(account_id, asks) };
    if (name !== null) this.#askings.keep(name, { request, model, shows_cost, place });
    return place;
  }

  /**
   * The answer that is stored, if it is not older than is accepted; null also where the database cannot be read. Synchronous where it is in this
   * process's memory.
   */
  find(place: CachePlace, most_age_ms: number): Later<CachedAnswer | null> {
    const name = nameOf(place);
    const now_ms = this.#deps.clock.monotonic_ms();
    const waiting = this.#waiting.find(name);
    if (waiting === undefined)
      return this.#recent.find(name, most_age_ms, now_ms) ?? this.#read(place, name, most_age_ms, now_ms);
    const age_ms = now_ms - waiting.since_ms;
    return age_ms <= Math.min(most_age_ms, waiting.keep_ms) ? waiting.answer : null;
  }

  async #read(place: CachePlace, name: string, most_age_ms: number, now_ms: number): Promise<CachedAnswer | null> {
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

  /** Forgets what is in memory of an account's answers, or of all for null, which are removed from the database until a time. */
  forget(account_id: string | null, until_ms: number | null): void {
    this.#recent.empty(account_id);
    this.#waiting.drop(({ place }) => account_id === null || place.account_id === account_id);
    if (until_ms !== null) this.#emptied.set(account_id, until_ms);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closed = true;
    await this.#waiting.close();
    await this.#trimming;
    await this.#counts.write();
  }

  async #put(batch: readonly WaitingAnswer[]): Promise<void> {
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
      await this.#emptyAgain();
      while (!this.#closed && (await store.trimCached(keep_bytes, TRIM_STEP)) === TRIM_STEP);
    } catch (thrown) {
      log.warn({ err: thrown }, "cached answers that are over could not be removed");
    }
  }

  async #emptyAgain(): Promise<void> {
    for (const [account_id, until_ms] of this.#emptied) {
      this.#emptied.delete(account_id);
      const { removed } = await this.#deps.store.emptyCached(account_id, until_ms, EMPTY_STEP);
      if (removed >= EMPTY_STEP) this.#emptied.set(account_id, until_ms);
    }
  }
}

function nameOf({ account_id, key }: CachePlace): string {
  return `${account_id} ${key}`;
}
