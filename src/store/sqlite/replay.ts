import type { BookOp } from "../../ledger/books/book-op.ts";
import { type BookResult, decide } from "../../ledger/books/decide.ts";
import { decideAsAcknowledged, describeResult, isSameResult } from "../../ledger/books/decide-as-acknowledged.ts";
import { staleSums } from "../../ledger/books/window-spending.ts";
import { newWorkingSet, type WorkingSet } from "../../ledger/books/working-set.ts";
import { loadMissing, loadSums } from "../batch/load-working-set.ts";
import { writeChanges } from "../batch/write-changes.ts";
import { recordIncident } from "../recovery/incidents.ts";
import { sql } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";
import { readDigest, writeChain } from "./chain.ts";
import type { JournalRow, ReadBatch } from "./journal.ts";
import { outcomeText, packResults } from "./pack-result.ts";

/**
 * Writes what a process left in the journal to the tables. Decisions follow from the rows, the operations and the time alone,
 * so a batch that is decided again after the same batches decides the same. Where it does not, because a row was changed past
 * the gateway or a rule by an update, what was acknowledged counts (docs/rulings.md 148).
 */

const removeOne = sql("DELETE FROM journal WHERE seq = ?");
const countWritten = sql("UPDATE journal SET written_ops = ? WHERE seq = ?");
const refuse = sql(
  "INSERT INTO journal_refused (format, at_ms, texts, batch, outcome, problem) VALUES (?, ?, ?, ?, ?, ?)",
);

/** Thrown when a batch decides otherwise than it was acknowledged. */
export class DecidedOtherwise extends Error {
  override readonly name = "DecidedOtherwise";
}

/**
 * Decides a whole batch again, at its time, and writes it. `done`: the places of operations whose accounts have them already
 * (folded-accounts.ts). Throws DecidedOtherwise when that leads to other results.
 */
export function* replayBatch(row: JournalRow, { ops, acknowledged }: ReadBatch, done: ReadonlySet<number>): Work<void> {
  const left = done.size === 0 ? ops : ops.filter((_, at) => !done.has(at));
  const working = yield* workingSetFor(row, left);
  const results = left.map((op) => decide(working, op));
  if (outcomeText(packResults(results)) !== row.outcome) {
    const expected = acknowledged.filter((_, at) => !done.has(at));
    for (const [at, result] of results.entries()) requireSame(result, expected[at] as BookResult);
  }
  yield* writeChanges(working);
  yield* finish(row, ops.length, ops.length);
}

/** Skips an operation whose changes are written already. */
export function* passOver(row: JournalRow, { ops }: ReadBatch, at: number): Work<void> {
  yield* finish(row, at + 1, ops.length);
}

/** Decides one operation of a batch again and writes it. Throws DecidedOtherwise when that leads to another result. */
export function* replayOne(row: JournalRow, { ops, acknowledged }: ReadBatch, at: number): Work<void> {
  const op = ops[at] as BookOp;
  const working = yield* workingSetFor(row, [op]);
  const result = decide(working, op);
  requireSame(result, acknowledged[at] as BookResult);
  yield* writeChanges(working);
  yield* finish(row, at + 1, ops.length);
}

/** Writes what was acknowledged of one operation, whatever is decided now, with an incident that says so. */
export function* keepAcknowledged(
  row: JournalRow,
  { ops, acknowledged }: ReadBatch,
  at: number,
  why: string,
): Work<void> {
  const op = ops[at] as BookOp;
  const working = yield* workingSetFor(row, [op]);
  decideAsAcknowledged(working, op, acknowledged[at] as BookResult);
  yield* writeChanges(working);
  yield* recordIncident(row.at_ms, "replay_differs", `${nameOf(op)}: ${why}. What was acknowledged was written.`);
  yield* finish(row, at + 1, ops.length);
}

/**
 * Puts one operation aside that its tables refuse, so that it does not stand in the way of all others (docs/rulings.md
 * 134).
 */
export function* putOneAside(row: JournalRow, { ops, acknowledged }: ReadBatch, at: number, why: string): Work<void> {
  const packed = (JSON.parse(row.batch) as { readonly ops: readonly unknown[] }).ops[at];
  const result = acknowledged[at] as BookResult;
  const batch = JSON.stringify({ texts: [], ops: [packed] });
  yield* rows(refuse, [row.format, row.at_ms, row.texts, batch, outcomeText(packResults([result])), why]);
  const problem = `${nameOf(ops[at] as BookOp)}: it could not be written (${why}) and is in journal_refused`;
  const detail = `${problem}. It was acknowledged as ${describeResult(result)}.`;
  yield* recordIncident(row.at_ms, "put_aside", detail);
  yield* finish(row, at + 1, ops.length);
}

/** Puts a batch aside that cannot be read. */
export function* putBatchAside(row: JournalRow, why: string): Work<void> {
  yield* rows(refuse, [row.format, row.at_ms, row.texts, row.batch, row.outcome, why]);
  const detail = `batch ${row.seq} of the journal could not be read (${why}) and is in journal_refused.`;
  yield* recordIncident(row.at_ms, "put_aside", detail);
  yield* finish(row, 1, 1);
}

function* workingSetFor(row: JournalRow, ops: readonly BookOp[]): Work<WorkingSet> {
  const working = newWorkingSet(row.at_ms, { accounts: new Map(), keys: new Map(), requests: new Map() });
  yield* loadMissing(working, ops);
  yield* loadSums(working, staleSums(working, ops));
  return working;
}

function requireSame(decided: BookResult, acknowledged: BookResult): void {
  if (isSameResult(decided, acknowledged)) return;
  throw new DecidedOtherwise(
    `it was acknowledged as ${describeResult(acknowledged)}, and the rows as they are now lead to ${describeResult(decided)}`,
  );
}

/** Takes a batch off the journal when all of its operations are dealt with: the tables then have the chain up to it. */
function* finish(row: JournalRow, done: number, of: number): Work<void> {
  if (done < of) {
    yield* rows(countWritten, [done, row.seq]);
    return;
  }
  yield* rows(removeOne, [row.seq]);
  yield* writeChain({ seq: row.seq, digest: readDigest(row.digest), at_ms: row.at_ms });
}

function nameOf(op: BookOp): string {
  return "request_id" in op ? `${op.op} of ${op.request_id}` : `${op.op} of ${op.key_id}`;
}
