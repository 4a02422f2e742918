import type { CachedAnswerStore } from "../../core/answer/cached-answers.ts";

/** How many answers go in one transaction: the ledger's batches run in between. */
export const EMPTY_STEP = 1000;

/** Has processes forget what they have in memory of an account's stored answers, or of all for null, that came until a time. */
type Forget = (account_id: string | null, until_ms: number | null) => void;

/**
 * Removes the stored answers of an account, or all for null, and resolves with how many there were (docs/rulings.md 183). What other nodes have in
 * memory is given for two seconds more.
 */
export async function emptyCache(
  store: Pick<CachedAnswerStore, "emptyCached">,
  account_id: string | null,
  forget: Forget,
): Promise<number> {
  forget(account_id, null);
  let all = 0;
  for (let until_ms: number | null = null; ; ) {
    const step = await store.emptyCached(account_id, until_ms, EMPTY_STEP);
    all += step.removed;
    until_ms = step.until_ms;
    if (step.removed < EMPTY_STEP) {
      forget(account_id, until_ms);
      return all;
    }
  }
}
