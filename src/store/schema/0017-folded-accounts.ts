import type { Migration } from "./migrations.ts";

/**
 * SQLite's writer writes accounts one by one (docs/adr/0034): each says up to which commit of the chain all of its rows are complete.
 * Older programs do not know it, and do not start on a journal of a newer one.
 */
export const foldedAccountsMigration: Migration = {
  version: 17,
  name: "accounts that are written one by one",
  compatible_from: 16,
  statements: (dialect) =>
    dialect === "sqlite" ? ["ALTER TABLE accounts ADD COLUMN folded_seq INTEGER NOT NULL DEFAULT 0"] : [],
};
