import { quoted } from "../../postgres/held-connection.ts";
import type { AccountTable } from "./tables.ts";

/** The statements that read, write, compare and delete an account's rows of a table, whatever columns it has. */

/** How rows are told apart by whether the gateway's traffic has counted them; null: all rows of a table. */
export type Part = { readonly counted_seq: string; readonly is_counted: boolean } | null;

/** What a number of a shared row is where the rows come to, by the number where they are. */
export type Numbers = Readonly<Record<string, string>>;

/** The condition for the account's rows, of the table as `t`. */
export function whose({ account, among }: AccountTable, account_id: string): string {
  const id = quoted(account_id);
  if (among === undefined) return `t.${account ?? "account_id"} = ${id}`;
  return `t.${among.column} IN (SELECT o.${among.key ?? "id"} FROM ${among.of} AS o WHERE o.account_id = ${id})`;
}

/** How the rows of one table are read in one cell for another. */
export interface Reading {
  readonly table: AccountTable;
  readonly account_id: string;
  readonly numbers: Numbers;
  readonly part: Part;
  /** What is added to the places of requests, so that they come before all others there. */
  readonly shift: string;
}

/** Reads rows as JSON texts, with the numbers that shared texts have where they come to. */
export function selectRows(reading: Reading): string {
  const { table, account_id, part } = reading;
  const among = part === null ? "" : ` AND t.seq ${part.is_counted ? "<=" : ">"} ${part.counted_seq}`;
  const order = table.order === undefined ? "" : ` ORDER BY t.${table.order}`;
  return `SELECT ${rowText(reading)} FROM ${table.name} AS t WHERE ${whose(table, account_id)}${among}${order}`;
}

/** Deletes rows that came late, and returns them like `selectRows`. */
export function takeRows(reading: Reading): string {
  const { table, account_id } = reading;
  return `DELETE FROM ${table.name} AS t WHERE ${whose(table, account_id)} RETURNING ${rowText(reading)}`;
}

function rowText({ table, numbers, part, shift }: Reading): string {
  const changed = (table.numbers?.columns ?? []).map(
    (column) => `'${column}', (${quoted(JSON.stringify(numbers))}::jsonb ->> t.${column}::text)::bigint`,
  );
  if (part?.is_counted === true) changed.push(`'seq', t.seq + ${shift}`);
  const row = changed.length === 0 ? "to_jsonb(t)" : `to_jsonb(t) || jsonb_build_object(${changed.join(", ")})`;
  return `(${row})::text AS row`;
}

/** Writes rows that are given as one JSON text. What was not counted gets a new place, so that it is counted where it comes to. */
export function insertRows(table: AccountTable, columns: readonly string[], part: Part): string {
  const written = part?.is_counted === false ? columns.filter((column) => column !== "seq") : columns;
  const names = written.join(", ");
  const conflict = table.is_mirrored
    ? ` ON CONFLICT (id) DO UPDATE SET ${written.map((column) => `${column} = excluded.${column}`).join(", ")}`
    : "";
  return `INSERT INTO ${table.name} (${names}) SELECT ${names} FROM jsonb_populate_recordset(NULL::${table.name}, $1::text::jsonb)${conflict}`;
}

/**
 * How many rows an account has in each table that has some, what they take where that is kept, and a sum over the digests of all of them, which is the same in each
 * cell.
 */
export function digestTables(tables: readonly AccountTable[], account_id: string): string {
  return tables.map((table) => digestRows(table, account_id)).join(" UNION ALL ");
}

function digestRows(table: AccountTable, account_id: string): string {
  const { name, numbers } = table;
  const what = numbers?.of === "texts" ? "s.digest" : "s.model || ' ' || s.vendor || ' ' || s.upstream_model";
  const named = (numbers?.columns ?? []).map(
    (column) => `'${column}', (SELECT ${what} FROM ${numbers?.of} AS s WHERE s.no = t.${column})`,
  );
  const whole = name === "requests" ? "(to_jsonb(t) - 'seq')" : "to_jsonb(t)";
  const row = named.length === 0 ? whole : `(${whole} || jsonb_build_object(${named.join(", ")}))`;
  const bytes = table.kept_bytes === undefined ? "0" : "bytes";
  const half = (from: number): string => `sum(('x' || substr(h, ${from}, 15))::bit(60)::bigint)`;
  return `SELECT '${name}' AS name, count(*)::text AS rows, sum(bytes)::text AS bytes, ${half(1)} || ' ' || ${half(17)} AS digest
    FROM (SELECT md5(${row}::text) AS h, ${bytes} AS bytes FROM ${name} AS t WHERE ${whose(table, account_id)}) AS hashed
    HAVING count(*) > 0`;
}

/** Deletes an account's rows, and returns how many. */
export function deleteRows(table: AccountTable, account_id: string): string {
  return `WITH gone AS (DELETE FROM ${table.name} AS t WHERE ${whose(table, account_id)} RETURNING 1 AS one)
    SELECT count(*)::text AS rows FROM gone`;
}

/** Adds rows that came late to those that are there. */
export function addLateRows({ name, late }: AccountTable, columns: readonly string[]): string {
  const insert = insertRows({ name }, columns, null);
  const { key, counts } = late ?? { key: [], counts: [] };
  if (counts.length === 0) return `${insert} ON CONFLICT DO NOTHING`;
  const sums = counts.map((column) => `${column} = ${name}.${column} + excluded.${column}`);
  return `${insert} ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${sums.join(", ")}`;
}
