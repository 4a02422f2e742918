import type { Migration } from "./migrations.ts";

/**
 * Stores the prices and attempts of requests in a shorter text form on SQLite (batch/short-texts.ts). No table changes,
 * and existing rows stay as they are. A program that knows only the longer form could not read the new rows.
 */
export const shortTextsMigration: Migration = {
  version: 7,
  name: "short texts of prices and attempts",
  compatible_from: { sqlite: 7, postgres: 1 },
  statements: () => [],
};
