import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { newId } from "../../core/ids.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { openStore } from "../open-store.ts";
import { MIGRATIONS } from "../schema/migrate.ts";
import type { Migration } from "../schema/migrations.ts";
import { newCustomer, rejectionOf, type TestDatabase } from "../suite/books.ts";
import { migrateBeside } from "./migrate-beside.ts";

/** A newer node's migration gives way to whoever reads the tables for long, and older nodes serve on meanwhile (docs/rulings.md 204). */

const NEXT: Migration = {
  version: 2,
  name: "a column more",
  compatible_from: 1,
  statements: () => ["ALTER TABLE accounts ADD COLUMN tried BIGINT", "ALTER TABLE requests ADD COLUMN tried BIGINT"],
};
const WITH_NEXT = [...MIGRATIONS, NEXT];

async function openNode(url: string): Promise<TestDatabase & { readonly raw: SQL }> {
  const node_id = newId("node");
  const store = await openStore({ url, node_id });
  const raw = new SQL(url, { max: 2 });
  const close = async (): Promise<void> => {
    await store.close();
    await raw.close();
  };
  return { store, node_id, raw, execute: (text) => raw.unsafe(text), crash: close, close };
}

/** Holds what `pg_dump` holds, until it is let go. */
async function dump(url: string): Promise<() => Promise<void>> {
  const connection = new SQL(url, { max: 1 });
  await connection.unsafe("BEGIN");
  for (const { tablename } of await connection.unsafe("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")) {
    await connection.unsafe(`LOCK TABLE ${tablename} IN ACCESS SHARE MODE`);
  }
  return async () => {
    await connection.unsafe("ROLLBACK");
    await connection.close();
  };
}

const waiting = async (raw: SQL): Promise<number> =>
  Number((await raw.unsafe("SELECT count(*) AS n FROM pg_locks WHERE NOT granted"))[0]?.n);

const versions = async (raw: SQL): Promise<number[]> =>
  (await raw.unsafe("SELECT version::int FROM schema_migrations ORDER BY 1")).map(
    (row: { version: number }) => row.version,
  );

describe("a migration beside nodes that serve", () => {
  test("waits for a dump, tells so, lets every call through meanwhile, and is done after it", async () => {
    const url = await freshDatabase();
    const node = await openNode(url);
    const customer = await newCustomer(node, 1_000_000);
    const release = await dump(url);
    const told: unknown[] = [];
    const third = Promise.withResolvers<void>();
    const migrated = migrateBeside({
      url,
      migrations: WITH_NEXT,
      onMigration: (migration) => {
        told.push(migration);
        if (told.length === 3) third.resolve();
      },
    });
    const tries = { over: false };
    void third.promise.then(() => {
      tries.over = true;
    });
    while (!tries.over) {
      await customer.hold();
      await node.store.ping();
    }
    expect(told[0]).toEqual({ from: 1, to: 2, waits: false });
    expect(told[2]).toEqual({ from: 1, to: 2, waits: true });
    await release();
    await migrated;
    expect(await versions(node.raw)).toEqual([1, 2]);
    await customer.hold();
    expect(await waiting(node.raw)).toBe(0);
    await node.close();
  }, 60_000);

  test("of several nodes is done once", async () => {
    const url = await freshDatabase();
    const node = await openNode(url);
    await Promise.all([1, 2, 3].map(() => migrateBeside({ url, migrations: WITH_NEXT })));
    expect(await versions(node.raw)).toEqual([1, 2]);
    await node.close();
  }, 60_000);
});

test("a node whose admissions would wait for a lock is not ready, and one that waits for nothing is", async () => {
  const url = await freshDatabase();
  const node = await openNode(url);
  const release = await dump(url);
  await node.store.ping();
  const blocked = new SQL(url, { max: 1 });
  const queued = blocked.unsafe("ALTER TABLE keys ADD COLUMN tried BIGINT").execute();
  while ((await waiting(node.raw)) === 0) await Bun.sleep(10);
  const refused = await rejectionOf(node.store.ping());
  expect(refused).toBeInstanceOf(StoreUnavailable);
  expect((refused as StoreUnavailable).trouble).toBe("busy");
  await release();
  await queued;
  await node.store.ping();
  await blocked.close();
  await node.close();
}, 60_000);
