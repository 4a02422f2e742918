import { MS_PER_DAY } from "../../core/clock.ts";
import type { SummedSpan } from "../../core/operations/upkeep.ts";
import { SUM_TABLES } from "../schema/0001-usage.ts";
import { USAGE_COUNTS } from "../schema/column-types.ts";
import { now_ms } from "../sql/clock.ts";
import { addedTo, type Columns, insertEach, type Statement, sql, sqlFor, type Value } from "../sql/statement.ts";
import { toInt, toIntOrNull } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { type KnownSums, knownSums } from "./read-plan.ts";
import { SIZES, type SumKind, spansWithin, subSpans } from "./span.ts";

/**
 * The chore that sums up past days (docs/design/reports.md): it closes days, and makes sums for spans that have none or whose days have
 * changed since. A step covers a limited number of accounts, so that no other work waits for it long.
 */
/** How long after its end a day is closed: by then the usage of its requests has been written. */
const CLOSED_AFTER_MS = 3_600_000;
/**
 * How many days before the last closed one are summed up at first. Older days, such as those of a clock that showed 1970, are read from
 * their rows.
 */
const MOST_DAYS = 1500;
/** How many accounts a step sums up. On SQLite a step blocks the only writer; on PostgreSQL nothing waits for it. */
const ACCOUNTS = { sqlite: 100, postgres: 1000 } as const;
/** Sorts after every account's id. */
const NO_MORE = "\u{10FFFF}";

const lastClosed = sql("SELECT max(day) AS day FROM closed_days WHERE kind = ?");
const reopen = sql("DELETE FROM closed_days WHERE kind = ? AND day > ?");
const forgetAfter = sql("DELETE FROM summed_spans WHERE kind = ? AND first_day + size - 1 > ?");
const firstDay: Readonly<Record<SumKind, Statement>> = {
  usage: sqlFor({
    sqlite: `SELECT min((SELECT u.day FROM usage_days AS u WHERE u.account_id = a.id ORDER BY u.day LIMIT 1)) AS day
      FROM accounts AS a`,
    postgres: "SELECT min(day) AS day FROM usage_days",
  }),
  traffic: sql("SELECT min(day) AS day FROM traffic_key_days"),
};
const countedUpTo = sql("SELECT counted_ms FROM traffic_state WHERE one = 1");
const close = insertEach("closed_days", { kind: "text", day: "bigint" } satisfies Columns, {
  constants: { revision: "0" },
  conflict: "(kind, day) DO NOTHING",
});

/** Closes past days, and returns the spans without up-to-date sums, the shorter ones first. */
export function* closeDays(): Work<readonly SummedSpan[]> {
  const time_ms = yield* now_ms();
  const missing: SummedSpan[] = [];
  for (const kind of ["usage", "traffic"] as const) {
    const last = Math.floor((yield* settledUntil(kind, time_ms)) / MS_PER_DAY) - 1;
    // Days that lie in the future since the clock was set back are opened again.
    yield* rows(reopen, [kind, last]);
    yield* rows(forgetAfter, [kind, last]);
    const closed = toIntOrNull((yield* row<{ day: unknown }>(lastClosed, [kind]))?.day);
    const from = closed === null ? yield* firstToClose(kind, last) : closed + 1;
    if (from !== null && from <= last) {
      const days = Array.from({ length: last - from + 1 }, (_, at) => [kind, from + at]);
      yield* rows(close, days);
    }
    const known = yield* knownSums(kind, { first: 0, last });
    const [first_day] = known.days;
    if (first_day === undefined) continue;
    const untrue = spansWithin(kind, first_day, last).filter((span) => !known.isTrue(span));
    missing.push(...untrue.map((span) => ({ kind, ...span })));
  }
  return missing;
}

/** The day to begin with; null where nothing was used. */
function* firstToClose(kind: SumKind, last: number): Work<number | null> {
  const used = toIntOrNull((yield* row<{ day: unknown }>(firstDay[kind]))?.day);
  return used === null ? null : Math.max(used, last - MOST_DAYS);
}

/** The time before which hardly any row is still to be written. */
function* settledUntil(kind: SumKind, time_ms: number): Work<number> {
  if (kind === "usage") return time_ms - CLOSED_AFTER_MS;
  const counted_ms = toIntOrNull((yield* row<{ counted_ms: unknown }>(countedUpTo))?.counted_ms) ?? 0;
  return Math.min(time_ms, counted_ms) - CLOSED_AFTER_MS;
}

