import { dayOf } from "../../limits/windows.ts";
import type { BookOp } from "../batch/book-op.ts";
import { type BookResult, decide } from "../batch/commit-batch.ts";
import { loadMissing, loadSpent, type StaleSum, staleSums } from "../batch/load-page.ts";
import type { Page } from "../batch/page.ts";
import { writePage } from "../batch/write-page.ts";
import { sqlFor } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";
import { appendToJournal, emptyJournal, type ToldBatch } from "./journal.ts";
import type { OpenPage } from "./open-page.ts";

/** More operations than these do not wait: what waits is in memory, and all of it is written in one commit. */
const WAITING_AT_MOST = 1024;

export interface Batch {
  readonly ops: readonly BookOp[];
  /** What the journal would keep of it; null where it cannot. */
  readonly told: ToldBatch | null;
}

/** Thrown when another connection has changed the data under a page with operations that wait. */
export class ChangedElsewhere extends Error {}

/**
 * Commits a batch on the writer's open page: decides it in memory and appends it to the journal, one row in place of all
 * those that it changes. Now and then, and where a batch needs it, all that waits is written to its tables instead.
 */
export function* commitOnPage(open: OpenPage, { ops, told }: Batch, now_ms: number): Work<BookResult[]> {
  yield* holdToVersion(open);
  // The usage that waits is all of one day.
  if (open.waiting_ops > 0 && open.page.day !== dayOf(now_ms)) yield* write(open);
  open.turnTo(now_ms);
  yield* loadMissing(open.page, ops);
  if (open.waiting_ops > 0 && staleSums(open.page, ops).length > 0) {
    // What is to be summed up are the days' usages, to which all that waits belongs.
    yield* write(open);
    yield* loadMissing(open.page, ops);
  }
  const stale = staleSums(open.page, ops);
  yield* loadSpent(open.page, stale);
  const { page } = open;
  const results = ops.map((op) => decide(page, op));
  if (told !== null && ops.length > 0 && canWait(open, ops, stale)) {
    yield* appendToJournal(now_ms, told);
    open.letWait(ops.length);
  } else {
    yield* write(open);
  }
  return results;
}

/** Writes all that waits. */
export function* writeWaiting(open: OpenPage): Work<void> {
  yield* holdToVersion(open);
  if (open.waiting_ops > 0) yield* write(open);
}

function* write(open: OpenPage): Work<void> {
  yield* writePage(open.page);
  if (open.waiting_ops > 0) yield* emptyJournal();
  open.written();
}

/**
 * Whether a batch may wait. Stored answers and rules of automatic top-ups are read anew for each batch, so their changes are
 * written at once; so are the sums that were just made.
 */
function canWait(open: OpenPage, ops: readonly BookOp[], stale: readonly StaleSum[]): boolean {
  if (open.waiting_ops + ops.length > WAITING_AT_MOST || stale.length > 0) return false;
  const { page } = open;
  return page.ruled_accounts.length === 0 && !ops.some((op) => hasIdempotencyKey(page, op));
}

function hasIdempotencyKey(page: Page, op: BookOp): boolean {
  if (op.op === "admit") return op.idempotency_key !== null;
  if (op.op === "count-refusal") return false;
  const request = page.requests.get(op.request_id);
  return request !== undefined && request.idempotency_key !== null;
}

/** Says whether another connection has committed since it was last asked. */
const dataVersion = sqlFor({ sqlite: "PRAGMA data_version", postgres: "" });

function* holdToVersion(open: OpenPage): Work<void> {
  const [found] = yield* rows<{ data_version: unknown }>(dataVersion);
  if (open.isOf(found?.data_version)) return;
  if (open.waiting_ops > 0) throw new ChangedElsewhere("another connection has changed the database");
  open.begin(found?.data_version);
}
