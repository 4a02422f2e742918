import {
  EARLY,
  listPartitions,
  type Month,
  monthOf,
  monthsBetween,
  OTHER,
  type RequestPartition,
} from "../schema/request-partitions.ts";
import { now_ms } from "../sql/clock.ts";
import { onPostgres, type Statement } from "../sql/statement.ts";
import { row, rows, type Work } from "../sql/work.ts";

/** How many months there are beyond the current one. */
const AHEAD = 3;

// The embedded database has no partitions, so it is asked for nothing but their list. One maker at a time. Calls and reports do not wait for it.
const lockMakers = onPostgres("LOCK TABLE ONLY requests_ended IN SHARE UPDATE EXCLUSIVE MODE");
const selectEarly = onPostgres(`SELECT 1 AS found FROM ${EARLY} LIMIT 1`);
const detachEarly = onPostgres(`ALTER TABLE requests_ended DETACH PARTITION ${EARLY}`);

/**
 * Makes the partitions of this month and the next ones, as far as they are missing (docs/adr/0057). Any number of nodes may do so at once: one
 * waits for the other, and finds them made. With `since_ms` also those from that time on, where nothing older has been written yet. True: all
 * are there, which is always so in the embedded database.
 */
export function* makeMonths(since_ms?: number): Work<boolean> {
  const partitions = yield* listPartitions();
  if (partitions.length === 0) return true;
  const now = yield* now_ms();
  const is_wider = since_ms !== undefined && beginsBehind(partitions, monthOf(since_ms));
  if (!is_wider && missingMonths(partitions, now, now).length === 0) return true;
  yield* rows(lockMakers);
  return yield* makeLocked(now, is_wider ? since_ms : now);
}

function* makeLocked(now: number, since_ms: number): Work<boolean> {
  const partitions = yield* listPartitions();
  const first = monthOf(since_ms);
  const gives_way = beginsBehind(partitions, first) && (yield* row(selectEarly)) === null;
  if (gives_way) yield* rows(detachEarly);
  const kept = gives_way ? partitions.filter(({ name }) => name !== EARLY) : partitions;
  for (const month of missingMonths(kept, since_ms, now)) yield* makeMonth(month);
  if (gives_way) yield* rows(attachment(EARLY, { from: "MINVALUE", to: `'${first.from_id}'` }));
  return true;
}

/** Whether requests of a month would still go to the partition for ids before the first month. */
function beginsBehind(partitions: readonly RequestPartition[], { from_id }: Month): boolean {
  const early = partitions.find(({ name }) => name === EARLY);
  return early !== undefined && early.to_id !== null && early.to_id > from_id;
}

function missingMonths(partitions: readonly RequestPartition[], since_ms: number, now: number): Month[] {
  const names = new Set(partitions.map(({ name }) => name));
  return monthsBetween(since_ms, now, AHEAD).filter(
    (month) => !names.has(month.name) && !beginsBehind(partitions, month),
  );
}

/** The table is made whole before it becomes a partition, so that other work waits only for the last step. */
function* makeMonth({ name, from_id, to_id, over_ms }: Month): Work<void> {
  const like = "INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING STORAGE";
  yield* rows(onPostgres(`CREATE TABLE ${name} (LIKE ${OTHER} ${like})`));
  yield* rows(onPostgres(`CREATE INDEX ${name}_astray ON ${name} (ended_ms) WHERE ended_ms >= ${over_ms}`));
  // Moves the month's requests that came before its partition was made.
  yield* rows(
    onPostgres(`WITH moved AS (DELETE FROM ${OTHER} WHERE id >= '${from_id}' AND id < '${to_id}' RETURNING *)
      INSERT INTO ${name} SELECT * FROM moved`),
  );
  yield* rows(attachment(name, { from: `'${from_id}'`, to: `'${to_id}'` }));
}

function attachment(name: string, { from, to }: { readonly from: string; readonly to: string }): Statement {
  return onPostgres(`ALTER TABLE requests_ended ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`);
}