/**
 * Whether every transaction has ended that began before the days' closing was visible to it. The changes of such a transaction raise no
 * revision, so no sum is made before. SQLite has a single writer, and no other transaction is open now.
 */
const selectNoted = sqlFor({
  sqlite: "SELECT ? >= 0 AS is_noted",
  postgres: `SELECT (count(*) = 0)::int AS is_noted FROM pg_stat_activity WHERE datname = current_database()
    AND backend_type = 'client backend' AND pid <> pg_backend_pid()
    AND xact_start <= to_timestamp(?::double precision / 1000) + interval '1 millisecond'`,
});
const noteClosed = sql(
  "UPDATE closed_days SET noted_ms = ? WHERE kind = ? AND day >= ? AND day <= ? AND noted_ms IS NULL",
);
const selectClosed = sql("SELECT max(noted_ms) AS noted_ms FROM closed_days WHERE kind = ? AND day >= ? AND day <= ?");
const openSpan = sql(
  `INSERT INTO summed_spans (kind, size, first_day, next_account) VALUES (?, ?, ?, '')
    ON CONFLICT (kind, size, first_day) DO NOTHING`,
);
const lockSpan = sql(
  "SELECT making_of, next_account FROM summed_spans WHERE kind = ? AND size = ? AND first_day = ? {lock}",
);
const noteStep = sql(
  "UPDATE summed_spans SET made_of = ?, making_of = ?, next_account = ? WHERE kind = ? AND size = ? AND first_day = ?",
);
const accountAfter = sqlFor({
  sqlite: `SELECT id FROM accounts WHERE id >= ? ORDER BY id LIMIT 1 OFFSET coalesce(?, ${ACCOUNTS.sqlite})`,
  postgres: `SELECT id FROM accounts WHERE id >= ? ORDER BY id LIMIT 1 OFFSET coalesce(?::bigint, ${ACCOUNTS.postgres})`,
});

/**
 * Makes the next step of a span's sums, for `accounts` accounts or the usual number. Returns whether more steps follow; false also where the
 * span cannot be summed up now.
 */
export function* makeSums(asked: SummedSpan, accounts?: number): Work<boolean> {
  const { kind, size, first_day } = asked;
  const place = [kind, size, first_day] as const;
  const last_day = first_day + size - 1;
  yield* rows(openSpan, [...place]);
  const span = yield* row<{ making_of: unknown; next_account: string }>(lockSpan, [...place]);
  // The revisions are read before the rows: a later change of a row raises one of them, so that these sums are then made again.
  const known = yield* knownSums(kind, { first: first_day, last: last_day });
  const revision = known.revisionOf(asked);
  if (span === null || revision === null || known.isTrue(asked) || !haveSubSpans(asked, known)) return false;
  if (!(yield* areNoted(asked))) return false;
  const goes_on = toIntOrNull(span.making_of) === revision;
  const from = goes_on ? span.next_account : "";
  const next = (yield* row<{ id: string }>(accountAfter, [from, accounts ?? null]))?.id ?? null;
  yield* sumAccounts(asked, from, next ?? NO_MORE);
  yield* rows(noteStep, [next === null ? revision : null, revision, next ?? "", ...place]);
  return next !== null;
}

function* areNoted({ kind, size, first_day }: SummedSpan): Work<boolean> {
  const days = [kind, first_day, first_day + size - 1] as const;
  yield* rows(noteClosed, [yield* now_ms(), ...days]);
  const closed = yield* row<{ noted_ms: unknown }>(selectClosed, [...days]);
  const noted = yield* row<{ is_noted: unknown }>(selectNoted, [toInt(closed?.noted_ms)]);
  return toInt(noted?.is_noted) === 1;
}

/** Whether the shorter spans of a longer one have up-to-date sums to make its sum from. */
function haveSubSpans(span: SummedSpan, known: KnownSums): boolean {
  return span.size === SIZES[span.kind][0] || subSpans(span).every((part) => known.isTrue(part));
}

type SumTableName = keyof typeof SUM_TABLES;

const sumsOf = (counts: readonly string[]): string =>
  counts.map((name) => `CAST(sum(u.${name}) AS BIGINT) AS ${name}`).join(", ");

