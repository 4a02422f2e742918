import { dayOf } from "../../limits/windows.ts";
import type { BookOp } from "../../ledger/books/book-op.ts";
import { type BookResult, decide } from "../../ledger/books/decide.ts";
import { staleSums, type StaleSum } from "../../ledger/books/window-spending.ts";
import { loadMissing, loadSums } from "../batch/load-working-set.ts";
import type { WorkingSet } from "../../ledger/books/working-set.ts";
import { writeChanges } from "../batch/write-changes.ts";
import { sqlFor } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";
import { type ChainEnd, linkCommit, writeChain } from "./chain.ts";
import { appendToJournal, emptyJournal, type JournalBatch } from "./journal.ts";
import type { OpenWorkingSet } from "./open-working-set.ts";
import { outcomeText, type PackedResults, packResults } from "./pack-result.ts";

/** So many operations may wait at most: they wait in memory, and all of them are written in one commit. */
const WAITING_AT_MOST = 1024;

export interface Batch {
  readonly ops: readonly BookOp[];
  /** The batch as the journal would keep it; null where the journal cannot. */
  readonly for_journal: JournalBatch | null;
}

/** A batch that was committed. */
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
 * place of all the rows that it changes. Now and then, and where a batch needs it, everything that waits is written to its
 * tables instead.
 */
export function* commitOnWorkingSet(
  open: OpenWorkingSet,
  { ops, for_journal }: Batch,
  now_ms: number,
  end: ChainEnd,
): Work<Committed> {
  yield* holdToVersion(open);
  // All usage that waits is of one day.
  if (open.waiting_ops > 0 && open.working.day !== dayOf(now_ms)) yield* write(open, end);
  open.turnTo(now_ms);
  yield* loadMissing(open.working, ops);
  if (open.waiting_ops > 0 && staleSums(open.working, ops).length > 0) {
    // The sums are made of the days' usage rows, and usage that waits is not in them yet.
    yield* write(open, end);
    yield* loadMissing(open.working, ops);
  }
  const stale = staleSums(open.working, ops);
  yield* loadSums(open.working, stale);
  const { working } = open;
  const results = ops.map((op) => decide(working, op));
  const packed = packResults(results);
  if (for_journal !== null && ops.length > 0 && canWait(open, ops, stale)) {
    const outcome = outcomeText(packed);
    const next = yield* appendToJournal(end, now_ms, for_journal, outcome);
    open.letWait(ops.length);
    return { results, packed, outcome, end: next };
  }
  if (ops.length === 0) return { results, packed, outcome: null, end };
  const next = linkCommit(end, now_ms);
  yield* write(open, next);
  return { results, packed, outcome: null, end: next };
}

/** Writes all operations that wait to their tables. */
export function* writeWaiting(open: OpenWorkingSet, end: ChainEnd): Work<void> {
  yield* holdToVersion(open);
  if (open.waiting_ops > 0) yield* write(open, end);
}

/** Writes everything that waits. The tables then have all commits up to the end of the chain. */
function* write(open: OpenWorkingSet, end: ChainEnd): Work<void> {
  yield* writeChanges(open.working, open.texts);
  if (open.waiting_ops > 0) yield* emptyJournal();
  yield* writeChain(end);
  open.written();
}

/**
 * Whether a batch may wait. Stored answers and rules of automatic top-ups are read anew for each batch, so their changes are
 * written at once; so are the sums that were just made.
 */
function canWait(open: OpenWorkingSet, ops: readonly BookOp[], stale: readonly StaleSum[]): boolean {
  if (open.waiting_ops + ops.length > WAITING_AT_MOST || stale.length > 0) return false;
  const { working } = open;
  return working.ruled_accounts.length === 0 && !ops.some((op) => hasIdempotencyKey(working, op));
}

function hasIdempotencyKey(working: WorkingSet, op: BookOp): boolean {
  if (op.op === "admit") return op.idempotency_key !== null;
  if (op.op === "count-refusal") return false;
  const request = working.requests.get(op.request_id);
  return request !== undefined && request.idempotency_key !== null;
}

/** A number that differs when another connection has committed since the statement last ran. */
const dataVersion = sqlFor({ sqlite: "PRAGMA data_version", postgres: "" });

function* holdToVersion(open: OpenWorkingSet): Work<void> {
  const [found] = yield* rows<{ data_version: unknown }>(dataVersion);
  if (open.isOf(found?.data_version)) return;
  if (open.waiting_ops > 0) throw new ChangedElsewhere("another connection has changed the database");
  open.begin(found?.data_version);
}
