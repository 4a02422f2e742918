import type { Migration } from "./migrations.ts";

/**
 * The embedded database's way to PostgreSQL (docs/adr/0039). A PostgreSQL database says from which file it is being filled, and how far;
 * a file says that another database has its history now. Each has one row at most.
 */
export const movedStoresMigration: Migration = {
  version: 19,
  name: "moves of the embedded database to PostgreSQL",
  compatible_from: 16,
  statements: (dialect) => [dialect === "sqlite" ? MOVED_TO : MOVED_FROM],
};

const MOVED_TO = `CREATE TABLE moved_to (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      target TEXT NOT NULL,
      moved_ms INTEGER NOT NULL
    ) STRICT`;

/** The file's last commit is named, so that a file that went on meanwhile is noticed. `progress` is JSON. */
const MOVED_FROM = `CREATE TABLE moved_from (
      one BIGINT PRIMARY KEY CHECK (one = 1),
      history TEXT COLLATE "C" NOT NULL,
      commit_seq BIGINT NOT NULL,
      commit_digest TEXT COLLATE "C" NOT NULL,
      progress TEXT COLLATE "C" NOT NULL,
      started_ms BIGINT NOT NULL,
      ended_ms BIGINT
    )`;
