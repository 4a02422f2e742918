import { listPartitions } from "../schema/request-partitions.ts";
import { now_ms } from "../sql/clock.ts";
import { int, readRows, text } from "../sql/columns.ts";
import { setMark } from "../sql/marks.ts";
import { type Statement, sql, sqlFor } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { hasYoung, pastMonths } from "./drop-months.ts";

/** How many of the oldest rows one step looks at: on SQLite a step keeps the only writer busy for a few milliseconds. */
const AT_ONCE = 200;
/** On PostgreSQL no batch waits for rows that have ended, and each step passes over what earlier ones left until the next vacuum. */
const AT_ONCE_ON_POSTGRES = 1000;

/** Requests that are kept for less than this are deleted row by row on their day: to wait for the end of a month would keep them too long. */
const BY_THE_DAY_MS = 92 * 86_400_000;

/**
 * Requests are numbered in the order of their admission, so the oldest are the first; on PostgreSQL by their ids, which begin with the time, as those that have come from
 * another cell have places before all others. A held request is never deleted.
 */
function selectOld(table: string): Statement {
  const postgres = selectOldest(table, "id", AT_ONCE_ON_POSTGRES);
  return sqlFor({ sqlite: selectOldest(table, "seq", AT_ONCE), postgres });
}

function selectOldest(table: string, order: "id" | "seq", count: number): string {
  return `SELECT id FROM (SELECT id, status, ended_ms FROM ${table} ORDER BY ${order} LIMIT ${count}) AS oldest
    WHERE status <> 'held' AND ended_ms < ?`;
}

const GIVEN = {
  sqlite: "SELECT value FROM json_each(?)",
  postgres: "SELECT jsonb_array_elements_text(?::text::jsonb)",
};
const keepCharges = givenIds(
  "INSERT INTO gone_charges (request_id, account_id, seq) SELECT id, account_id, charge_seq FROM requests WHERE status <> 'held' AND charge_seq IS NOT NULL AND id IN",
  // A month that could not be dropped has left its charges there already.
  "ON CONFLICT (request_id) DO NOTHING",
);
const deleteLate = givenIds("DELETE FROM late_settlements WHERE request_id IN");
const deleteOld = givenIds("DELETE FROM requests WHERE status <> 'held' AND id IN");

function givenIds(text: string, tail = "") {
  return sqlFor({ sqlite: `${text} (${GIVEN.sqlite}) ${tail}`, postgres: `${text} (${GIVEN.postgres}) ${tail}` });
}

/** Deletes the oldest requests. The mark is set first: an audit that reads it looks for no request that may go. Entries and days' usage stay, and each entry is found by its request. */
export function* dropRequests(kept_since_ms: number): Work<number> {
  yield* setMark("requests_kept_since_ms", kept_since_ms);
  for (const table of yield* tablesByRow(kept_since_ms)) {
    const old = yield* rows<{ id: string }>(selectOld(table), [kept_since_ms]);
    if (old.length > 0) return yield* dropRows(old);
  }
  return 0;
}

/**
 * The tables whose requests are deleted row by row: the partitions that are no month, and a month that is over but has young requests, which keep it from being
 * dropped. Everywhere, if there are no partitions or requests are not kept for long.
 */
function* tablesByRow(kept_since_ms: number): Work<readonly string[]> {
  const partitions = yield* listPartitions();
  if (partitions.length === 0 || (yield* now_ms()) - kept_since_ms < BY_THE_DAY_MS) return ["requests"];
  const tables = partitions.filter(({ month }) => month === null).map(({ name }) => name);
  for (const month of pastMonths(partitions, kept_since_ms)) {
    if (yield* hasYoung(month, kept_since_ms)) tables.push(month.name);
  }
  return tables;
}

function* dropRows(old: readonly { readonly id: string }[]): Work<number> {
  const ids = JSON.stringify(old.map(({ id }) => id));
  yield* rows(keepCharges, [ids]);
  yield* rows(deleteLate, [ids]);
  yield* rows(deleteOld, [ids]);
  return old.length;
}

const sumAnswers = sql(
  "SELECT CAST(coalesce(sum(length(body)), 0) AS BIGINT) AS bytes FROM idempotency WHERE state = 'kept'",
);
const selectAnswers = sql(
  `SELECT account_id, key, request_id, length(body) AS bytes FROM idempotency WHERE state = 'kept'
    ORDER BY expires_ms LIMIT ${AT_ONCE}`,
);
const forget = sql(
  `UPDATE idempotency SET state = 'not_kept', status = NULL, content_type = NULL, headers = NULL, body = NULL
    WHERE account_id = ? AND key = ? AND request_id = ? AND state = 'kept'`,
);

const ANSWER = { account_id: text, key: text, request_id: text, bytes: int } as const;

/** Forgets the answer and keeps its idempotency key: a repeat learns that the answer is gone, and is neither run nor charged again. */
export function* dropAnswers(limit_bytes: number): Work<number> {
  let excess = toInt((yield* row<{ bytes: unknown }>(sumAnswers))?.bytes ?? 0) - limit_bytes;
  if (excess <= 0) return 0;
  let dropped = 0;
  for (const { account_id, key, request_id, bytes } of yield* readRows(ANSWER, selectAnswers)) {
    if (excess <= 0) break;
    yield* rows(forget, [account_id, key, request_id]);
    excess -= bytes;
    dropped += 1;
  }
  return dropped;
}
