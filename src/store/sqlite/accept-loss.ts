import { existsSync } from "node:fs";
import { anchorPath } from "./anchor.ts";
import { takeOwnership } from "./owner-lock.ts";
import { realPath } from "./paths.ts";
import { SqliteBooks } from "./sqlite-books.ts";

/**
 * Makes a database that has lost commits one that a gateway opens again, with an incident that says what is missing. Returns
 * what is missing or cannot be proven; empty when nothing is. Of a database that is gone its anchor is left: then an empty one is made.
 */
export function acceptLoss(given: string): readonly string[] {
  if (!existsSync(given) && !existsSync(anchorPath(given))) throw new Error(`There is no database at ${given}.`);
  const path = realPath(given);
  const ownership = takeOwnership(path);
  try {
    const told: string[] = [];
    SqliteBooks.openWriter(path, { accept_loss: true, notify: ({ message }) => told.push(message) }).close();
    return told;
  } finally {
    ownership.release();
  }
}
