import type { CacheCount, CachedAnswerStore, CacheSums } from "../../core/answer/cached-answers.ts";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../observe/log.ts";

const HOUR_MS = 3_600_000;

interface CountDeps {
  readonly store: Pick<CachedAnswerStore, "countCached">;
  readonly clock: Clock;
  readonly log: Log;
}

/** What requests have found since the counts were written last: a process that is killed loses a few seconds of them. */
export class CacheCounts {
  readonly #deps: CountDeps;
  #counts = new Map<string, CacheCount>();

  constructor(deps: CountDeps) {
    this.#deps = deps;
  }

  add(account_id: string, { hits, misses, saved_micro }: CacheSums): void {
    const hour_ms = Math.floor(this.#deps.clock.now_ms() / HOUR_MS) * HOUR_MS;
    const name = `${account_id} ${hour_ms}`;
    const before = this.#counts.get(name) ?? { account_id, hour_ms, hits: 0, misses: 0, saved_micro: 0n };
    this.#counts.set(name, {
      ...{ account_id, hour_ms, hits: before.hits + hits, misses: before.misses + misses },
      saved_micro: before.saved_micro + saved_micro,
    });
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
    const now = this.#counts.get(name) ?? { ...count, hits: 0, misses: 0, saved_micro: 0n };
    this.#counts.set(name, {
      ...count,
      hits: now.hits + count.hits,
      misses: now.misses + count.misses,
      saved_micro: now.saved_micro + count.saved_micro,
    });
  }
}
