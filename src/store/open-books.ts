import type { Books } from "../core/store/books.ts";
import { openPostgresBooks } from "./postgres/open-postgres-books.ts";
import { openSqliteBooks } from "./sqlite/open-sqlite-books.ts";

/**
 * Opens the database that a URL names for reading alone, beside the gateways that may be running on it: nothing is migrated,
 * recovered, locked or written. Null where there is no database yet. Rejects with a sentence for the operator.
 */
export async function openBooks(url: string): Promise<Books | null> {
  if (url.startsWith("sqlite:")) return openSqliteBooks(url.slice("sqlite:".length));
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgresBooks(url);
  throw new Error(`The database URL must begin with "sqlite:" or "postgres://".`);
}
