import { ledgerMigration } from "./0001-ledger.ts";
import { usersMigration } from "./0002-users.ts";
import { vendorCredentialsMigration } from "./0003-vendor-credentials.ts";
import { memberViewsMigration } from "./0004-member-views.ts";
import { upstreamCostsMigration } from "./0005-upstream-costs.ts";
import { journalMigration } from "./0006-journal.ts";
import { shortTextsMigration } from "./0007-short-texts.ts";
import { storedResponsesMigration } from "./0008-stored-responses.ts";
import { usageExtraMigration } from "./0009-usage-extra.ts";
import { lateSettlementsMigration } from "./0012-late-settlements.ts";
import { commitChainMigration } from "./0013-commit-chain.ts";
import { choresMigration } from "./0014-chores.ts";
import { weightsMigration } from "./0015-weights.ts";
import { limitsOfAccountsMigration } from "./0016-limits-of-accounts.ts";
import { foldedAccountsMigration } from "./0017-folded-accounts.ts";
import { postgresBatchesMigration } from "./0018-postgres-batches.ts";
import { movedStoresMigration } from "./0019-moved-stores.ts";
import { configurationElementsMigration } from "./0020-configuration-elements.ts";
import { teamsMigration } from "./0021-teams.ts";
import { rolledKeysMigration } from "./0022-rolled-keys.ts";
import { trafficMigration } from "./0023-traffic.ts";
import { projectsMigration } from "./0024-projects.ts";
import { budgetsMigration } from "./0025-budgets.ts";
import { circuitChangesMigration } from "./0026-circuit-changes.ts";
import { invitedCreditMigration } from "./0027-invited-credit.ts";
import { keyTagsMigration } from "./0028-key-tags.ts";
import { requestTagsMigration } from "./0029-request-tags.ts";
import { projectsOfMembersMigration } from "./0030-projects-of-members.ts";
import { requestsByMonthMigration } from "./0031-requests-by-month.ts";
import { sumsOfDaysMigration } from "./0032-sums-of-days.ts";
import { keysByAccountMigration } from "./0033-keys-by-account.ts";
import type { Migration } from "./migrations.ts";
import { now_ms } from "../sql/clock.ts";
import { type Dialect, sql, sqlFor } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";

export const MIGRATIONS: readonly Migration[] = [
  ledgerMigration,
  usersMigration,
  vendorCredentialsMigration,
  memberViewsMigration,
  upstreamCostsMigration,
  journalMigration,
  shortTextsMigration,
  storedResponsesMigration,
  usageExtraMigration,
  lateSettlementsMigration,
  commitChainMigration,
  choresMigration,
  weightsMigration,
  limitsOfAccountsMigration,
  foldedAccountsMigration,
  postgresBatchesMigration,
  movedStoresMigration,
  configurationElementsMigration,
  teamsMigration,
  rolledKeysMigration,
  trafficMigration,
  projectsMigration,
  budgetsMigration,
  circuitChangesMigration,
  invitedCreditMigration,
  keyTagsMigration,
  requestTagsMigration,
  projectsOfMembersMigration,
  requestsByMonthMigration,
  sumsOfDaysMigration,
  keysByAccountMigration,
];

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
 * in a way that this program does not work with.
 */
export function* migrate(dialect: Dialect, migrations: readonly Migration[] = MIGRATIONS): Work<void> {
  yield* rows(lockMigrations);
  yield* rows(createTable);
  const applied = yield* rows<AppliedRow>(selectApplied);
  requireCompatible(applied, migrations);
  const known = new Set(applied.map(({ version }) => toInt(version)));
  for (const migration of migrations) {
    if (known.has(migration.version)) continue;
    for (const text of migration.statements(dialect)) yield* rows(sqlFor({ sqlite: text, postgres: text }));
    const { version, name, compatible_from: from } = migration;
    const compatible_from = typeof from === "number" ? from : from[dialect];
    yield* rows(insertApplied, [version, name, compatible_from, yield* now_ms()]);
  }
}

/** The newest version of the schema that this program knows. */
export const NEWEST_VERSION = MIGRATIONS.at(-1)?.version ?? 0;

const hasTable = sqlFor({
  sqlite: "SELECT count(*) AS found FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'",
  postgres: "SELECT count(to_regclass('schema_migrations')) AS found",
});

/** The newest version that was applied; 0 for a database without tables. Changes nothing. */
export function* schemaVersion(): Work<number> {
  const [table] = yield* rows<{ found: unknown }>(hasTable);
  if (toInt(table?.found ?? 0) === 0) return 0;
  return toInt((yield* rows<AppliedRow>(selectApplied)).at(-1)?.version ?? 0);
}

function requireCompatible(applied: readonly AppliedRow[], migrations: readonly Migration[]): void {
  const newest = migrations.at(-1)?.version ?? 0;
  for (const { version, name, compatible_from } of applied) {
    if (toInt(version) > newest && toInt(compatible_from) > newest) {
      throw new Error(
        `The database has schema version ${toInt(version)} (${name}), and this version of Camino knows up to ${newest}. ` +
          "Start the newer version of Camino that migrated it.",
      );
    }
  }
}
