import { systemClock } from "../../core/clock.ts";
import { now_ms } from "../sql/clock.ts";
import { type Dialect, sql, sqlFor } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { firstTables } from "./0001-tables.ts";
import type { Migration } from "./migrations.ts";

/** From 1.0.0 on a migration only adds (docs/compatibility.md), and one that was released is never edited, but for its spaces. */
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
    compatible_from INTEGER NOT NULL, applied_ms INTEGER NOT NULL, fingerprint TEXT NOT NULL) STRICT`,
  postgres: `CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL,
    compatible_from BIGINT NOT NULL, applied_ms BIGINT NOT NULL, fingerprint TEXT NOT NULL)`,
});

/** All columns, since the table of an earlier commit may have no fingerprint. */
const selectApplied = sql("SELECT * FROM schema_migrations ORDER BY version");
const insertApplied = sql(
  "INSERT INTO schema_migrations (version, name, compatible_from, applied_ms, fingerprint) VALUES (?, ?, ?, ?, ?)",
);

interface AppliedRow {
  readonly version: unknown;
  readonly name: string;
  readonly compatible_from: unknown;
  /** Undefined where commits before 1.0 have made the table. */
  readonly fingerprint?: string;
}

/**
 * Migrates the schema to this program's version, in one transaction. Throws when a newer program has changed the schema
 * in a way that this program does not work with, and for a database of a version that was never released.
 */
export function* migrate(dialect: Dialect, migrations: readonly Migration[] = MIGRATIONS): Work<void> {
  yield* rows(lockMigrations);
  yield* rows(createTable);
  const applied = yield* readApplied(migrations);
  requireCompatible(applied);
  const known = new Set(applied.map(({ version }) => toInt(version)));
  for (const migration of migrations) {
    const { version, name, compatible_from } = migration;
    if (known.has(version)) continue;
    for (const text of migration.statements(dialect, systemClock.now_ms()))
      yield* rows(sqlFor({ sqlite: text, postgres: text }));
    yield* rows(insertApplied, [version, name, compatible_from, yield* now_ms(), fingerprintOf(migration)]);
  }
}

/** The newest version of the schema that this program knows. */
export const NEWEST_VERSION = MIGRATIONS.at(-1)?.version ?? 0;

const hasTable = sqlFor({
  sqlite: "SELECT count(*) AS found FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'",
  postgres: "SELECT count(to_regclass('schema_migrations')) AS found",
});

/** The newest version that was applied; 0 for a database without tables. Changes nothing. Throws for a database of a version that was never released. */
export function* schemaVersion(): Work<number> {
  return (yield* schemaVersions()).schema_version;
}

/** The versions of a database's tables (core/store/books.ts); 0 for one without. Changes nothing, and throws as `schemaVersion` does. */
export function* schemaVersions(): Work<{ schema_version: number; known_version: number; needed_version: number }> {
  const applied = (yield* isMade()) ? yield* readApplied(MIGRATIONS) : [];
  return {
    schema_version: toInt(applied.at(-1)?.version ?? 0),
    known_version: NEWEST_VERSION,
    needed_version: Math.max(0, ...applied.map(({ compatible_from }) => toInt(compatible_from))),
  };
}

function* isMade(): Work<boolean> {
  const [table] = yield* rows<{ found: unknown }>(hasTable);
  return toInt(table?.found ?? 0) > 0;
}

/** Throws where a step was applied that is another one here: by a commit between versions, whose steps may still change. */
function* readApplied(migrations: readonly Migration[]): Work<readonly AppliedRow[]> {
  const applied = yield* rows<AppliedRow>(selectApplied);
  const fingerprints = new Map(applied.map(({ version, fingerprint }) => [toInt(version), fingerprint ?? ""]));
  const other = migrations.find(
    (each) => (fingerprints.get(each.version) ?? fingerprintOf(each)) !== fingerprintOf(each),
  );
  if (other === undefined) return applied;
  throw new Error(
    "The database was made by a version of Camino that was never released, which this version neither starts on nor moves: " +
      "give it a new data directory or a new PostgreSQL database; this one stays as it is.",
  );
}

/** A step's text has the month in which it is made: a fingerprint is that of one month, whenever and wherever it is taken. */
const FINGERPRINT_MS = Date.UTC(2026, 10);

/** Tells a step from every other, by its text for both databases; spaces between words do not count. */
function fingerprintOf({ statements }: Migration): string {
  const text = [...statements("sqlite", FINGERPRINT_MS), ...statements("postgres", FINGERPRINT_MS)]
    .join(";")
    .replace(/\s+/g, " ");
  return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 16);
}

/** From which version to which a database would be brought; null where nothing is to be done. Changes nothing, and throws as `migrate` does. */
export function* pendingMigrations(
  migrations: readonly Migration[] = MIGRATIONS,
): Work<{ readonly from: number; readonly to: number } | null> {
  const applied = (yield* isMade()) ? yield* readApplied(migrations) : [];
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