/** Inserts sums into a table. `from` is the FROM clause with the rows `u` to be summed up, and their condition. */
function insertSums(name: SumTableName, from: string, conflict = ""): string {
  const { place, counts } = SUM_TABLES[name];
  const places = place.map((column) => `u.${column}`).join(", ");
  return `INSERT INTO ${name} (size, first_day, ${place.join(", ")}, ${counts.join(", ")})
    SELECT ?, ?, ${places}, ${sumsOf(counts)} FROM ${from} GROUP BY ${places}${conflict}`;
}

// PostgreSQL does not know the types of parameters in a select list.
function typed(text: string): Statement {
  return sqlFor({ sqlite: text, postgres: text.replace("SELECT ?, ?,", "SELECT ?::bigint, ?::bigint,") });
}

/** Reads one day of some accounts, account by account, so that each is a range of the table's primary key. */
const dayOfAccounts = (each: string): string =>
  `accounts AS a ${each} usage_days AS u ON u.account_id = a.id AND u.day = ? WHERE a.id >= ? AND a.id < ?`;
const perDialect = (name: SumTableName, conflict = ""): Statement =>
  sqlFor({
    sqlite: insertSums(name, dayOfAccounts("CROSS JOIN"), conflict),
    postgres: typed(insertSums(name, dayOfAccounts("JOIN"), conflict)).postgres,
  });

const addUp = addedTo("usage_model_sums", USAGE_COUNTS);
const sumDayByKey = perDialect("usage_key_sums");
const addDayByModel = perDialect("usage_model_sums", ` ON CONFLICT (size, first_day, model) DO UPDATE SET ${addUp}`);
const PART_DAYS = "first_day IN (?, ?, ?, ?)";
const OF_ACCOUNTS = "u.account_id >= ? AND u.account_id < ?";
const sumPartsByKey = typed(
  insertSums("usage_key_sums", `usage_key_sums AS u WHERE u.size = ? AND u.${PART_DAYS} AND ${OF_ACCOUNTS}`),
);
const sumPartsByModel = typed(
  insertSums("usage_model_sums", `usage_model_sums AS u WHERE u.size = ? AND u.${PART_DAYS}`),
);
const sumTrafficDays = typed(
  insertSums("traffic_key_sums", `traffic_key_days AS u WHERE u.day IN (?, ?, ?, ?) AND ${OF_ACCOUNTS}`),
);
const sumTrafficParts = typed(
  insertSums("traffic_key_sums", `traffic_key_sums AS u WHERE u.size = ? AND u.${PART_DAYS} AND ${OF_ACCOUNTS}`),
);
const clearKeys = clearOf("usage_key_sums");
const clearTraffic = clearOf("traffic_key_sums");
const clearModels = sql("DELETE FROM usage_model_sums WHERE size = ? AND first_day = ?");

function clearOf(name: SumTableName): Statement {
  return sql(`DELETE FROM ${name} WHERE size = ? AND first_day = ? AND account_id >= ? AND account_id < ?`);
}

/** Sums up a span's rows of the accounts from one up to another. */
function* sumAccounts(span: SummedSpan, from: string, to: string): Work<void> {
  const { kind, size, first_day } = span;
  const place: Value[] = [size, first_day];
  const accounts: Value[] = [from, to];
  const is_first = from === "";
  yield* rows(kind === "usage" ? clearKeys : clearTraffic, [...place, ...accounts]);
  if (kind === "usage" && is_first) yield* rows(clearModels, place);
  const parts = subSpans(span);
  const part_days = parts.map((part) => part.first_day);
  const part_size = parts[0]?.size ?? 0;
  if (kind === "traffic") {
    if (size === SIZES.traffic[0]) yield* rows(sumTrafficDays, [...place, ...part_days, ...accounts]);
    else yield* rows(sumTrafficParts, [...place, part_size, ...part_days, ...accounts]);
  } else if (size === 1) {
    yield* rows(sumDayByKey, [...place, first_day, ...accounts]);
    yield* rows(addDayByModel, [...place, first_day, ...accounts]);
  } else {
    yield* rows(sumPartsByKey, [...place, part_size, ...part_days, ...accounts]);
    if (is_first) yield* rows(sumPartsByModel, [...place, part_size, ...part_days]);
  }
}

const forget = sql("DELETE FROM summed_spans WHERE kind = ?");

/** Deletes all sums of a kind: they are made again in the background, and until then reports read the days' rows. */
export function* forgetSums(kind: SumKind): Work<void> {
  yield* rows(forget, [kind]);
}
