import { UNIT_COUNTS } from "../../core/money/price-classes.ts";
import type { Dialect } from "../sql/statement.ts";

/** The largest amount that a JSON number holds exactly. */
const MAX = "9007199254740991";

/** The ends of the windows of a budget. */
export const WINDOWS = "('day', 'week', 'month')";

export const USAGE_COUNTS: readonly string[] = [
  ...["cost_micro", "prompt_tokens", "completion_tokens", "ended_count", "success_count"],
  ...["refused_count", "replayed_count"],
  ...UNIT_COUNTS,
];

/**
 * The words of a dialect for types and tables. Money is whole micro units within the range in which JSON numbers are exact; checks
 * enforce the range in the database too. Days are counted from 1970-01-01. Booleans are 0 or 1. JSON is stored as text, because it is
 * never searched.
 */
export function columnTypes(dialect: Dialect) {
  const is_sqlite = dialect === "sqlite";
  const int = is_sqlite ? "INTEGER" : "BIGINT";
  // On SQLite, a table whose key is text is its own index.
  const clustered = is_sqlite ? " STRICT, WITHOUT ROWID" : "";
  return {
    int,
    // Ids and codes are compared byte by byte: this is quicker, and the order is equal on both databases.
    text: is_sqlite ? "TEXT" : 'TEXT COLLATE "C"',
    bytes: is_sqlite ? "BLOB" : "BYTEA",
    serial: is_sqlite ? "INTEGER PRIMARY KEY" : "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    clustered,
    plain: is_sqlite ? " STRICT" : "",
    /** A clustered table whose rows change often: they get free space in their page, so that PostgreSQL changes them in place. */
    roomy: (fillfactor: 50 | 70): string => (is_sqlite ? clustered : ` WITH (fillfactor = ${fillfactor})`),
    amount: (name: string): string => `${name} ${int} NOT NULL CHECK (${inRange(name)})`,
    maybeAmount: (name: string): string => `${name} ${int} CHECK (${inRange(name)})`,
    signed: (name: string): string => `${name} ${int} NOT NULL CHECK (${name} BETWEEN -${MAX} AND ${MAX})`,
    count: (name: string): string => `${name} ${int} NOT NULL DEFAULT 0 CHECK (${name} >= 0)`,
    flag: (name: string, value: 0 | 1 = 0): string =>
      `${name} ${int} NOT NULL DEFAULT ${value} CHECK (${name} IN (0, 1))`,
  };
}

/** A condition that an amount is within its range. */
export function inRange(name: string): string {
  return `${name} BETWEEN 0 AND ${MAX}`;
}

/** A condition for a flag on the hot path. */
export function isFlag(name: string): string {
  return `${name} = 0 OR ${name} = 1`;
}

/** SQLite builds a table for an IN of more than two values for each row; comparisons cost nothing. */
export function isOneOf(name: string, ...values: string[]): string {
  return values.map((value) => `${name} = '${value}'`).join(" OR ");
}

/** The columns that the window and the raise of a budget have after those that began with it. */
export function budgetMore({ flag, maybeAmount, int, text }: ReturnType<typeof columnTypes>): readonly string[] {
  // A budget that never renews has `budget_once` and the window `month`. A raise ends without a write: readers compare its time.
  return [flag("budget_once"), maybeAmount("raise_micro"), `raise_until_ms ${int}`, `raise_by ${text}`];
}

/** A trigger that refuses changes for which `when` is true, in every statement. PostgreSQL's function is made with the first tables. */
export function refusal(
  dialect: Dialect,
  name: string,
  when: `${"UPDATE" | "DELETE"} ON ${string}`,
  why: string,
): string {
  const trigger = `CREATE TRIGGER ${name} BEFORE ${when}`;
  return dialect === "sqlite"
    ? `${trigger}
    BEGIN SELECT RAISE(ABORT, '${why}'); END`
    : `${trigger}
    FOR EACH ROW EXECUTE FUNCTION refuse_change('${why}')`;
}
