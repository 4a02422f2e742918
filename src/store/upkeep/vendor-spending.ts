import { MS_PER_DAY } from "../../core/clock.ts";
import type { SharedSpending, VendorSpending } from "../../core/operations/vendor-spending.ts";
import { DEAD_AFTER_MS } from "../recovery/node-watch.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { toInt, toMicro } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

/** Among the marks, by the day, the vendor and the credential: `vendor spending 020785 acme key-1`. */
const PREFIX = "vendor spending ";
const DAY_DIGITS = 6;
/** How many days are kept: a node's clock may be a little behind. */
const KEPT_DAYS = 2;

const add = sql(
  "INSERT INTO marks (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = marks.value + excluded.value",
);
const select = sql("SELECT name, value FROM marks WHERE name >= ? AND name < ?");
const drop = sql("DELETE FROM marks WHERE name >= ? AND name < ?");
const countNodes = sql("SELECT COUNT(*) AS count FROM nodes WHERE beat_ms >= ?");

export function* shareVendorSpending(added: readonly VendorSpending[]): Work<SharedSpending> {
  for (const { day, vendor, credential, spent_micro } of added)
    yield* rows(add, [`${nameOf(day)} ${vendor} ${credential}`, spent_micro]);
  const now = yield* now_ms();
  const today = Math.floor(now / MS_PER_DAY);
  yield* rows(drop, [PREFIX, nameOf(today - KEPT_DAYS)]);
  const found = yield* rows<{ name: string; value: unknown }>(select, [nameOf(today - 1), nameOf(today + 2)]);
  const alive = yield* row<{ count: unknown }>(countNodes, [now - DEAD_AFTER_MS]);
  return { spending: found.map(({ name, value }) => readSpending(name, value)), nodes: toInt(alive?.count ?? 1) };
}

function nameOf(day: number): string {
  return `${PREFIX}${String(day).padStart(DAY_DIGITS, "0")}`;
}

function readSpending(name: string, value: unknown): VendorSpending {
  const [day = "", vendor = "", credential = ""] = name.slice(PREFIX.length).split(" ");
  return { day: Number(day), vendor, credential, spent_micro: toMicro(value) };
}
