/**
 * SQL that is written once and runs on both databases. Placeholders are `?`; PostgreSQL gets `$1`, `$2`, … A statement is
 * made once, at module load, so that a driver can keep what it prepared for it.
 */

export type Value = string | number | bigint | null | Uint8Array;
export type Dialect = "sqlite" | "postgres";

export interface Statement {
  readonly sqlite: string;
  readonly postgres: string;
  /**
   * For a statement over many rows of parameters: the types of a row's values. SQLite runs the statement once per row, or
   * `sqlite_rows` once per many; PostgreSQL gets all rows as one JSON array, so a batch is one round trip.
   */
  readonly set: readonly ColumnType[] | null;
  /** Whether PostgreSQL gets the values of a set's single column as an array, and not rows as JSON. */
  readonly is_array?: boolean;
  /** For an insertion: SQLite's text that inserts `count` rows of parameters at once. */
  readonly sqlite_rows?: (count: number) => string;
}

/** A statement over many rows of parameters. */
export interface SetStatement extends Statement {
  readonly set: readonly ColumnType[];
}

export type ColumnType = "text" | "bigint" | "bytea";

/** One query. `{lock}` stands where PostgreSQL must lock the rows; SQLite has one writer and needs none. */
export function sql(text: string): Statement {
  return {
    sqlite: text.replaceAll("{lock}", ""),
    postgres: numbered(text.replaceAll("{lock}", "FOR NO KEY UPDATE")),
    set: null,
  };
}

/** One query that each database needs in its own dialect. */
export function sqlFor(texts: { readonly sqlite: string; readonly postgres: string }): Statement {
  return { sqlite: texts.sqlite, postgres: numbered(texts.postgres), set: null };
}

/** A query of PostgreSQL alone, about tables or facts that the embedded database does not have. */
export function onPostgres(postgres: string): Statement {
  return sqlFor({ sqlite: "", postgres });
}

/** A query of SQLite alone. */
export function onSqlite(sqlite: string): Statement {
  return sqlFor({ sqlite, postgres: "" });
}

export type Columns = Readonly<Record<string, ColumnType>>;

/** How a record becomes a row of parameters: the values of the fields that the columns are named after, in their order. */
export function valuesBy<Names extends Columns>(
  columns: Names,
): (record: { readonly [Name in keyof Names]: Value }) => Value[] {
  const names = Object.keys(columns) as (keyof Names)[];
  return (record) => names.map((name) => record[name]);
}

interface LookupOptions {
  /** Another condition, that has no parameters. */
  readonly and?: string;
}

/** Selects the rows whose `by` columns equal one of many given ones. */
export function lookup(select: string, by: Columns, { and }: LookupOptions = {}): SetStatement {
  const names = Object.keys(by);
  const is_array = names.length === 1;
  const given = `SELECT ${values(Object.values(by))} FROM jsonb_array_elements($1::text::jsonb) AS v`;
  const more = and === undefined ? "" : ` AND ${and}`;
  return {
    sqlite: `${select} WHERE ${names.map((name) => `${name} = ?`).join(" AND ")}${more}`,
    postgres: is_array
      ? `${select} WHERE ${names[0]} = ANY($1::text::${Object.values(by)[0]}[])${more}`
      : `${select} WHERE (${names.join(", ")}) IN (${given})${more}`,
    set: Object.values(by),
    is_array,
  };
}

/**
 * As `lookup`, by one column that says in which part of a table a row lies: PostgreSQL reads that part alone for each value. It would look into
 * every part for a list of values. No value may be given twice.
 */
export function partLookup(
  select: string,
  [name, type]: readonly [string, ColumnType],
  options: LookupOptions = {},
): SetStatement {
  const where = options.and === undefined ? "" : ` WHERE ${options.and}`;
  return {
    ...lookup(select, { [name]: type }, options),
    postgres: `${select} JOIN unnest($1::text::${type}[]) AS asked (asked_value) ON ${name} = asked_value${where}`,
  };
}

/** For `DO UPDATE SET`: columns that take the values of the row that is inserted. */
export function taken(names: readonly string[]): string {
  return names.map((name) => `${name} = excluded.${name}`).join(", ");
}

/** For `DO UPDATE SET`: columns of a table to which the values of the row that is inserted are added. */
export function addedTo(table: string, names: readonly string[]): string {
  return names.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(", ");
}

interface InsertOptions {
  /** The text behind `ON CONFLICT`. */
  readonly conflict?: string;
  /** Columns that have the same value in all rows, as SQL: each parameter fewer saves time. */
  readonly constants?: Readonly<Record<string, string>>;
  /** What SQLite puts in place of a column's parameter, which stands where the expression has `?`. */
  readonly sqlite_as?: Readonly<Record<string, string>>;
}

