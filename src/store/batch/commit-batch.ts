import type { AdmitResult, ExtendResult, Recorded, SettleResult, VoidResult } from "../../core/ledger.ts";
import type { Dialect } from "../sql/statement.ts";
import type { Work } from "../sql/work.ts";
import type { BookOp } from "./book-op.ts";
import { decideAdmit } from "./decide-admit.ts";
import { decideRecovery, decideSettle, decideVoid, type RecoveryResult } from "./decide-end.ts";
import { decideExtend, decideProgress } from "./decide-running.ts";
import { loadPage, loadSpent, staleSums } from "./load-page.ts";
import type { Page } from "./page.ts";
import { usageOf } from "./usage.ts";
import { writePage } from "./write-page.ts";

export type BookResult = AdmitResult | ExtendResult | Recorded | SettleResult | VoidResult | RecoveryResult;

/**
 * Commits operations together: loads the rows that they concern, decides one after the other in memory, writes what has
 * changed. One transaction; results in the order of the operations.
 */
export function* commitBatch(dialect: Dialect, ops: readonly BookOp[]): Work<BookResult[]> {
  const page = yield* loadPage(dialect, ops);
  return yield* commitLoaded(page, ops);
}

/** The same on a page that has the rows. */
export function* commitLoaded(page: Page, ops: readonly BookOp[]): Work<BookResult[]> {
  yield* loadSpent(page, staleSums(page, ops));
  const results = ops.map((op) => decide(page, op));
  yield* writePage(page);
  return results;
}

/** Decides over an operation on a page that has the rows that it concerns. */
export function decide(page: Page, op: BookOp): BookResult {
  switch (op.op) {
    case "admit":
      return decideAdmit(page, op);
    case "extend":
      return decideExtend(page, op);
    case "progress":
      return decideProgress(page, op);
    case "settle":
      return decideSettle(page, op);
    case "void":
      return decideVoid(page, op);
    case "recover":
      return decideRecovery(page, op);
    case "count-refusal":
      if (page.accounts.has(op.account_id)) usageOf(page, op.account_id, op.key_id, op.model).refused_count += 1;
      return { outcome: "recorded" };
  }
}
