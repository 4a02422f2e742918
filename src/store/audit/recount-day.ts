import { MS_PER_DAY } from "../../core/clock.ts";
import { add } from "../../core/money/money.ts";
import { readTexts } from "../batch/row-texts.ts";
import { amount, columnsOf, int, type RawRow, type ReadRow, readRow, readRows, text } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";

/** What a day counts, in all tables of usage by day. */
export const DAY_COUNTS = {
  cost_micro: amount,
  prompt_tokens: int,
  completion_tokens: int,
  ended_count: int,
  success_count: int,
} as const;
const COUNTED = { key_id: text, model: text, ...DAY_COUNTS } as const;
/** A day's usage of one key and model, as `usage_days` has it and as requests add up to it. */
export type DayCount = ReadRow<typeof COUNTED>;

/** Nearly all requests end within this of their admission: they are looked for first. */
const USUALLY_ENDED_WITHIN_MS = 6 * 3_600_000;

const selectCounted = sql(`SELECT ${columnsOf(COUNTED)} FROM usage_days WHERE account_id = ? AND day = ?`);

/** Along the account's index, from a time of admission on. */
const recount = sql(
  `SELECT key_id, model_no, CAST(sum(charge_micro) AS BIGINT) AS cost_micro,
      CAST(sum(coalesce(input_tokens + cache_read_tokens + cache_write_tokens, 0)) AS BIGINT) AS prompt_tokens,
      CAST(sum(coalesce(output_tokens, 0)) AS BIGINT) AS completion_tokens,
      count(*) AS ended_count, CAST(sum(success) AS BIGINT) AS success_count
    FROM requests WHERE account_id = ? AND created_ms >= ? AND created_ms < ? AND ended_ms >= ? AND ended_ms < ?
    GROUP BY key_id, model_no`,
);

/** The corrections by late ends, on the day on which a recovery had ended their requests (docs/rulings.md 146). */
const selectLate = sql(
  `SELECT r.key_id, r.model_no, CAST(sum(l.difference_micro) AS BIGINT) AS cost_micro,
      CAST(sum(l.prompt_tokens) AS BIGINT) AS prompt_tokens,
      CAST(sum(l.completion_tokens) AS BIGINT) AS completion_tokens, 0 AS ended_count,
      CAST(sum(l.success_count) AS BIGINT) AS success_count
    FROM late_settlements AS l JOIN requests AS r ON r.id = l.request_id
    WHERE l.account_id = ? AND r.ended_ms >= ? AND r.ended_ms < ? GROUP BY r.key_id, r.model_no`,
);

type RecountRow = Omit<RawRow<typeof COUNTED>, "model"> & { readonly model_no: unknown };

/** The sums of an account's day in `usage_days`, by key and model. */
export function* countedDay(account_id: string, day: number): Work<Map<string, DayCount>> {
  return byPlace(yield* readRows(COUNTED, selectCounted, [account_id, day]));
}

/**
 * The sums of an account's requests that ended on a day, by key and model. `reach` says how far back requests are looked
 * for: `usual` leaves out those that were open for hours, which only an outage causes.
 */
export function* recountDay(account_id: string, day: number, reach: "usual" | "all"): Work<Map<string, DayCount>> {
  const start_ms = day * MS_PER_DAY;
  const end_ms = start_ms + MS_PER_DAY;
  const from_ms = reach === "all" ? 0 : start_ms - USUALLY_ENDED_WITHIN_MS;
  // The clock may have been set back while a request ran, so its end may lie before its admission.
  const to_ms = reach === "all" ? Number.MAX_SAFE_INTEGER : end_ms;
  const counted = yield* rows<RecountRow>(recount, [account_id, from_ms, to_ms, start_ms, end_ms]);
  const late = yield* rows<RecountRow>(selectLate, [account_id, start_ms, end_ms]);
  const all = [...counted, ...late];
  const texts = yield* readTexts(all, ["model_no"]);
  return byPlace(all.map((row) => readRow(COUNTED, { ...row, model: texts.text(row.model_no) })));
}

export function isSameCount(a: DayCount | undefined, b: DayCount | undefined): boolean {
  return COUNTS.every((name) => BigInt(a?.[name] ?? 0) === BigInt(b?.[name] ?? 0));
}

const COUNTS = Object.keys(DAY_COUNTS) as readonly (keyof typeof DAY_COUNTS)[];

/** A count as a finding shows it. */
export function describeCount(count: DayCount | undefined): string {
  if (count === undefined) return "nothing";
  const { cost_micro, prompt_tokens, completion_tokens, ended_count, success_count } = count;
  const requests = `${ended_count} requests of which ${success_count} succeeded`;
  return `${cost_micro} charged, ${prompt_tokens} in, ${completion_tokens} out, ${requests}`;
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
  return {
    ...a,
    cost_micro: add(a.cost_micro, b.cost_micro),
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    ended_count: a.ended_count + b.ended_count,
    success_count: a.success_count + b.success_count,
  };
}
