import type { CellAddress } from "../core/catalog/cell-settings.ts";
import type { Books } from "../core/store/books.ts";
import { booksInCells, type CellBooks } from "./cells/books-in-cells.ts";
import { openPostgresBooks } from "./postgres/open-postgres-books.ts";
import { openSqliteBooks } from "./sqlite/open-sqlite-books.ts";

/**
 * Opens the database that a URL names for reading alone, beside the gateways that may be running on it: nothing is migrated,
 * recovered, locked or written. Null where there is no database yet. Rejects with a sentence for the operator.
 */
export async function openBooks(url: string, cells: readonly CellAddress[] = []): Promise<Books | null> {
  if (cells.length > 0) return await openInCells(url, cells);
  if (url.startsWith("sqlite:")) return openSqliteBooks(url.slice("sqlite:".length));
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgresBooks(url);
  throw new Error(`The database URL must begin with "sqlite:" or "postgres://".`);
}

async function openInCells(url: string, cells: readonly CellAddress[]): Promise<Books> {
  const directory = await openPostgresBooks(url);
  const opened = cells.map(async ({ name, url: address }): Promise<CellBooks> => {
    const problem = (thrown: unknown) => ({ problem: thrown instanceof Error ? thrown.message : String(thrown) });
    return { name, books: await openPostgresBooks(address).catch(problem) };
  });
  return booksInCells(directory, await Promise.all(opened));
}
