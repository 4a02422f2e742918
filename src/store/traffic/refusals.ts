import type { RefusalPage, RefusalQuery, RefusalSum } from "../../core/operations/refusals.ts";
import type { TrafficSliceCell } from "../../core/operations/traffic.ts";
import { Conditions, statementOf } from "../accounts/conditions.ts";
import { AT, COUNTS } from "../schema/traffic-columns.ts";
import { insertEach, sql } from "../sql/statement.ts";
import { toInt, toIntOrNull } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { addCells } from "./write-slice.ts";

const MS_PER_MINUTE = 60_000;
const MINUTES_PER_HOUR = 60;
/** The most sums of one page: a minute is never divided, and may have those of many accounts. */
const MOST_SUMS = 5000;

const addRefusals = insertEach(
  "refusals",
  {
    minute: "bigint",
    account_id: "text",
    key_id: "text",
    endpoint: "text",
    code: "text",
    status: "bigint",
    count: "bigint",
    model: "text",
    param: "text",
    request_id: "text",
    client_request_id: "text",
    last_ms: "bigint",
  },
  {
    conflict: `(minute, account_id, key_id, endpoint, code) DO UPDATE SET count = refusals.count + excluded.count,
      status = excluded.status, model = excluded.model, param = excluded.param, request_id = excluded.request_id,
      client_request_id = excluded.client_request_id, last_ms = excluded.last_ms`,
  },
);

/** Adds refusals, also to the traffic, where they have the outcome `!code`. */
export function* writeRefusals(given: readonly RefusalSum[]): Work<void> {
  if (given.length === 0) return;
  const sums = addedUp(given);
  yield* rows(
    addRefusals,
    sums.map((sum) => [
      ...[sum.minute, sum.account_id, sum.key_id, sum.endpoint, sum.code, sum.status, sum.count],
      ...[sum.model, sum.param, sum.request_id, sum.client_request_id, sum.last_ms],
    ]),
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

interface RefusalRow extends Readonly<Record<"minute" | "status" | "count" | "last_ms", unknown>> {
  readonly account_id: string;
  readonly key_id: string;
  readonly endpoint: string;
  readonly code: string;
  readonly model: string;
  readonly param: string | null;
  readonly request_id: string;
  readonly client_request_id: string | null;
}

/** Newest first; a page ends with a whole minute. */
export function* listRefusals(query: RefusalQuery): Work<RefusalPage> {
  const where = conditionsOf(query);
  const last = `SELECT minute FROM refusals${where.text} ORDER BY minute DESC LIMIT 1 OFFSET ?`;
  const ending = yield* row<{ minute: unknown }>(statementOf(last), [...where.params, query.limit - 1]);
  const from_minute = toIntOrNull(ending?.minute);
  where.and("minute >= ?", from_minute ?? undefined);
  const text = `SELECT * FROM refusals${where.text} ORDER BY minute DESC, last_ms DESC, account_id, key_id, endpoint, code LIMIT ?`;
  const found = yield* rows<RefusalRow>(statementOf(text), [...where.params, MOST_SUMS]);
  const sums = found.map((each) => ({
    ...each,
    minute: toInt(each.minute),
    status: toInt(each.status),
    count: toInt(each.count),
    last_ms: toInt(each.last_ms),
  }));
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
