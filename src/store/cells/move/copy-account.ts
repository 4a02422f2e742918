import type { HeldConnection } from "../../postgres/held-connection.ts";
import type { CellConnection } from "./cell-connection.ts";
import { digestTables, insertRows, type Numbers, type Part, selectRows } from "./row-texts.ts";
import { ACCOUNT_TABLES, type AccountTable } from "./tables.ts";

/** A table's rows of an account. */
export interface TableDigest {
  readonly name: string;
  readonly rows: string;
  /** What the contents and answers that are kept take. */
  readonly bytes: string;
  /** A sum over the digests of all rows, without what each cell numbers by itself. */
  readonly digest: string;
}

export interface Copying {
  readonly account_id: string;
  readonly from: CellConnection;
  readonly to: CellConnection;
  readonly columns: ReadonlyMap<string, readonly string[]>;
  /** The tables that have rows of the account. */
  readonly tables: readonly TableDigest[];
  /** Up to which place the requests' traffic has been counted. */
  readonly counted_seq: string;
}

/** How many rows travel together; of those with contents, a few. */
const AT_ONCE = 500;
const LARGE_AT_ONCE = 10;

/**
 * Copies all rows of an account, from the transaction of the one cell that reads them to that of the other one that writes them. Throws where they are not as many as were
 * counted.
 */
export async function copyAccount(copying: Copying): Promise<void> {
  const { from, to, account_id, tables } = copying;
  const [leaving, coming] = [await from.leaving, await to.coming];
  const shift = await shiftOf(copying);
  const counted = new Map(tables.map(({ name, rows }) => [name, Number(rows)]));
  for (const table of ACCOUNT_TABLES) {
    if (!counted.has(table.name)) continue;
    const numbers = await numbersFor(copying, table);
    const parts: Part[] = table.name === "requests" ? bothParts(copying.counted_seq) : [null];
    let rows = 0;
    for (const part of parts) {
      const insert = insertRows(table, copying.columns.get(table.name) ?? [], part);
      const select = selectRows({ table, account_id, numbers, part, shift });
      for await (const chunk of chunksOf(leaving, select, table.is_large ? LARGE_AT_ONCE : AT_ONCE)) {
        await coming.run(insert, [`[${chunk.join(",")}]`]);
        rows += chunk.length;
      }
    }
    if (rows !== counted.get(table.name))
      throw new Error(`${table.name}: ${rows} rows of ${counted.get(table.name)} were read`);
  }
}

function bothParts(counted_seq: string): Part[] {
  return [
    { counted_seq, is_counted: true },
    { counted_seq, is_counted: false },
  ];
}

/** The rows of a statement, some at a time. */
async function* chunksOf(connection: HeldConnection, select: string, at_once: number): AsyncGenerator<string[]> {
  await connection.run(`DECLARE account_rows NO SCROLL CURSOR FOR ${select}`);
  for (;;) {
    const found = await connection.run<{ row: string }>(`FETCH ${at_once} FROM account_rows`);
    if (found.length > 0) yield found.map(({ row }) => row);
    if (found.length < at_once) break;
  }
  await connection.run("CLOSE account_rows");
}

/**
 * What is added to the places of requests whose traffic was counted: they come before all that the other cell has, so that their order stays and nobody counts them
 * again.
 */
async function shiftOf({ from, to, account_id, counted_seq }: Copying): Promise<string> {
  const [last] = await (await from.leaving).run<{ seq: string }>(
    "SELECT coalesce(max(seq), 0)::text AS seq FROM requests WHERE account_id = $1 AND seq <= $2::text::bigint",
    [account_id, counted_seq],
  );
  const [first] = await (await to.beside).run<{ seq: string }>("SELECT least(min(seq), 0)::text AS seq FROM requests");
  return String(BigInt(first?.seq ?? "0") - 1n - BigInt(last?.seq ?? "0"));
}

/** The numbers in the other cell of the shared rows that an account's rows of a table name. What it lacks is added there at once: others wait for no move. */
export async function numbersFor(
  { from, to, account_id }: Pick<Copying, "from" | "to" | "account_id">,
  { name, numbers }: AccountTable,
): Promise<Numbers> {
  if (numbers === undefined) return {};
  const used = numbers.columns.map((column) => `SELECT ${column} FROM ${name} WHERE account_id = $1`).join(" UNION ");
  const key = numbers.of === "texts" ? ["digest", "text"] : ["model", "vendor", "upstream_model"];
  const found = await (await from.leaving).run<Record<string, string>>(
    `SELECT no::text AS no, ${key.join(", ")} FROM ${numbers.of} WHERE no IN (${used}) ORDER BY ${key[0]}`,
    [account_id],
  );
  const by = numbers.of === "texts" ? ["digest"] : key;
  const columns = key.join(", ");
  const given = JSON.stringify(found);
  const beside = await to.beside;
  await beside.run(
    `INSERT INTO ${numbers.of} (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::${numbers.of}, $1::text::jsonb)
      ON CONFLICT (${by.join(", ")}) DO NOTHING`,
    [given],
  );
  const there = await beside.run<{ was: string; no: string }>(
    `SELECT g.no::text AS was, s.no::text AS no FROM jsonb_populate_recordset(NULL::${numbers.of}, $1::text::jsonb) AS g
      JOIN ${numbers.of} AS s ON ${by.map((column) => `s.${column} = g.${column}`).join(" AND ")}`,
    [given],
  );
  return Object.fromEntries(there.map(({ was, no }) => [was, no]));
}

/** What an account's rows are: the tables that have some. */
export async function digestsOf(connection: HeldConnection, account_id: string): Promise<readonly TableDigest[]> {
  return await connection.run<TableDigest>(digestTables(ACCOUNT_TABLES, account_id));
}

/** Adds what has come to a cell to the marks of what is kept there, or takes away what has left. */
export async function keepBytes(
  connection: HeldConnection,
  tables: readonly TableDigest[],
  sign: 1 | -1,
): Promise<void> {
  for (const { name, bytes } of tables) {
    const mark = ACCOUNT_TABLES.find((table) => table.name === name)?.kept_bytes;
    if (mark === undefined) continue;
    await connection.run("UPDATE marks SET value = value + $2::text::bigint WHERE name = $1", [
      mark,
      String(BigInt(bytes) * BigInt(sign)),
    ]);
  }
}

/** Requests that the one cell may have deleted are not looked for in the other one either. Before they come: then the other one's audit does not miss them. */
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
