import { MS_PER_DAY } from "../../core/clock.ts";
import { add } from "../../core/money/money.ts";
import { UNIT_COUNTS } from "../../core/money/price-classes.ts";
import { readTexts } from "../batch/row-texts.ts";
import { columnsOf, type RawRow, type ReadRow, readRow, readRows, text } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";
import { DAY_COUNT_NAMES, DAY_COUNTS, DAY_SUMS, LATE_COUNTS, withCounts } from "./day-counts.ts";

const COUNTED = { key_id: text, model: text, ...DAY_COUNTS } as const;
/** A day's usage of one key and model, as `usage_days` has it and as requests add up to it. */
export type DayCount = ReadRow<typeof COUNTED>;
type DayCounts = ReadRow<typeof DAY_COUNTS>;

/** Nearly all requests end within this of their admission: they are looked for first. */
const USUALLY_ENDED_WITHIN_MS = 6 * 3_600_000;

const selectCounted = sql(`SELECT ${columnsOf(COUNTED)} FROM usage_days WHERE account_id = ? AND day = ?`);

/** Along the account's index, from a time of admission on. */
const recount = withCounts(
  (counts) => `SELECT key_id, model_no, ${DAY_SUMS}
    FROM (SELECT r.key_id, r.model_no, ${counts} FROM requests AS r
      WHERE r.account_id = ? AND r.created_ms >= ? AND r.created_ms < ? AND r.ended_ms >= ? AND r.ended_ms < ?) AS ended
    GROUP BY key_id, model_no`,
);

/** The corrections by late ends, on the day on which a recovery had ended their requests (docs/rulings.md 146). */
const selectLate = sql(
  `SELECT key_id, model_no, ${DAY_SUMS}
    FROM (SELECT r.key_id, r.model_no, ${LATE_COUNTS} FROM late_settlements AS l JOIN requests AS r ON r.id = l.request_id
      WHERE l.account_id = ? AND r.ended_ms >= ? AND r.ended_ms < ?) AS late
    GROUP BY key_id, model_no`,
);

type RecountRow = Omit<RawRow<typeof COUNTED>, "model"> & { readonly model_no: unknown };

/** The sums of an account's day in `usage_days`, by key and model. */
export function* countedDay(account_id: string, day: number): Work<Map<string, DayCount>> {
  return byPlace(yield* readRows(COUNTED, selectCounted, [account_id, day]));
}

/** The sums of an account's requests that ended on a day, by key and model. */
export function* recountDay(account_id: string, day: number, reach: RecountReach): Work<Map<string, DayCount>> {
  const start_ms = day * MS_PER_DAY;
  const end_ms = start_ms + MS_PER_DAY;
  const counted = yield* rows<RecountRow>(recount, [account_id, ...admittedFor(day, reach), start_ms, end_ms]);
  const late = yield* rows<RecountRow>(selectLate, [account_id, start_ms, end_ms]);
  const all = [...counted, ...late];
  const texts = yield* readTexts(all, ["model_no"]);
  return byPlace(all.map((row) => readRow(COUNTED, { ...row, model: texts.text(row.model_no) })));
}

/** How far back requests are looked for: the usual way leaves out those that were open for hours, which only an outage causes. */
export type RecountReach = "usual" | "all";

/** The first and the last time of admission that are looked at for a day. */
export function admittedFor(day: number, reach: RecountReach): readonly [from_ms: number, to_ms: number] {
  // The clock may have been set back while a request ran, so its end may lie before its admission.
  if (reach === "all") return [0, Number.MAX_SAFE_INTEGER];
  return [day * MS_PER_DAY - USUALLY_ENDED_WITHIN_MS, (day + 1) * MS_PER_DAY];
}

/** The places whose counts are not what is recounted, each with both. */
export function* differingCounts<Count extends DayCounts>(
  counted: ReadonlyMap<string, Count>,
  recounted: (reach: RecountReach) => Work<ReadonlyMap<string, Count>>,
): Work<readonly { readonly found: Count | undefined; readonly expected: Count | undefined }[]> {
  let expected = yield* recounted("usual");
  const differing = (): string[] =>
    [...new Set([...counted.keys(), ...expected.keys()])].filter(
      (place) => !isSameCount(counted.get(place), expected.get(place)),
    );
  if (differing().length > 0) expected = yield* recounted("all");
  return differing().map((place) => ({ found: counted.get(place), expected: expected.get(place) }));
}

export function isSameCount(a: DayCounts | undefined, b: DayCounts | undefined): boolean {
  return DAY_COUNT_NAMES.every((name) => BigInt(a?.[name] ?? 0) === BigInt(b?.[name] ?? 0));
}

/** A count as a finding shows it. */
export function describeCount(count: DayCounts | undefined): string {
  if (count === undefined) return "nothing";
  const { cost_micro, prompt_tokens, completion_tokens, ended_count, success_count } = count;
  const requests = `${ended_count} requests of which ${success_count} succeeded`;
  const units = UNIT_COUNTS.filter((name) => count[name] > 0).map((name) => `${count[name]} ${name}`);
  return [`${cost_micro} charged, ${prompt_tokens} in, ${completion_tokens} out`, ...units, requests].join(", ");
}

function byPlace(counts: readonly DayCount[]): Map<string, DayCount> {
  const found = new Map<string, DayCount>();
  for (const count of counts) {
    const id = `${count.key_id} ${count.model}`;
    const before = found.get(id);
    found.set(id, before === undefined ? count : sumOf(before, count));
  }
  return found;
}

function sumOf(a: DayCount, b: DayCount): DayCount {
  const sum = { ...a, cost_micro: add(a.cost_micro, b.cost_micro) };
  for (const name of DAY_COUNT_NAMES) if (name !== "cost_micro") sum[name] += b[name];
  return sum;
}
