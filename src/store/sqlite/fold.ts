import type { WorkingSet } from "../../ledger/books/working-set.ts";
import { writeChanges } from "../batch/write-changes.ts";
import { updateEach } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";
import { type ChainEnd, writeChain } from "./chain.ts";
import { cutJournal, emptyJournal } from "./journal.ts";
import type { OpenWorkingSet } from "./open-working-set.ts";
import { changesOf, type WaitingAccount } from "./waiting-accounts.ts";

/** How many rows of the journal one step removes: each takes several pages. */
const REMOVED_AT_ONCE = 100;

const updateAccounts = updateEach(
  "accounts",
  {
    balance_micro: "bigint",
    held_micro: "bigint",
    posted_micro: "bigint",
    entry_count: "bigint",
    folded_seq: "bigint",
  },
  { id: "text" },
);

/**
 * Writes the waiting rows of some accounts, and with them the commit up to which these are complete: the journal's batches up to there are
 * not done again (replay.ts). `batch`: the working set of a batch whose records of idempotency keys and rules of top-ups are written too.
 */
export function* writeAccounts(
  open: OpenWorkingSet,
  accounts: readonly WaitingAccount[],
  folded_seq: number,
  batch: WorkingSet | null = null,
): Work<void> {
  const changes = changesOf(open.working, accounts);
  const of_batch = batch === null ? {} : takenFrom(batch);
  yield* writeChanges({ ...changes, ...of_batch }, open.texts);
  yield* rows(
    updateAccounts,
    accounts.map(({ account: { id, wallet, entry_count } }) => [
      ...[wallet.balance_micro, wallet.held_micro, wallet.posted_micro],
      ...[entry_count, folded_seq, id],
    ]),
  );
  open.written(accounts);
}

function takenFrom({ ruled_accounts, idempotency, idempotency_ends, idempotency_deletes }: WorkingSet) {
  return { ruled_accounts, idempotency, idempotency_ends, idempotency_deletes };
}

/** Writes all that waits, and empties the journal. `end`: the last commit. */
export function* foldAll(open: OpenWorkingSet, end: ChainEnd): Work<void> {
  const all = open.waiting.all();
  if (all.length > 0) yield* writeAccounts(open, all, end.seq);
  if (open.journal_after !== null) yield* endJournal(open, end);
}

/** Takes note that the tables have everything. `end`: the last commit. */
export function* endJournal(open: OpenWorkingSet, end: ChainEnd): Work<void> {
  if (open.journal_after !== null) yield* emptyJournal();
  yield* writeChain(end);
  open.journal_after = null;
}

/** Writes some waiting rows, or removes batches that the journal no longer needs: a few milliseconds of work. */
export function* foldStep(open: OpenWorkingSet, end: ChainEnd, most_rows?: number): Work<void> {
  const accounts = open.waiting.next(most_rows);
  if (accounts.length > 0) yield* writeAccounts(open, accounts, end.seq);
  if (!open.waiting.isInRound) yield* shortenJournal(open, end);
}

function* shortenJournal(open: OpenWorkingSet, end: ChainEnd): Work<void> {
  const { journal_after } = open;
  if (journal_after === null) return;
  const needless = (open.waiting.since_seq ?? end.seq + 1) - 1;
  const through = Math.min(needless, journal_after + REMOVED_AT_ONCE);
  open.is_shortening = through < needless;
  if (through === end.seq) return yield* endJournal(open, end);
  if (through === journal_after) return;
  yield* writeChain(yield* cutJournal(through));
  open.journal_after = through;
}
