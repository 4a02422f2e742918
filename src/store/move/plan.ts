import type { ColumnType } from "../sql/statement.ts";
import { LEFT, MOVED } from "./tables.ts";

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** How the embedded database is asked for the value, where it has no column of this name. */
  readonly read_as?: string;
}

/** A table with the columns that PostgreSQL has. */
export interface PlannedTable {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly key: readonly Column[];
}

/** The columns of each table of a database, by the table's name. */
export type Schema = ReadonlyMap<string, readonly Column[]>;

/**
 * Which columns of which tables are moved. Throws where a table or a column is in one of the databases and this program has no rule for it:
 * nothing is left out silently.
 */
export function planMove(source: Schema, target: Schema): readonly PlannedTable[] {
  const known = new Set([...MOVED.map(({ name }) => name), ...Object.keys(LEFT)]);
  const unknown = [...source.keys()].filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new Error(`The database has tables that this version cannot move: ${unknown.join(", ")}.`);
  return MOVED.map(({ name, key, left = [], made = {} }) => {
    const own = (source.get(name) ?? []).filter((column) => !left.includes(column.name));
    const computed = Object.entries(made).map(([column, read_as]) => ({
      name: column,
      type: "text" as const,
      read_as,
    }));
    const here: readonly Column[] = [...own, ...computed];
    const there = new Map((target.get(name) ?? []).map((column) => [column.name, column]));
    const names = new Set(here.map((column) => column.name));
    const apart = [...names]
      .filter((column) => !there.has(column))
      .concat([...there.keys()].filter((column) => !names.has(column)));
    if (own.length === 0 || apart.length > 0) {
      const which = apart.length === 0 ? "is missing" : `differ in ${apart.join(", ")}`;
      throw new Error(`The two databases are of different versions of Camino: the tables ${name} ${which}.`);
    }
    // The target's types: SQLite's integers may be numbers of any kind there.
    const columns = here.map((column) => ({ ...column, ...there.get(column.name) }));
    return { name, columns, key: key.map((column) => find(columns, column, name)) };
  });
}

function find(columns: readonly Column[], wanted: string, table: string): Column {
  const found = columns.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`the table ${table} has no column ${wanted}`);
  return found;
}

/** A value as both databases give it here: whole numbers as bigint. */
export type MovedValue = string | bigint | Uint8Array | null;
export type Row = readonly MovedValue[];

/** The key of a row as JSON keeps it. */
export type Position = readonly string[];

export function positionOf({ columns, key }: PlannedTable, row: Row): Position {
  return key.map((column) => String(row[columns.indexOf(column)]));
}

/** The values of a position, in the types of the key's columns. */
export function keyOf({ key }: PlannedTable, position: Position): (string | bigint)[] {
  return position.map((text, at) => (key[at]?.type === "bigint" ? BigInt(text) : text));
}

/** A row as a person finds it again: its table and its key. */
export function nameOf(table: PlannedTable, row: Row): string {
  const position = positionOf(table, row);
  return `${table.name} ${table.key.map(({ name }, at) => `${name} ${JSON.stringify(position[at])}`).join(", ")}`;
}
