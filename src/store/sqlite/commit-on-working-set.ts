import { type BookOp, namedAccount } from "../../ledger/books/book-op.ts";
import { type BookResult, decide } from "../../ledger/books/decide.ts";
import { type StaleSum, staleSums } from "../../ledger/books/window-spending.ts";
import type { WorkingSet } from "../../ledger/books/working-set.ts";
import { loadMissing, loadSums } from "../batch/load-working-set.ts";
import { onSqlite } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";
import { type ChainEnd, linkCommit } from "./chain.ts";
import { endJournal, foldAll, foldStep, writeAccounts } from "./fold.ts";
import { appendToJournal, type JournalBatch, NOTHING_WAITS } from "./journal.ts";
import type { OpenWorkingSet } from "./open-working-set.ts";
import { outcomeText, type PackedResults, packResults } from "./pack-result.ts";

/** The most rows that may wait, and the most commits in the journal: waiting rows take about 300 bytes of memory each. */
const ROWS_AT_MOST = 40_000;
const COMMITS_AT_MOST = 10_000;

export interface Batch {
  readonly ops: readonly BookOp[];
  /** The batch in the journal's form; null where the journal cannot express it. */
  readonly for_journal: JournalBatch | null;
}

export interface Committed {
  readonly results: readonly BookResult[];
  readonly packed: PackedResults;
  /** `packed` as JSON, where the journal has it. */
  readonly outcome: string | null;
  /** The chain's end after the batch. */
  readonly end: ChainEnd;
}

/** Thrown when another connection has changed the data under a working set with operations that wait. */
export class ChangedElsewhere extends Error {}

/**
 * Commits a batch on the writer's open working set: decides it in memory and appends it to the journal, which is one row in
 * place of all the rows that it changes. Those are written later, together with the changes of other batches. Where a batch cannot wait, what its
 * accounts wait with is written at once.
 */
export function* commitOnWorkingSet(
  open: OpenWorkingSet,
  { ops, for_journal }: Batch,
  now_ms: number,
  end: ChainEnd,
): Work<Committed> {
  yield* holdToVersion(open);
  open.turnTo(now_ms);
  yield* loadMissing(open.working, ops);
  const stale = staleSums(open.working, ops);
  if (stale.length > 0) {
    // The sums are computed from the days' usage rows, which lack usage that waits.
    const waiting = open.waiting.of(stale.map(({ account_id }) => account_id));
    if (waiting.length > 0) {
      yield* writeAccounts(open, waiting, end.seq);
      // Writing the waiting accounts removed ended requests from the working set, so they are loaded again.
      yield* loadMissing(open.working, ops);
    }
    yield* loadSums(open.working, stale);
  }
  const { working } = open;
  const results = ops.map((op) => decide(working, op));
  const packed = packResults(results);
  if (ops.length === 0) return { results, packed, outcome: null, end };
  if (for_journal === null || !canWait(working, ops, stale)) {
    return { results, packed, outcome: null, end: yield* writeAtOnce(open, ops, now_ms, end) };
  }
  const outcome = outcomeText(packed);
  open.journal_after ??= end.seq;
  const next = yield* appendToJournal(end, now_ms, for_journal, outcome);
  open.letWait(next.seq);
  open.endBatch();
  yield* makeRoom(open, next);
  return { results, packed, outcome, end: next };
}

/** Writes a decided batch together with all waiting changes of its accounts. Returns the chain's end after it. */
function* writeAtOnce(open: OpenWorkingSet, ops: readonly BookOp[], now_ms: number, end: ChainEnd): Work<ChainEnd> {
  const { working, waiting } = open;
  const named = accountsOf(working, ops);
  const grown = open.letWait(end.seq + 1);
  const concerned = [...new Set([...grown, ...waiting.of(named)])];
  if (waiting.size === concerned.length) {
    const next = linkCommit(end, now_ms);
    yield* writeAccounts(open, concerned, next.seq, working);
    yield* endJournal(open, next);
    open.endBatch();
    return next;
  }
  // The journal's commits follow each other without a gap, so this one has its place among those of others that wait.
  open.journal_after ??= end.seq;
  const next = yield* appendToJournal(end, now_ms, NOTHING_WAITS, outcomeText([]));
  yield* writeAccounts(open, concerned, next.seq, working);
  open.endBatch();
  return next;
}

/**
 * The accounts that operations name. The working set's list of changes does not have all of them: a row that waits already was
 * listed by the batch that changed it first.
 */
function accountsOf({ requests }: WorkingSet, ops: readonly BookOp[]): readonly string[] {
  const ids = ops.map(
    (op) => namedAccount(op) ?? ("request_id" in op ? requests.get(op.request_id)?.account_id : null),
  );
  return ids.filter((id) => typeof id === "string");
}

/** Writes some of the waiting rows where there are too many: the writer had no idle time for them. */
function* makeRoom(open: OpenWorkingSet, end: ChainEnd): Work<void> {
  const { waiting, journal_after } = open;
  const is_full = waiting.rows > ROWS_AT_MOST || end.seq - (journal_after ?? end.seq) > COMMITS_AT_MOST;
  if (is_full) waiting.beginRound();
  if (is_full || waiting.isOverdue) yield* foldStep(open, end);
}

export function* writeWaiting(open: OpenWorkingSet, end: ChainEnd): Work<void> {
  yield* holdToVersion(open);
  yield* foldAll(open, end);
}

/** Writes waiting rows for a few milliseconds. */
export function* writeSome(open: OpenWorkingSet, end: ChainEnd, most_rows?: number): Work<void> {
  yield* holdToVersion(open);
  yield* foldStep(open, end, most_rows);
}

/**
 * Whether a batch may wait. Stored answers and rules of automatic top-ups are read anew for each batch, so their changes are
 * written at once; so are the sums that were just made.
 */
function canWait(working: WorkingSet, ops: readonly BookOp[], stale: readonly StaleSum[]): boolean {
  if (stale.length > 0 || working.ruled_accounts.length > 0) return false;
  return !ops.some((op) => hasIdempotencyKey(working, op));
}

function hasIdempotencyKey(working: WorkingSet, op: BookOp): boolean {
  if (op.op === "admit") return op.idempotency !== null;
  if (op.op === "count-refusal") return false;
  const request = working.requests.get(op.request_id);
  return request !== undefined && request.idempotency_key !== null;
}

/** A number that differs when another connection has committed since the statement last ran. */
const dataVersion = onSqlite("PRAGMA data_version");

function* holdToVersion(open: OpenWorkingSet): Work<void> {
  const [found] = yield* rows<{ data_version: unknown }>(dataVersion);
  if (open.isOf(found?.data_version)) return;
  if (open.isWaiting) throw new ChangedElsewhere("another connection has changed the database");
  open.begin(found?.data_version);
}
