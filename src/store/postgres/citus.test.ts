import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { CITUS_URL, cellOnCitus, makeCellTables, pretendCitus } from "../../../proofs/support/citus.ts";
import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { runs } from "../../../proofs/support/runs.ts";
import { newId } from "../../core/ids.ts";
import { newCustomer } from "../suite/books.ts";
import { openOnPostgres } from "../suite/postgres-database.ts";
import { describeStore, SUITE_NAMES, type SuiteName } from "../suite/store.suite.ts";
import { count } from "../suite/traffic-scene.ts";
import { openPostgres } from "./open-postgres.ts";

/** A cell on Citus (docs/scale.md): what needs no cluster is tested in the tables' forms that Citus takes, on a plain server. */

const LEDGER: readonly SuiteName[] = ["admission", "ending", "idempotency", "recovery", "late", "upkeep", "traffic"];

describeStore(
  "in the forms of Citus",
  async () => {
    const url = await freshDatabase();
    await makeCellTables(url);
    await pretendCitus(url, 1);
    return await openOnPostgres(url, "read committed");
  },
  runs(2),
  LEDGER,
);

describe("a Citus coordinator", () => {
  test("is a condition, and a worker is none", async () => {
    for (const [group, codes] of [
      [0, ["citus_coordinator"]],
      [1, []],
    ] as const) {
      const url = await freshDatabase();
      await pretendCitus(url, group);
      const store = await openPostgres({ url, node_id: newId("node") });
      const found = store.conditions().map(({ code }) => code);
      expect(found.filter((code) => code.startsWith("citus"))).toEqual([...codes]);
      await store.close();
    }
  });

  // There a transaction that writes at a worker has no number.
  test("keeps requests from being counted while any transaction is open that began before them", async () => {
    for (const is_cluster of [false, true]) {
      const url = await freshDatabase();
      if (is_cluster) await pretendCitus(url, 0);
      const database = await openOnPostgres(url, "read committed");
      const customer = await newCustomer(database, 1000);
      const other = new SQL(url, { max: 1 });
      await other.begin(async (open) => {
        await open.unsafe("SELECT pg_sleep(0.01)");
        await customer.settle(await customer.hold());
        await database.execute("SELECT 1");
        const { to_seq, cells } = await database.store.upkeep.readTrafficSlice({ limit: 10, prices_json: "{}" });
        expect([to_seq > 0, cells.length > 0]).toEqual([!is_cluster, !is_cluster]);
      });
      await other.close();
      await count(database);
      await database.close();
    }
  });
});

test.skipIf(CITUS_URL === null)("a cluster is named by CAMINO_TEST_CITUS_URL", () => {
  expect(CITUS_URL).toStartWith("postgres");
});

if (CITUS_URL !== null) {
  const cluster = CITUS_URL;
  describeStore(
    "on Citus",
    async () => openOnPostgres(await cellOnCitus(cluster), "read committed"),
    runs(2),
    SUITE_NAMES.filter((name) => name !== "laws"),
  );
}
