import type { ChunkSize, FileSource } from "./file-source.ts";
import { type Cell, nameOf, type PlannedTable, type Position, type Row } from "./plan.ts";
import type { PostgresTarget } from "./postgres-target.ts";

/** How a table's rows compare: how many the file has, and the first row that differs; null where all are equal. */
export interface Comparison {
  readonly rows: number;
  readonly difference: string | null;
}

/**
 * Compares a table row by row, in the order of its key. Values are not named: they may be secrets' hashes. Memory holds one chunk of each
 * database.
 */
export async function compareTable(
  source: FileSource,
  target: PostgresTarget,
  table: PlannedTable,
  { size, onRows }: { readonly size: ChunkSize; readonly onRows: (rows: number) => void },
): Promise<Comparison> {
  let rows = 0;
  let after: Position | null = null;
  for (;;) {
    const expected = source.chunk(table, after, size);
    // One row more where the file has no further rows: the other database must have none either.
    const found = await target.chunk(table, after, Math.max(1, expected.rows.length));
    const difference = differenceOf(table, expected.rows, found);
    rows += expected.rows.length;
    onRows(expected.rows.length);
    if (difference !== null || expected.last === null) return { rows, difference };
    after = expected.last;
  }
}

function differenceOf(table: PlannedTable, expected: readonly Row[], found: readonly Row[]): string | null {
  for (let at = 0; at < Math.max(expected.length, found.length); at += 1) {
    const [here, there] = [expected[at], found[at]];
    if (here === undefined) return `${nameOf(table, there ?? [])} is in the new database alone`;
    if (there === undefined) return `${nameOf(table, here)} is missing in the new database`;
    if (nameOf(table, here) !== nameOf(table, there)) {
      return `where the file has ${nameOf(table, here)}, the new database has ${nameOf(table, there)}`;
    }
    const apart = table.columns.filter((_, column) => !isSame(here[column] ?? null, there[column] ?? null));
    if (apart.length > 0) return `${nameOf(table, here)} differs in ${apart.map(({ name }) => name).join(", ")}`;
  }
  return null;
}

function isSame(one: Cell, other: Cell): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0;
  return one === other;
}
