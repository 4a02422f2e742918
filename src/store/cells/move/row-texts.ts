import { quoted } from "../../postgres/held-connection.ts";
import type { AccountTable } from "./tables.ts";

/** The statements that read, write, compare and delete an account's rows of a table, whatever columns it has. */

/** How rows are told apart by whether the gateway's traffic has counted them; null: all rows of a table. */
export type RowsPart = { readonly counted_seq: string; readonly is_counted: boolean } | null;

/** The numbers of shared rows where an account's rows come to, by their numbers where these are. */
export type Numbers = Readonly<Record<string, string>>;

/** The condition for the account's rows, of the table as `t`. */
export function whose({ account, among }: AccountTable, account_id: string): string {
  const id = quoted(account_id);
  if (among === undefined) return `t.${account ?? "account_id"} = ${id}`;
  const { column, of, key = "id", where = "true" } = among;
  return `t.${column} IN (SELECT o.${key} FROM ${of} AS o WHERE o.account_id = ${id} AND ${where})`;
}

/** How the rows of one table are read in one cell for another. */
export interface Reading {
  readonly table: AccountTable;
  readonly account_id: string;
  /** The columns in the order of the table that the rows come to. */
  readonly columns: readonly string[];
  readonly numbers: Numbers;
  readonly part: RowsPart;
  /** What is added to the places of requests, so that they come before all others there. */
  readonly shift: string;
}

/** A row that was read: as a text that `insertRows` takes, its digest, and what it takes where that is kept. */
export interface ReadAccountRow {
  readonly row: string;
  readonly digest: string;
  readonly bytes: string;
}

/**
 * Reads rows as texts of the table's own row type, with the numbers that shared rows have where they come to. PostgreSQL writes and reads such texts at a tenth of what
 * JSON costs. Each text is made once (`OFFSET 0`), for the row and for its digest.
 */
export function selectRows(reading: Reading): string {
  const { table, account_id, columns, part, shift } = reading;
  const among = part === null ? "" : ` AND t.seq ${part.is_counted ? "<=" : ">"} ${part.counted_seq}`;
  const order = table.order === undefined ? "" : ` ORDER BY t.${table.order}`;
  const [place, row] = part?.is_counted ? [`t.seq + ${shift}`, "'(' || place || substr(text, 2)"] : ["0", "text"];
  if (part !== null && columns[0] !== "seq") throw new Error("A request's row begins with its place.");
  return `SELECT ${row} AS row, md5(text) AS digest, bytes::text AS bytes
    FROM (SELECT ${rowText(reading)} AS text, ${bytesOf(table)} AS bytes, ${place} AS place
      FROM ${table.name} AS t, ${toNumbers(reading)} WHERE ${whose(table, account_id)}${among}${order} OFFSET 0) AS r`;
}

/** Deletes rows that came late, and returns their texts and bytes. */
export function takeRows(reading: Reading): string {
  const { table, account_id } = reading;
  return `DELETE FROM ${table.name} AS t USING ${toNumbers(reading)} WHERE ${whose(table, account_id)} 
    RETURNING ${rowText(reading)} AS row, ${bytesOf(table)}::text AS bytes`;
}

/** `to_no.by`: the numbers where rows come to. The planner makes a constant of it. */
function toNumbers({ numbers }: Reading): string {
  return `(SELECT ${quoted(JSON.stringify(numbers))}::jsonb AS by) AS to_no`;
}

/** A row as it comes to the other cell, but for a request's place. */
function rowText({ table, columns }: Pick<Reading, "table" | "columns">): string {
  return textOf(table, columns, (column) =>
    table.numbers?.columns.includes(column) ? `to_no.by ->> t.${column}::text` : `t.${column}`,
  );
}

function textOf({ name }: AccountTable, columns: readonly string[], toValue: (column: string) => string): string {
  const values = columns.map((column) => (name === "requests" && column === "seq" ? "NULL" : toValue(column)));
  return `ROW(${values.join(", ")})::text`;
}

function bytesOf({ kept_bytes }: AccountTable, of = "t"): string {
  return kept_bytes === undefined ? "0" : `${of}.bytes`;
}

/**
 * Writes rows that are given as the text of an array (`sql/array-text.ts`), with the values of one statement and its laws for all of them. What was not counted gets a new place, so
 * that it is counted where it comes to.
 */
