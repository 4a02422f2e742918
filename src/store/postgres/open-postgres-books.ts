import { systemClock } from "../../core/clock.ts";
import { ZERO } from "../../core/money/money.ts";
import type { Books, DatabaseFacts } from "../../core/store/books.ts";
import { accountsAfter, findAccount, placesAfter } from "../accounts/accounts.ts";
import { auditBooks } from "../audit/audit-books.ts";
import { auditSlices } from "../audit/audit-slices.ts";
import { schemaVersions } from "../schema/migrate.ts";
import { now_ms } from "../sql/clock.ts";
import { readMark } from "../sql/marks.ts";
import { onPostgres } from "../sql/statement.ts";
import { row, type Work } from "../sql/work.ts";
import { describe, NO_OUTSIDE_CHECK, slicesOn } from "./open-postgres.ts";
import { PostgresDatabase, REPORTING } from "./postgres-database.ts";
import { ServerClock } from "./server-clock.ts";
import { conditionsOf, inspectServer } from "./server-watch.ts";
import { isMoveUnfinished, MOVE_UNFINISHED } from "./unfinished-move.ts";

/** How long a slice may take. */
const DEADLINE_MS = 30_000;

/** Opens a PostgreSQL database, or a replica of one, for reading only: every transaction is read-only. */
export async function openPostgresBooks(url: string): Promise<Books> {
  const description = describe(url);
  const database = new PostgresDatabase({ url, connections: 1, deadline_ms: DEADLINE_MS, settings: REPORTING });
  try {
    await database.snapshot(schemaVersions);
  } catch (thrown) {
    await database.close();
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new Error(`The database ${description} cannot be read: ${reason}`, { cause: thrown });
  }
  return {
    kind: "postgres",
    description,
    async facts() {
      const time = new ServerClock(systemClock);
      await time.measure(() => database.read(now_ms));
      const facts = await database.snapshot(factsOf);
      return { ...facts, conditions: [...facts.conditions, ...time.conditions.map(({ text }) => text)] };
    },
    findAccountId: async (name) => (await database.snapshot(() => findAccount(name)))?.id ?? null,
    audit: (options = {}) => auditBooks(auditSlices(slicesOn(database)), options, NO_OUTSIDE_CHECK),
    places: {
      accountsAfter: (after) => database.snapshot(() => accountsAfter(after)),
      placesAfter: (after) => database.snapshot(() => placesAfter(after)),
    },
    waiting: () => Promise.resolve({ operations: 0, charged_micro: ZERO }),
    close: () => database.close(),
  };
}

const selectFacts = onPostgres(`SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS is_replica,
    current_setting('default_transaction_read_only') = 'on' AS reads_only,
    has_schema_privilege(current_schema(), 'CREATE') AS may_create,
    coalesce((SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('requests_ended')), true) AS owns_parts`);

/** Tables that a gateway writes, and that this user may not write. */
const selectRefused =
  onPostgres(`SELECT coalesce(string_agg(tablename, ', ' ORDER BY tablename), '') AS names FROM pg_tables
    WHERE schemaname = current_schema()
      AND NOT (has_table_privilege(quote_ident(schemaname) || '.' || quote_ident(tablename), 'SELECT')
        AND has_table_privilege(quote_ident(schemaname) || '.' || quote_ident(tablename), 'INSERT'))`);

const OWNS_NO_PARTS =
  "This user does not own requests_ended, whose months a gateway makes and drops: ALTER TABLE … OWNER TO for it and its parts.";

interface FactsRow {
  readonly version: string;
  readonly is_replica: boolean;
  readonly reads_only: boolean;
  readonly may_create: boolean;
  readonly owns_parts: boolean;
}

function* factsOf(): Work<DatabaseFacts> {
  const found = yield* row<FactsRow>(selectFacts);
  const refused = yield* row<{ names: string }>(selectRefused);
  const lacks = [
    ...((yield* isMoveUnfinished()) ? [MOVE_UNFINISHED] : []),
    ...(found?.is_replica ? ["It is a replica, which can only be read: name the primary."] : []),
    ...(found?.reads_only ? ["Its transactions are read-only by default (default_transaction_read_only)."] : []),
    ...(found?.may_create ? [] : ["This user may not make tables, which a first start and updates need."]),
    ...(found?.owns_parts ? [] : [OWNS_NO_PARTS]),
    ...(refused?.names ? [`This user may not read and write ${refused.names}.`] : []),
  ];
  const versions = yield* schemaVersions();
  return {
    ...versions,
    secret_fingerprint: versions.schema_version === 0 ? null : yield* readMark("secret_fingerprint"),
    engine: `PostgreSQL ${found?.version ?? ""}`.trim(),
    lacks,
    conditions: conditionsOf(yield* inspectServer()).map(({ text }) => text),
    lost: null,
  };
}
