import type { CachedAnswer } from "./cached-answer.ts";

/** How long an answer is given again without a look at the database: another process may have replaced it. */
const RECENT_MS = 2000;
/** The most bytes of answers, and the size up to which one is kept here: it costs as much to read as to decrypt. */
const RECENT_BYTES = 16 * 2 ** 20;
const LARGEST_BYTES = 2 ** 20;

interface Recent {
  readonly answer: CachedAnswer;
  /** When the answer came, and until when it may be given from here, both by the monotonic clock. */
  readonly since_ms: number;
  readonly until_ms: number;
}

/** The answers that this process has read or written in the last two seconds, so that the same question again and again costs no read. */
export class RecentAnswers {
  readonly #found = new Map<string, Recent>();
  #bytes = 0;

  /** Null for an answer that is not here, or is older than is accepted. */
  find(name: string, most_age_ms: number, now_ms: number): CachedAnswer | null {
    const recent = this.#found.get(name);
    if (recent === undefined) return null;
    if (now_ms < recent.until_ms) return now_ms - recent.since_ms <= most_age_ms ? recent.answer : null;
    this.forget(name);
    return null;
  }

  /** Keeps an answer that came at `since_ms`, unless a newer one is here. */
  keep(
    name: string,
    answer: CachedAnswer,
    { since_ms, left_ms }: { since_ms: number; left_ms: number },
    now_ms: number,
  ) {
    if ((this.#found.get(name)?.since_ms ?? since_ms) > since_ms) return;
    this.forget(name);
    const bytes = answer.body.byteLength;
    if (bytes > LARGEST_BYTES) return;
    for (const [oldest, { until_ms }] of this.#found) {
      if (until_ms > now_ms && this.#bytes + bytes <= RECENT_BYTES) break;
      this.forget(oldest);
    }
    this.#found.set(name, { answer, since_ms, until_ms: now_ms + Math.min(left_ms, RECENT_MS) });
    this.#bytes += bytes;
  }

  /** Forgets the answers of an account, or all for null. */
  empty(account_id: string | null): void {
    for (const name of this.#found.keys())
      if (account_id === null || name.startsWith(`${account_id} `)) this.forget(name);
  }

  sweep(now_ms: number): void {
    for (const [name, { until_ms }] of this.#found) if (until_ms <= now_ms) this.forget(name);
  }

  forget(name: string): void {
    const recent = this.#found.get(name);
    if (recent === undefined) return;
    this.#found.delete(name);
    this.#bytes -= recent.answer.body.byteLength;
  }
}
