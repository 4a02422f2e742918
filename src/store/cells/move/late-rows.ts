import type { HeldConnection } from "../../postgres/held-connection.ts";
import type { CellConnection } from "./cell-connection.ts";
import { numbersFor } from "./copy-account.ts";
import { addLateRows, deleteRows, takeRows } from "./row-texts.ts";
import { ACCOUNT_TABLES } from "./tables.ts";

const LATE_TABLES = ACCOUNT_TABLES.filter(({ late }) => late !== undefined);

/** The accounts of which a cell has rows and no account: they came when the account had left. */
export async function lateAccounts(cell: CellConnection): Promise<string[]> {
  const of = LATE_TABLES.map(({ name }) => `SELECT account_id FROM ${name}`).join(" UNION ");
  const found = await (await cell.beside).run<{ account_id: string }>(
    `SELECT account_id FROM (${of}) AS rows_here WHERE NOT EXISTS (
      SELECT 1 FROM accounts AS a WHERE a.id = rows_here.account_id AND a.cell IS NULL) AND account_id <> ''`,
  );
  return found.map(({ account_id }) => account_id);
}

/**
 * Brings after an account what gateways that had not heard of its move have added to the cell that it left: contents, answers that are kept, counts of refusals. Counts
 * add up; where the new cell has the same row otherwise, that one stays. Returns how many rows there were.
 */
export async function bringLate(from: CellConnection, to: CellConnection, account_id: string): Promise<number> {
  const columns = await to.columns();
  const [leaving, coming] = [await from.leaving, await to.coming];
  return await leaving.transact(async () => {
    const found: { readonly name: string; readonly rows: readonly string[] }[] = [];
    for (const table of LATE_TABLES.toReversed()) {
      const numbers = await numbersFor({ from, to, account_id }, table);
      const gone = await leaving.run<{ row: string }>(takeRows({ table, account_id, numbers, part: null, shift: "0" }));
      found.push({ name: table.name, rows: gone.map(({ row }) => row) });
    }
    await coming.transact(async () => {
      for (const table of LATE_TABLES) {
        const rows = found.find(({ name }) => name === table.name)?.rows ?? [];
        const insert = addLateRows(table, columns.get(table.name) ?? []);
        for (const row of rows) await coming.run(insert, [`[${row}]`]);
      }
    });
    return found.reduce((sum, { rows }) => sum + rows.length, 0);
  });
}

/** Deletes what came to a cell after an account had left it, and was not brought after it: the account comes back with all that it has. */
export async function dropLate(connection: HeldConnection, account_id: string): Promise<void> {
  for (const table of LATE_TABLES.toReversed()) await connection.run(deleteRows(table, account_id));
}
