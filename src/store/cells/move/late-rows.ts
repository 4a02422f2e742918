import type { HeldConnection } from "../../postgres/held-connection.ts";
import { arrayText } from "../../sql/array-text.ts";
import type { CellConnection } from "./cell-connection.ts";
import { bytesOf, keepBytes, numbersFor, type TableBytes } from "./copy-account.ts";
import { addLateRows, deleteRows, takeRows } from "./row-texts.ts";
import { ACCOUNT_TABLES, type AccountTable } from "./tables.ts";

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
    const found: Taken[] = [];
    for (const table of LATE_TABLES.toReversed()) {
      const numbers = await numbersFor({ from, to, account_id }, table);
      const own = columns.get(table.name) ?? [];
      const rows = await leaving.run<TakenRow>(
        takeRows({ table, account_id, columns: own, numbers, part: null, shift: "0" }),
      );
      found.push({ table, rows, insert: addLateRows(table, own) });
    }
    await coming.transact(async () => {
      const added_bytes: TableBytes[] = [];
      for (const { table, rows, insert } of found.toReversed())
        for (const { row } of rows)
          for (const added of await coming.run<Pick<TableBytes, "bytes">>(insert, [arrayText([row])]))
            added_bytes.push({ name: table.name, bytes: added.bytes });
      await keepBytes(coming, added_bytes, 1);
    });
    await keepBytes(leaving, found.flatMap(takenBytes), -1);
    return found.reduce((sum, { rows }) => sum + rows.length, 0);
  });
}

interface TakenRow {
  readonly row: string;
  readonly bytes: string;
}

interface Taken {
  readonly table: AccountTable;
  readonly rows: readonly TakenRow[];
  readonly insert: string;
}

function takenBytes({ table, rows }: Taken): TableBytes[] {
  return rows.map(({ bytes }) => ({ name: table.name, bytes }));
}

/** Deletes rows that came to a cell after an account had left it and were not brought after it, as the account now comes back with all its rows. Returns their bytes. */
export async function dropLate(connection: HeldConnection, account_id: string): Promise<readonly TableBytes[]> {
  const bytes = await bytesOf(connection, account_id);
  for (const table of LATE_TABLES.toReversed()) await connection.run(deleteRows(table, account_id));
  return bytes;
}
