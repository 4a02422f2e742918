import type { BookOp } from "../../ledger/books/book-op.ts";
import { type BookResult, decide } from "../../ledger/books/decide.ts";
import { staleSums } from "../../ledger/books/window-spending.ts";
import type { WorkingSet } from "../../ledger/books/working-set.ts";
import type { Dialect } from "../sql/statement.ts";
import type { Work } from "../sql/work.ts";
import type { SharedTexts } from "./shared-texts.ts";
import { loadSums, loadWorkingSet } from "./load-working-set.ts";
import { writeChanges } from "./write-changes.ts";

/**
 * Commits operations together: loads the rows that they concern, has the ledger decide one after the other in memory, and
 * writes what changed. One transaction; results in the order of the operations.
 */
export function* commitBatch(dialect: Dialect, ops: readonly BookOp[], texts?: SharedTexts): Work<BookResult[]> {
  const working = yield* loadWorkingSet(dialect, ops);
  return yield* commitLoaded(working, ops, texts);
}

/** Commits operations on a working set that has the rows that they concern. */
export function* commitLoaded(working: WorkingSet, ops: readonly BookOp[], texts?: SharedTexts): Work<BookResult[]> {
  yield* loadSums(working, staleSums(working, ops));
  const results = ops.map((op) => decide(working, op));
  yield* writeChanges(working, texts);
  return results;
}
