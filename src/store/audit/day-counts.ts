import { UNIT_COUNTS, type UnitCount } from "../../core/money/price-classes.ts";
import { amount, columnsOf, int } from "../sql/columns.ts";
import { type Dialect, type Statement, sqlFor, taken } from "../sql/statement.ts";

/** What requests add to a day's usage, in all tables of usage by day. Refusals and replays have no rows of their own to be compared with. */
export const DAY_COUNTS = {
  cost_micro: amount,
  prompt_tokens: int,
  completion_tokens: int,
  ended_count: int,
  success_count: int,
  input_characters: int,
  input_seconds: int,
  images: int,
  searches: int,
} as const;
type DayCountName = keyof typeof DAY_COUNTS;
type Counts = Readonly<Record<DayCountName, string>>;

export const DAY_COUNT_NAMES = Object.keys(DAY_COUNTS) as readonly DayCountName[];
export const DAY_COLUMNS: string = columnsOf(DAY_COUNTS);
export const DAY_SUMS: string = listed((name) => `CAST(sum(${name}) AS BIGINT) AS ${name}`);
/** Sets a row's counts to those that were to be inserted, or to nothing. */
export const DAY_RECOUNTED: string = taken(DAY_COUNT_NAMES);
export const DAY_CLEARED: string = listed((name) => `${name} = 0`);

function listed(textOf: (name: DayCountName) => string): string {
  return DAY_COUNT_NAMES.map(textOf).join(", ");
}

/** The count of a unit in a request's `usage_extra`, which is null for nearly every request. */
const UNIT_OF: Readonly<Record<Dialect, (name: UnitCount) => string>> = {
  sqlite: (name) => `coalesce(CAST(r.usage_extra ->> '$.units.${name}' AS INTEGER), 0)`,
  postgres: (name) => `coalesce((r.usage_extra::json #>> '{units,${name}}')::bigint, 0)`,
};

function ofEachUnit(textOf: (name: UnitCount) => string): Readonly<Record<UnitCount, string>> {
  const texts: Record<UnitCount, string> = { input_characters: "", input_seconds: "", images: "", searches: "" };
  for (const name of UNIT_COUNTS) texts[name] = textOf(name);
  return texts;
}

/** The counts of an ended request `r`. */
function ofRequest(dialect: Dialect): Counts {
  return {
    cost_micro: "r.charge_micro",
    prompt_tokens: "coalesce(r.input_tokens + r.cache_read_tokens + r.cache_write_tokens, 0)",
    completion_tokens: "coalesce(r.output_tokens, 0)",
    ended_count: "1",
    success_count: "r.success",
    ...ofEachUnit(UNIT_OF[dialect]),
  };
}

/** What a late end `l` adds to the counts of its request (docs/rulings.md 146). */
const OF_LATE_END: Counts = {
  cost_micro: "l.difference_micro",
  prompt_tokens: "l.prompt_tokens",
  completion_tokens: "l.completion_tokens",
  ended_count: "0",
  success_count: "l.success_count",
  ...ofEachUnit((name) => `l.${name}`),
};

/** What each late end `l` adds, as a list of columns. */
export const LATE_COUNTS: string = listed((name) => `${OF_LATE_END[name]} AS ${name}`);

/** A statement with the counts of each ended request `r`, as a list of columns. */
export function withCounts(textOf: (counts: string) => string): Statement {
  return inBoth((dialect) => {
    const counts = ofRequest(dialect);
    return textOf(listed((name) => `${counts[name]} AS ${name}`));
  });
}

/** The counts of each ended request `r` with what its late end `l` adds, which is joined to the left. */
export function endedCounts(dialect: Dialect): string {
  const counts = ofRequest(dialect);
  return listed((name) => `${counts[name]} + coalesce(${OF_LATE_END[name]}, 0) AS ${name}`);
}

export function inBoth(textOf: (dialect: Dialect) => string): Statement {
  return sqlFor({ sqlite: textOf("sqlite"), postgres: textOf("postgres") });
}
