import type { Micro } from "../../core/money/money.ts";
import type { ColumnType, Value } from "../sql/statement.ts";
import { toBoolean, toInt, toMicro } from "../sql/values.ts";

/** How a value stands in a column, and how it is read from there. */
export interface ColumnKind<Shape> {
  readonly type: ColumnType;
  toValue(value: Shape): Value;
  read(value: unknown): Shape;
}

function asItIs<Shape extends string | null>(): ColumnKind<Shape> {
  return { type: "text", toValue: (value) => value, read: (value) => value as Shape };
}

export const text = asItIs<string>();
export const textOrNull = asItIs<string | null>();
/** A text of a few that the contract names. */
export function word<Word extends string | null>(): ColumnKind<Word> {
  return asItIs<Word>();
}

export const int: ColumnKind<number> = { type: "bigint", toValue: (value) => value, read: toInt };
export const intOrNull = orNull(int);
/** A time that may have been measured more finely. */
export const msOrNull = orNull<number>({ ...int, toValue: Math.round });
/** The same in four bytes, which PostgreSQL has for it: 24 days are more than any attempt takes. */
export const shortMsOrNull = orNull<number>({ ...int, toValue: (ms) => Math.min(Math.round(ms), 2 ** 31 - 1) });
export const amount: ColumnKind<Micro> = { type: "bigint", toValue: (value) => value, read: toMicro };
export const amountOrNull = orNull(amount);
export const flag: ColumnKind<boolean> = {
  type: "bigint",
  toValue: (value) => (value ? 1 : 0),
  read: toBoolean,
};

function orNull<Shape>({ type, toValue, read }: ColumnKind<Shape>): ColumnKind<Shape | null> {
  return {
    type,
    toValue: (value) => (value === null ? null : toValue(value)),
    read: (value) => (value === null || value === undefined ? null : read(value)),
  };
}

/** The columns of a row that is read, by their names. */
type Kinds = Readonly<Record<string, ColumnKind<unknown>>>;

/** A row as the database gives it: texts are what they are, all else is to be read. */
export type RawRow<Of> = {
  readonly [Name in keyof Of]: Of[Name] extends ColumnKind<infer Shape>
    ? Shape extends string | null
      ? Shape
      : unknown
    : never;
};

type ReadRow<Of> = { readonly [Name in keyof Of]: Of[Name] extends ColumnKind<infer Shape> ? Shape : never };

/** The columns as a statement names them. */
export function columnsOf(kinds: Kinds): string {
  return Object.keys(kinds).join(", ");
}

export function readRow<Of extends Kinds>(kinds: Of, row: RawRow<Of>): ReadRow<Of> {
  const raw = row as Readonly<Record<string, unknown>>;
  const read: Record<string, unknown> = {};
  for (const name in kinds) read[name] = kinds[name]?.read(raw[name]);
  return read as ReadRow<Of>;
}
