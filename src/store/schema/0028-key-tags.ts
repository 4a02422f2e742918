import type { Migration } from "./migrations.ts";

/**
 * Tags of keys (docs/adr/0053). A program that does not know them works on beside them: it shows and groups nothing by tags, and leaves
 * them as they are. A deleted key keeps its tags, as its row stays, for the usage that names it.
 */
export const keyTagsMigration: Migration = {
  version: 28,
  name: "tags of keys",
  compatible_from: 16,
  statements: (dialect) => {
    const is_sqlite = dialect === "sqlite";
    const text = is_sqlite ? "TEXT" : 'TEXT COLLATE "C"';
    return [
      `CREATE TABLE key_tags (
        key_id ${text} NOT NULL REFERENCES keys (id),
        name ${text} NOT NULL,
        value ${text} NOT NULL CHECK (value <> ''),
        PRIMARY KEY (key_id, name)
      )${is_sqlite ? " STRICT, WITHOUT ROWID" : ""}`,
      "CREATE INDEX key_tags_by_value ON key_tags (name, value, key_id)",
    ];
  },
};
