import type { Migration } from "./migrations.ts";

/**
 * Prices and attempts of requests in fewer words on SQLite (batch/short-texts.ts). No table changes: rows that are there stay as
 * they are. A program that knows only the longer texts could not read the new ones.
 */
export const shortTextsMigration: Migration = {
  version: 7,
  name: "short texts of prices and attempts",
  compatible_from: { sqlite: 7, postgres: 1 },
  statements: () => [],
};