/** Inserts many rows. */
export function insertEach(
  table: string,
  columns: Columns,
  { conflict, constants = {}, sqlite_as = {} }: InsertOptions = {},
): SetStatement {
  const names = Object.keys(columns);
  const types = Object.values(columns);
  const same = Object.values(constants);
  const into = `INSERT INTO ${table} (${[...names, ...Object.keys(constants)].join(", ")})`;
  const tail = conflict === undefined ? "" : ` ON CONFLICT ${conflict}`;
  const given = `(${[...names.map((name) => sqlite_as[name] ?? "?"), ...same].join(", ")})`;
  const sqlite_rows = (count: number): string => `${into} VALUES ${Array(count).fill(given).join(", ")}${tail}`;
  return {
    sqlite: sqlite_rows(1),
    sqlite_rows,
    // Ordered, because later entries of an account are checked against earlier ones.
    postgres: `${into} SELECT ${[values(types), ...same].join(", ")} FROM jsonb_array_elements($1::text::jsonb) WITH ORDINALITY AS r(v, n) ORDER BY n${tail}`,
    set: types,
  };
}

/** A column that is set to an expression of its parameter, which stands where the expression has `$`. */
interface Expression {
  readonly type: ColumnType;
  readonly as: string;
}

interface UpdateOptions {
  /** Columns that are set to the same in all rows, as SQL. */
  readonly constants?: Readonly<Record<string, string>>;
  /** Only rows whose column of this name has this value, as SQL: PostgreSQL then looks into one partition. */
  readonly only?: readonly [name: string, value: string];
}

/** Sets columns of many rows. A row of parameters is the `set` values, then the `by` values. */
export function updateEach(
  table: string,
  set: Readonly<Record<string, ColumnType | Expression>>,
  by: Columns,
  { constants = {}, only }: UpdateOptions = {},
): SetStatement {
  const columns = Object.entries(set).map(([name, column]) =>
    typeof column === "string" ? { name, type: column, as: "$" } : { name, ...column },
  );
  const types = [...columns.map(({ type }) => type), ...Object.values(by)];
  const same = Object.entries(constants).map(([name, text]) => `${name} = ${text}`);
  const assigned = columns.map(({ name, type, as }, at) => `${name} = ${as.replace("$", () => value(type, at))}`);
  const given = columns.map(({ name, as }) => `${name} = ${as.replace("$", "?")}`);
  const keys = Object.keys(by);
  const matched = keys.map((name, at) => `t.${name} = ${value(types[columns.length + at], columns.length + at)}`);
  const fixed = only === undefined ? "" : ` AND ${only[0]} = ${only[1]}`;
  return {
    sqlite: `UPDATE ${table} SET ${[...given, ...same].join(", ")} WHERE ${keys.map((name) => `${name} = ?`).join(" AND ")}${fixed}`,
    postgres: `UPDATE ${table} AS t SET ${[...assigned, ...same].join(", ")} FROM jsonb_array_elements($1::text::jsonb) AS v WHERE ${matched.join(" AND ")}${fixed}`,
    set: types,
  };
}

/** Adds to columns of many rows. A row of parameters is what is added, then the `by` values. */
export function addEach(table: string, add: Columns, by: Columns): SetStatement {
  const set = Object.entries(add).map(([name, type]) => [name, { type, as: `${name} + $` }] as const);
  return updateEach(table, Object.fromEntries(set), by);
}

/** Deletes many rows, and returns a column of each that was there where one is named. */
export function deleteEach(
  table: string,
  by: Columns,
  { returning }: { readonly returning?: string } = {},
): SetStatement {
  const types = Object.values(by);
  const names = Object.keys(by);
  const tail = returning === undefined ? "" : ` RETURNING ${returning}`;
  return {
    sqlite: `DELETE FROM ${table} WHERE ${names.map((name) => `${name} = ?`).join(" AND ")}${tail}`,
    postgres: `DELETE FROM ${table} WHERE (${names.join(", ")}) IN (SELECT ${values(types)} FROM jsonb_array_elements($1::text::jsonb) AS v)${tail}`,
    set: types,
  };
}

function values(types: readonly ColumnType[]): string {
  return types.map((type, index) => value(type, index)).join(", ");
}

/** The n-th value of a row that came as a JSON array `v`. */
function value(type: ColumnType | undefined, index: number): string {
  return type === "bytea" ? `decode(v->>${index}, 'base64')` : `(v->>${index})::${type ?? "text"}`;
}

function numbered(text: string): string {
  let count = 0;
  return text.replace(/\?/g, () => `$${++count}`);
}
