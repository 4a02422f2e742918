import type { Migration } from "./migrations.ts";

/**
 * Usage that few requests have: parts of the token classes, and calls of tools (docs/adr/0018, batch/usage-text.ts).
 */
export const usageExtraMigration: Migration = {
  version: 9,
  name: "parts and calls of a usage",
  compatible_from: 1,
  // Null for nearly every request.
  statements: (dialect) => [
    `ALTER TABLE requests ADD COLUMN usage_extra ${dialect === "sqlite" ? "TEXT" : 'TEXT COLLATE "C"'}`,
  ],
};