export function insertRows(table: AccountTable, columns: readonly string[], part: RowsPart): string {
  const written = part?.is_counted === false ? columns.filter((column) => column !== "seq") : columns;
  const named = written.join(", ");
  const conflict = table.is_mirrored
    ? ` ON CONFLICT (id) DO UPDATE SET ${written.map((column) => `${column} = excluded.${column}`).join(", ")}`
    : "";
  return `INSERT INTO ${table.name} (${named}) SELECT ${named} FROM unnest($1::text::${table.name}[]) AS r${conflict}`;
}

/** Selects the names of the tables in which an account has rows. */
export function namesOfTables(tables: readonly AccountTable[], account_id: string): string {
  return tables
    .map(
      (table) =>
        `SELECT '${table.name}' AS name WHERE EXISTS (SELECT 1 FROM ${table.name} AS t WHERE ${whose(table, account_id)})`,
    )
    .join(" UNION ALL ");
}

/**
 * The digest of rows that have come: how many there are, their bytes where these are kept, and the sum that `DigestSum` makes of the rows that were read.
 * Each digest is made once (`OFFSET 0`).
 */
export function digestRows(table: AccountTable, account_id: string, columns: readonly string[]): string {
  const half = (from: number): string => `sum(('x' || substr(digest, ${from}, 15))::bit(60)::bigint)`;
  return `SELECT '${table.name}' AS name, count(*)::text AS rows, sum(bytes)::text AS bytes, ${half(1)} || ' ' || ${half(17)} AS digest
    FROM (SELECT md5(${textOf(table, columns, (column) => `t.${column}`)}) AS digest, ${bytesOf(table)} AS bytes
      FROM ${table.name} AS t WHERE ${whose(table, account_id)} OFFSET 0) AS hashed
    HAVING count(*) > 0`;
}

/** Deletes an account's rows, and returns how many. */
export function deleteRows(table: AccountTable, account_id: string): string {
  return `WITH gone AS (DELETE FROM ${table.name} AS t WHERE ${whose(table, account_id)} RETURNING 1 AS one)
    SELECT count(*)::text AS rows FROM gone`;
}

/** The bytes of an account's rows in the tables whose bytes are kept. */
export function sumBytes(tables: readonly AccountTable[], account_id: string): string {
  return tables
    .filter(({ kept_bytes }) => kept_bytes !== undefined)
    .map(
      (table) =>
        `SELECT '${table.name}' AS name, coalesce(sum(t.bytes), 0)::text AS bytes FROM ${table.name} AS t WHERE ${whose(table, account_id)}`,
    )
    .join(" UNION ALL ");
}

/** Adds rows that came late. A row that is there already is not returned. */
export function addLateRows(table: AccountTable, columns: readonly string[]): string {
  const { name, late } = table;
  const insert = insertRows({ name }, columns, null);
  const { key, counts } = late ?? { key: [], counts: [] };
  if (counts.length === 0) return `${insert} ON CONFLICT DO NOTHING RETURNING ${bytesOf(table, name)}::text AS bytes`;
  const sums = counts.map((column) => `${column} = ${name}.${column} + excluded.${column}`);
  return `${insert} ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${sums.join(", ")}`;
}

/** A table's rows of an account. */
export interface TableDigest {
  readonly name: string;
  readonly rows: string;
  /** What the contents and answers that are kept take. */
  readonly bytes: string;
  /** A sum over the digests of all rows, without what each cell numbers by itself. */
  readonly digest: string;
}

/** The sum that `digestRows` makes in the database, of rows that were read. */
export class DigestSum {
  #rows = 0;
  #bytes = 0n;
  #first = 0n;
  #second = 0n;

  add({ digest, bytes }: ReadAccountRow): void {
    this.#rows += 1;
    this.#first += BigInt(`0x${digest.slice(0, 15)}`);
    this.#second += BigInt(`0x${digest.slice(16, 31)}`);
    if (bytes !== "0") this.#bytes += BigInt(bytes);
  }

  digestOf(name: string): TableDigest {
    return {
      name,
      rows: String(this.#rows),
      bytes: String(this.#bytes),
      digest: `${this.#first} ${this.#second}`,
    };
  }
}
