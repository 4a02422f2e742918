import { now_ms } from "../sql/clock.ts";
import { type Dialect, sql, sqlFor } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { firstTables } from "./0001-tables.ts";
import type { Migration } from "./migrations.ts";

/** From 1.0.0 on a migration only adds (docs/compatibility.md), and one that was released is never edited. */
export const MIGRATIONS: readonly Migration[] = [firstTables];

/** An arbitrary number; every gateway that starts takes the lock of this number. */
const MIGRATION_LOCK = 7_303_014;

/**
 * Lets only one gateway migrate at a time; a SQLite file has one owner anyway. The lock is held until the transaction
 * ends.
 */
const lockMigrations = sqlFor({
  sqlite: "SELECT 1",
  postgres: `SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`,
});

const createTable = sqlFor({
  sqlite: `CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL,
    compatible_from INTEGER NOT NULL, applied_ms INTEGER NOT NULL) STRICT`,
  postgres: `CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL,
    compatible_from BIGINT NOT NULL, applied_ms BIGINT NOT NULL)`,
});

const selectApplied = sql("SELECT version, name, compatible_from FROM schema_migrations ORDER BY version");
const insertApplied = sql(
  "INSERT INTO schema_migrations (version, name, compatible_from, applied_ms) VALUES (?, ?, ?, ?)",
);

interface AppliedRow {
  readonly version: unknown;
  readonly name: string;
  readonly compatible_from: unknown;
}

/**
 * Migrates the schema to this program's version, in one transaction. Throws when a newer program has changed the schema
 * in a way that this program does not work with, and for a database from before 1.0.
 */
export function* migrate(dialect: Dialect, migrations: readonly Migration[] = MIGRATIONS): Work<void> {
  yield* rows(lockMigrations);
  yield* rows(createTable);
  const applied = yield* readApplied();
  requireCompatible(applied);
  const known = new Set(applied.map(({ version }) => toInt(version)));
  for (const { version, name, compatible_from, statements } of migrations) {
    if (known.has(version)) continue;
    for (const text of statements(dialect)) yield* rows(sqlFor({ sqlite: text, postgres: text }));
    yield* rows(insertApplied, [version, name, compatible_from, yield* now_ms()]);
  }
}

/** The newest version of the schema that this program knows. */
export const NEWEST_VERSION = MIGRATIONS.at(-1)?.version ?? 0;

const hasTable = sqlFor({
  sqlite: "SELECT count(*) AS found FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'",
  postgres: "SELECT count(to_regclass('schema_migrations')) AS found",
});

/** The newest version that was applied; 0 for a database without tables. Changes nothing. Throws for a database from before 1.0. */
export function* schemaVersion(): Work<number> {
  if (!(yield* isMade())) return 0;
  return toInt((yield* readApplied()).at(-1)?.version ?? 0);
}

function* isMade(): Work<boolean> {
  const [table] = yield* rows<{ found: unknown }>(hasTable);
  return toInt(table?.found ?? 0) > 0;
}

/** Versions from before 1.0, which were never released, counted their steps from 1 as well, under other names. */
function* readApplied(): Work<readonly AppliedRow[]> {
  const applied = yield* rows<AppliedRow>(selectApplied);
  if (applied.every(({ version, name }) => toInt(version) !== firstTables.version || name === firstTables.name)) {
    return applied;
  }
  throw new Error(
    "The database was made by a version of Camino from before 1.0, which this version neither starts on nor moves: " +
      "give it a new data directory or a new PostgreSQL database; this one stays as it is.",
  );
}

/** From which version to which a database would be brought; null where nothing is to be done. Changes nothing, and throws as `migrate` does. */
export function* pendingMigrations(
  migrations: readonly Migration[] = MIGRATIONS,
): Work<{ readonly from: number; readonly to: number } | null> {
  const applied = (yield* isMade()) ? yield* readApplied() : [];
  requireCompatible(applied);
  const known = new Set(applied.map(({ version }) => toInt(version)));
  const missing = migrations.filter(({ version }) => !known.has(version));
  return missing.length === 0 ? null : { from: Math.max(0, ...known), to: missing.at(-1)?.version ?? 0 };
}

function requireCompatible(applied: readonly AppliedRow[]): void {
  for (const { version, name, compatible_from } of applied) {
    if (toInt(version) > NEWEST_VERSION && toInt(compatible_from) > NEWEST_VERSION) {
      throw new Error(
        `The database has schema version ${toInt(version)} (${name}), and this version of Camino knows up to ${NEWEST_VERSION}. ` +
          "Start the newer version of Camino that migrated it.",
      );
    }
  }
}
