import type { HeldConnection } from "../../postgres/held-connection.ts";
import { arrayText } from "../../sql/array-text.ts";
import type { CellConnection } from "./cell-connection.ts";
import {
  DigestSum,
  digestRows,
  insertRows,
  type Numbers,
  namesOfTables,
  type ReadAccountRow,
  type RowsPart,
  selectRows,
  sumBytes,
  type TableDigest,
} from "./row-texts.ts";
import { ACCOUNT_TABLES, type AccountTable } from "./tables.ts";

export interface Copying {
  readonly account_id: string;
  readonly from: CellConnection;
  readonly to: CellConnection;
  /** The columns of the tables where the rows come to, in their order. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
  /** Up to which place the requests' traffic has been counted. */
  readonly counted_seq: string;
}

/** How many rows travel together; of those with contents, a few. */
const AT_ONCE = 1000;
const LARGE_AT_ONCE = 10;

/**
 * Copies all rows of an account, from the transaction of the one cell that reads them to that of the other one that writes them. Returns what was read: the tables that have
 * rows.
 */
export async function copyAccount(copying: Copying): Promise<readonly TableDigest[]> {
  const { from, account_id } = copying;
  const shift = await shiftOf(copying);
  const found = await (await from.leaving).run<{ name: string }>(namesOfTables(ACCOUNT_TABLES, account_id));
  const has_rows = new Set(found.map(({ name }) => name));
  const tables: TableDigest[] = [];
  for (const table of ACCOUNT_TABLES) {
    if (!has_rows.has(table.name)) continue;
    const numbers = await numbersFor(copying, table);
    const sum = new DigestSum();
    for (const part of table.name === "requests" ? bothParts(copying.counted_seq) : [null])
      await copyPart({ ...copying, table, part, numbers, shift, sum });
    tables.push(sum.digestOf(table.name));
  }
  return tables;
}

function bothParts(counted_seq: string): RowsPart[] {
  return [
    { counted_seq, is_counted: true },
    { counted_seq, is_counted: false },
  ];
}

interface CopyingPart extends Copying {
  readonly table: AccountTable;
  readonly part: RowsPart;
  readonly numbers: Numbers;
  readonly shift: string;
  readonly sum: DigestSum;
}

/** While the one server writes a chunk, the other one reads the next but one, and the next is brought into its form here. */
async function copyPart(copying: CopyingPart): Promise<void> {
  const { table, part, sum } = copying;
  const [leaving, coming] = [await copying.from.leaving, await copying.to.coming];
  const columns = copying.columns.get(table.name) ?? [];
  const insert = insertRows(table, columns, part);
  const at_once = table.is_large ? LARGE_AT_ONCE : AT_ONCE;
  const nextRows = () => awaitedLater(leaving.run<ReadAccountRow>(`FETCH ${at_once} FROM account_rows`));
  await leaving.run(`DECLARE account_rows NO SCROLL CURSOR FOR ${selectRows({ ...copying, columns })}`);
  let reading = nextRows();
  let writing: Promise<unknown> = Promise.resolve();
  for (let is_last = false; !is_last; ) {
    const chunk = await reading;
    is_last = chunk.length < at_once;
    if (!is_last) reading = nextRows();
    for (const row of chunk) sum.add(row);
    const rows = arrayText(chunk.map(({ row }) => row));
    await writing;
    if (chunk.length > 0) writing = awaitedLater(coming.run(insert, [rows]));
  }
  await writing;
  await leaving.run("CLOSE account_rows");
}

/** A promise that is awaited later. Its rejection is not reported as unhandled where another failure comes first. */
function awaitedLater<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {});
  return promise;
}

/**
 * What is added to `seq` of requests whose traffic was counted: in the other cell they come before all others, in their order, and are not counted
 * again.
 */
async function shiftOf({ from, to, account_id, counted_seq }: Copying): Promise<string> {
  const [last] = await (await from.leaving).run<{ seq: string }>(
    // `seq + 0` keeps PostgreSQL from walking the index of all requests for the account's newest.
    "SELECT coalesce(max(seq + 0), 0)::text AS seq FROM requests WHERE account_id = $1 AND seq <= $2::text::bigint",
    [account_id, counted_seq],
  );
  const [first] = await (await to.beside).run<{ seq: string }>("SELECT least(min(seq), 0)::text AS seq FROM requests");
  return String(BigInt(first?.seq ?? "0") - 1n - BigInt(last?.seq ?? "0"));
}

