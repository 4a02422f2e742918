import { MS_PER_DAY } from "../../core/clock.ts";
import { micro } from "../../core/money/money.ts";
import type { SharedSpending, VendorSpending } from "../../core/operations/vendor-spending.ts";
import { DEAD_AFTER_MS } from "../recovery/node-watch.ts";
import { now_ms } from "../sql/clock.ts";
import { amount, columnsOf, int, readRows, text, typesOf, valuesOf } from "../sql/columns.ts";
import { addedTo, insertEach, sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

/** How many days are kept: a node's clock may be a little behind. */
const KEPT_DAYS = 2;

const SPENDING = { day: int, vendor: text, credential: text, spent_micro: amount } as const;
const add = insertEach("vendor_spending", typesOf(SPENDING), {
  conflict: `(day, vendor, credential) DO UPDATE SET ${addedTo("vendor_spending", ["spent_micro"])}`,
});
const select = sql(`SELECT ${columnsOf(SPENDING)} FROM vendor_spending WHERE day >= ? AND day <= ?`);
const drop = sql("DELETE FROM vendor_spending WHERE day < ?");
const countNodes = sql("SELECT COUNT(*) AS count FROM nodes WHERE beat_ms >= ?");

export function* shareVendorSpending(added: readonly VendorSpending[]): Work<SharedSpending> {
  // Row by row, as one statement changes a row once.
  for (const each of added) yield* rows(add, [valuesOf(SPENDING, { ...each, spent_micro: micro(each.spent_micro) })]);
  const now = yield* now_ms();
  const today = Math.floor(now / MS_PER_DAY);
  yield* rows(drop, [today - KEPT_DAYS]);
  const spending = yield* readRows(SPENDING, select, [today - 1, today + 1]);
  const alive = yield* row<{ count: unknown }>(countNodes, [now - DEAD_AFTER_MS]);
  return { spending, nodes: toInt(alive?.count ?? 1) };
}
