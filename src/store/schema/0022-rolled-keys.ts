import type { Migration } from "./migrations.ts";

/**
 * The secret that a key had before its last roll, and until when it is valid (docs/adr/0043). A program that does not know it takes the
 * new secret alone.
 */
export const rolledKeysMigration: Migration = {
  version: 22,
  name: "keys with a new secret",
  compatible_from: 16,
  statements: (dialect) => {
    const int = dialect === "sqlite" ? "INTEGER" : "BIGINT";
    const text = dialect === "sqlite" ? "TEXT" : 'TEXT COLLATE "C"';
    return [
      `ALTER TABLE keys ADD COLUMN old_hash ${text}`,
      `ALTER TABLE keys ADD COLUMN old_until_ms ${int}`,
      `ALTER TABLE keys ADD COLUMN rolled_ms ${int}`,
      // Few keys have one.
      "CREATE UNIQUE INDEX keys_by_old_hash ON keys (old_hash) WHERE old_hash IS NOT NULL",
    ];
  },
};
