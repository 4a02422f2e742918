import type { RefusalPage, RefusalQuery, RefusalSum } from "../../core/operations/refusals.ts";
import type { TrafficSliceCell } from "../../core/operations/traffic.ts";
import { Conditions, statementOf } from "../accounts/conditions.ts";
import { AT, COUNTS } from "../schema/traffic-columns.ts";
import { int, readRows, text, textOrNull, typesOf, valuesOf } from "../sql/columns.ts";
import { addedTo, insertEach, sql, taken } from "../sql/statement.ts";
import { toIntOrNull } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { addCells } from "./write-slice.ts";

const MS_PER_MINUTE = 60_000;
const MINUTES_PER_HOUR = 60;
/** The most sums of one page: a minute is never divided, and may have those of many accounts. */
const MOST_SUMS = 5000;

const REFUSAL = {
  minute: int,
  account_id: text,
  key_id: text,
  endpoint: text,
  code: text,
  status: int,
  count: int,
  model: text,
  param: textOrNull,
  request_id: text,
  client_request_id: textOrNull,
  last_ms: int,
} as const;
const NEWEST = ["status", "model", "param", "request_id", "client_request_id", "last_ms"];
const addRefusals = insertEach("refusals", typesOf(REFUSAL), {
  conflict: `(minute, account_id, key_id, endpoint, code) DO UPDATE SET ${addedTo("refusals", ["count"])}, ${taken(NEWEST)}`,
});

/** Adds refusals, also to the traffic, where they have the outcome `!code`. */
export function* writeRefusals(given: readonly RefusalSum[]): Work<void> {
  if (given.length === 0) return;
  const sums = addedUp(given);
  yield* rows(
    addRefusals,
    sums.map((sum) => valuesOf(REFUSAL, sum)),
  );
  yield* addCells(sums.map(cellOf));
}

/** Each place once, as one statement changes a row once. In an order that all nodes keep, so that two never wait for each other in a circle. */
function addedUp(given: readonly RefusalSum[]): readonly RefusalSum[] {
  const sums = new Map<string, RefusalSum>();
  for (const sum of given) {
    const place = [sum.minute, sum.account_id, sum.key_id, sum.endpoint, sum.code].join(" ");
    sums.set(place, { ...sum, count: sum.count + (sums.get(place)?.count ?? 0) });
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

function cellOf({ minute, account_id, key_id, model, code, count }: RefusalSum): TrafficSliceCell {
  const counts = Array.from({ length: COUNTS }, () => 0);
  counts[AT.requests] = count;
  const place = { hour: Math.floor(minute / MINUTES_PER_HOUR), account_id, key_id, model };
  return { ...place, vendor: "", upstream_model: "", outcome: `!${code}`, counts };
}

/** Newest first; a page ends with a whole minute. */
export function* listRefusals(query: RefusalQuery): Work<RefusalPage> {
  const where = conditionsOf(query);
  const last = `SELECT minute FROM refusals${where.text} ORDER BY minute DESC LIMIT 1 OFFSET ?`;
  const ending = yield* row<{ minute: unknown }>(statementOf(last), [...where.params, query.limit - 1]);
  const from_minute = toIntOrNull(ending?.minute);
  where.and("minute >= ?", from_minute ?? undefined);
  const page = `SELECT * FROM refusals${where.text} ORDER BY minute DESC, last_ms DESC, account_id, key_id, endpoint, code LIMIT ?`;
  const sums = yield* readRows(REFUSAL, statementOf(page), [...where.params, MOST_SUMS]);
  return { sums, next_to_ms: from_minute === null ? null : from_minute * MS_PER_MINUTE };
}

function conditionsOf({ account_id, key_id, code, from_ms, to_ms, search }: RefusalQuery): Conditions {
  const where = new Conditions();
  where.and("account_id = ?", account_id);
  where.and("key_id = ?", key_id);
  where.and("code = ?", code);
  where.and("minute >= ?", from_ms === undefined ? undefined : Math.floor(from_ms / MS_PER_MINUTE));
  where.and("minute < ?", to_ms === undefined ? undefined : Math.ceil(to_ms / MS_PER_MINUTE));
  // No id has a character behind "~".
  const found = search === undefined ? [undefined] : [search, `${search}~`, search, `${search}~`];
  where.and("((request_id >= ? AND request_id < ?) OR (client_request_id >= ? AND client_request_id < ?))", ...found);
  return where;
}

const oldestMinute = sql("SELECT min(minute) AS minute FROM refusals");
const dropMinutes = sql("DELETE FROM refusals WHERE minute <= ? AND minute < ?");

/** Deletes the refusals of the oldest hour before a time. Returns how many hours went: 0 or 1. */
export function* dropRefusals(kept_since_ms: number): Work<number> {
  const oldest = toIntOrNull((yield* row<{ minute: unknown }>(oldestMinute))?.minute);
  const first_kept = Math.floor(kept_since_ms / MS_PER_MINUTE);
  if (oldest === null || oldest >= first_kept) return 0;
  yield* rows(dropMinutes, [oldest + MINUTES_PER_HOUR, first_kept]);
  return 1;
}
