import type { Migration } from "./migrations.ts";

/** What few requests have used: parts of the token classes and calls (docs/adr/0018, batch/usage-text.ts). */
export const usageExtraMigration: Migration = {
  version: 9,
  name: "parts and calls of a usage",
  compatible_from: 1,
  // Null on nearly every request.
  statements: (dialect) => [
    `ALTER TABLE requests ADD COLUMN usage_extra ${dialect === "sqlite" ? "TEXT" : 'TEXT COLLATE "C"'}`,
  ],
};
