import { DIRECTORY } from "../../core/store/cells.ts";
import { readMark, takeCell } from "../sql/marks.ts";
import type { PostgresDatabase } from "./postgres-database.ts";

/** How many bits of a digest fit a whole number of every part of the gateway. */
const DIGEST_BITS = 48n;

/**
 * Makes sure that the database is the cell that it is opened as, which one that was none before becomes. Null: it is opened as the only database, which a
 * cell is not. Throws with a sentence for the operator: another cell's books in this place would be other accounts, and a cell by itself lacks those that
 * live elsewhere.
 */
export async function requireOwnCell(database: PostgresDatabase, as_cell: string | null): Promise<void> {
  if (as_cell === null) {
    if ((await database.read(() => readMark("cell"))) === null) return;
    throw new Error("it is a cell of a gateway with several: start with CAMINO_CELLS as before");
  }
  const digest = digestOf(as_cell);
  if ((await database.write(() => takeCell(digest))) === digest) return;
  const wanted = as_cell === DIRECTORY ? "not the directory" : `not the cell ${as_cell}`;
  throw new Error(`it is another cell, and ${wanted}: compare the addresses in CAMINO_CELLS and CAMINO_DATABASE_URL`);
}

function digestOf(name: string): number {
  return Number(BigInt.asUintN(Number(DIGEST_BITS), BigInt(Bun.hash.xxHash64(name))));
}
