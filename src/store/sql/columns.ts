import type { Micro } from "../../core/money/money.ts";
import type { ColumnType, Statement, Value } from "./statement.ts";
import { readJson, toBoolean, toInt, toMicro } from "./values.ts";
import { rows, type Step, type Work } from "./work.ts";

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

/** JSON of our own writing. The caller names the type of what was written. */
export function json<Shape>(): ColumnKind<Shape> {
  return { type: "text", toValue: JSON.stringify, read: (value) => readJson<Shape>(value as string) };
}

export function jsonOrNull<Shape>(): ColumnKind<Shape | null> {
  return orNull(json<Shape>());
}

function orNull<Shape>({ type, toValue, read }: ColumnKind<Shape>): ColumnKind<Shape | null> {
  return {
    type,
    toValue: (value) => (value === null ? null : toValue(value)),
    read: (value) => (value === null || value === undefined ? null : read(value)),
  };
}

/** The columns of a row that is read, by their names. */
type ColumnKinds = Readonly<Record<string, Pick<ColumnKind<unknown>, "read">>>;

/** A row as the database gives it: texts are what they are, all else is to be read. */
export type RawRow<Of> = {
  readonly [Name in keyof Of]: Of[Name] extends { read(value: unknown): infer Shape }
    ? Shape extends string | null
      ? Shape
      : unknown
    : never;
};

export type ReadRow<Of> = {
  readonly [Name in keyof Of]: Of[Name] extends { read(value: unknown): infer Shape } ? Shape : never;
};

/** The columns as a statement names them, of a table that has a short name where the statement gives it one. */
export function columnsOf(kinds: Readonly<Record<string, unknown>>, table?: string): string {
  const names = Object.keys(kinds);
  return (table === undefined ? names : names.map((name) => `${table}.${name}`)).join(", ");
}

/** The types of the columns, for a statement over many rows of them. */
export function typesOf(
  kinds: Readonly<Record<string, Pick<ColumnKind<unknown>, "type">>>,
): Record<string, ColumnType> {
  return Object.fromEntries(Object.entries(kinds).map(([name, { type }]) => [name, type]));
}

export function valuesOf<Of extends Readonly<Record<string, ColumnKind<unknown>>>>(
  kinds: Of,
  record: ReadRow<Of>,
): Value[] {
  return Object.entries(kinds).map(([name, { toValue }]) => toValue(record[name]));
}

export function readRow<Of extends ColumnKinds>(kinds: Of, row: RawRow<Of>): ReadRow<Of> {
  const raw = row as Readonly<Record<string, unknown>>;
  const read: Record<string, unknown> = {};
  for (const name in kinds) read[name] = kinds[name]?.read(raw[name]);
  return read as ReadRow<Of>;
}

/** Runs one statement and reads its rows. */
export function* readRows<Of extends ColumnKinds>(
  kinds: Of,
  statement: Statement,
  params: Step["params"] = [],
): Work<ReadRow<Of>[]> {
  return (yield* rows<RawRow<Of>>(statement, params)).map((found) => readRow(kinds, found));
}

/** The first row of a statement, read; or null. */
export function* readFirst<Of extends ColumnKinds>(
  kinds: Of,
  statement: Statement,
  params: Step["params"] = [],
): Work<ReadRow<Of> | null> {
  const [first] = yield* rows<RawRow<Of>>(statement, params);
  return first === undefined ? null : readRow(kinds, first);
}
