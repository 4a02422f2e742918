import type { BookOp } from "../../ledger/books/book-op.ts";
import { type BookResult, decide } from "../../ledger/books/decide.ts";
import { staleSums } from "../../ledger/books/window-spending.ts";
import type { WorkingSet } from "../../ledger/books/working-set.ts";
import type { Dialect } from "../sql/statement.ts";
import { lastly, type Step, type Work } from "../sql/work.ts";
import { loadLocked, type OwnerOf } from "./load-locked.ts";
import { loadSums, loadWorkingSet } from "./load-working-set.ts";
import type { SharedTexts } from "./shared-texts.ts";
import { changeSteps, writeChanges } from "./write-changes.ts";

/**
 * Commits operations together: loads the rows that they concern, has the ledger decide one after the other in memory, and
 * writes what changed. One transaction; results in the order of the operations.
 */
export function* commitBatch(dialect: Dialect, ops: readonly BookOp[], texts?: SharedTexts): Work<BookResult[]> {
  const working = yield* dialect === "postgres" ? loadLocked(ops) : loadWorkingSet(ops);
  return yield* commitLoaded(working, ops, texts);
}

/** Commits operations on a working set that has the rows that they concern. */
function* commitLoaded(working: WorkingSet, ops: readonly BookOp[], texts?: SharedTexts): Work<BookResult[]> {
  yield* loadSums(working, staleSums(working, ops));
  const results = ops.map((op) => decide(working, op));
  yield* writeChanges(working, texts);
  return results;
}

interface AloneOptions {
  readonly texts: SharedTexts;
  readonly ownerOf?: OwnerOf;
  readonly beside?: readonly Step[];
}

/** Commits operations as `commitBatch` does on PostgreSQL, where they are all that their transaction does. */
export function* commitAlone(ops: readonly BookOp[], options: AloneOptions): Work<BookResult[]> {
  const { texts, ownerOf, beside = [] } = options;
  const working = yield* loadLocked(ops, ownerOf);
  yield* loadSums(working, staleSums(working, ops));
  const results = ops.map((op) => decide(working, op));
  const steps = yield* changeSteps(working, texts);
  if (steps.length + beside.length > 0) yield lastly([...steps, ...beside]);
  return results;
}
