import { StoreUnavailable } from "../../core/store-errors.ts";
import { MIGRATIONS, migrate, pendingMigrations } from "../schema/migrate.ts";
import type { Migration } from "../schema/migrations.ts";
import { onPostgres } from "../sql/statement.ts";
import { rows } from "../sql/work.ts";
import { PostgresDatabase } from "./postgres-database.ts";
import { share } from "./retry-transient.ts";

/** A migration may have to write a large table anew. */
const DEADLINE_MS = 600_000;
/**
 * How long a step of a migration waits for others who use its table. Calls of other nodes queue behind it meanwhile: so it gives up soon and
 * is tried again (docs/rulings.md 204).
 */
const LOCK_WAIT_MS = 200;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;

/** Has the server end a statement whose program is gone, where it can: the migration of a node that was killed would go on otherwise. */
const noticeTheEnd = onPostgres(
  "SELECT set_config(name, '1000', true) FROM pg_settings WHERE name = 'client_connection_check_interval' AND setting = '0'",
);

interface MigratingOptions {
  readonly url: string;
  readonly migrations?: readonly Migration[];
  /** Called before the first try, and each time that a try has given way to others. `from`: 0 for an empty database. */
  readonly onMigration?: (migration: { readonly from: number; readonly to: number; readonly waits: boolean }) => void;
}

/**
 * Brings the schema up to date while other nodes serve. It gives way to everyone who uses a table, and waits for a dump as long as that takes.
 */
export async function migrateBeside(options: MigratingOptions): Promise<void> {
  const { url, migrations = MIGRATIONS, onMigration = () => {} } = options;
  const settings = { lock_timeout: String(LOCK_WAIT_MS) };
  const database = new PostgresDatabase({ url, connections: 1, deadline_ms: DEADLINE_MS, settings });
  try {
    let waits = false;
    for (let pause_ms = FIRST_PAUSE_MS; ; pause_ms = Math.min(2 * pause_ms, LONGEST_PAUSE_MS)) {
      const pending = await database.read(() => pendingMigrations(migrations));
      if (pending === null) return;
      onMigration({ ...pending, waits });
      if (await isMigrated(database, migrations)) return;
      waits = true;
      // Several nodes start at once, and must not go on meeting each other.
      await Bun.sleep(pause_ms * (0.5 + share()));
    }
  } finally {
    await database.close();
  }
}

/** False where it would have had to wait for a lock: nothing has changed then. */
async function isMigrated(database: PostgresDatabase, migrations: readonly Migration[]): Promise<boolean> {
  try {
    await database.write(function* () {
      yield* rows(noticeTheEnd);
      yield* migrate("postgres", migrations);
    });
    return true;
  } catch (thrown) {
    if (thrown instanceof StoreUnavailable && thrown.trouble === "busy") return false;
    throw thrown;
  }
}