/**
 * The numbers in the other cell of the shared rows that an account's rows of a table name. What it lacks is added there at once: others wait for no move. Throws where one is
 * not what it is here.
 */
export async function numbersFor(
  { from, to, account_id }: Pick<Copying, "from" | "to" | "account_id">,
  { name, numbers }: AccountTable,
): Promise<Numbers> {
  if (numbers === undefined) return {};
  const used = numbers.columns.map((column) => `SELECT ${column} FROM ${name} WHERE account_id = $1`).join(" UNION ");
  const key = numbers.of === "texts" ? ["digest", "text"] : ["model", "vendor", "upstream_model"];
  const columns = key.join(", ");
  const found = await (await from.leaving).run<SharedRow>(
    `SELECT no::text AS no, ${columns} FROM ${numbers.of} WHERE no IN (${used}) ORDER BY ${key[0]}`,
    [account_id],
  );
  const by = numbers.of === "texts" ? ["digest"] : key;
  const given = JSON.stringify(found);
  const beside = await to.beside;
  await beside.run(
    `INSERT INTO ${numbers.of} (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::${numbers.of}, $1::text::jsonb)
      ON CONFLICT (${by.join(", ")}) DO NOTHING`,
    [given],
  );
  const there = await beside.run<SharedRow & { readonly was: string }>(
    `SELECT g.no::text AS was, s.no::text AS no, ${key.map((column) => `s.${column}`).join(", ")}
      FROM jsonb_populate_recordset(NULL::${numbers.of}, $1::text::jsonb) AS g
      JOIN ${numbers.of} AS s ON ${by.map((column) => `s.${column} = g.${column}`).join(" AND ")}`,
    [given],
  );
  const arrived = new Map(there.map((row) => [row.was, row]));
  for (const row of found)
    if (key.some((column) => row[column] !== arrived.get(row.no)?.[column]))
      throw new Error(`${numbers.of}: ${row.no} is not what it is in ${from.name}`);
  return Object.fromEntries(there.map(({ was, no }) => [was, no]));
}

type SharedRow = { readonly no: string } & Readonly<Record<string, string>>;

/** What has come of an account: the tables that have rows, read from them. */
export async function readArrived(
  coming: HeldConnection,
  { account_id, columns }: Pick<Copying, "account_id" | "columns">,
): Promise<readonly TableDigest[]> {
  return await coming.run<TableDigest>(
    ACCOUNT_TABLES.map((table) => digestRows(table, account_id, columns.get(table.name) ?? [])).join(" UNION ALL "),
  );
}

/** What an account's rows take that are kept by size. */
export async function bytesOf(connection: HeldConnection, account_id: string): Promise<readonly TableBytes[]> {
  return await connection.run<TableBytes>(sumBytes(ACCOUNT_TABLES, account_id));
}

export type TableBytes = Pick<TableDigest, "name" | "bytes">;

/** Adds what has come to a cell to the marks of what is kept there, or takes away what has left. */
export async function keepBytes(
  connection: HeldConnection,
  tables: readonly TableBytes[],
  sign: 1 | -1,
): Promise<void> {
  for (const { name, bytes } of tables) {
    const mark = ACCOUNT_TABLES.find((table) => table.name === name)?.kept_bytes;
    if (mark === undefined || bytes === "0") continue;
    await connection.run("UPDATE marks SET value = value + $2::text::bigint WHERE name = $1", [
      mark,
      String(BigInt(bytes) * BigInt(sign)),
    ]);
  }
}

/** The other cell's audit must not look for requests that this cell may have deleted, so its mark is raised before the account's rows come. */
export async function raiseKeptSince(from: CellConnection, to: CellConnection): Promise<void> {
  const [mark] = await (await from.beside).run<{ value: string }>(
    "SELECT value::text AS value FROM marks WHERE name = 'requests_kept_since_ms'",
  );
  if (mark === undefined) return;
  await (await to.beside).run(
    `INSERT INTO marks (name, value) VALUES ('requests_kept_since_ms', $1::text::bigint)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE marks.value < excluded.value`,
    [mark.value],
  );
}
