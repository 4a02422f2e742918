import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { LEAVES_DRILLS } from "../../../proofs/support/runs.ts";
import { newId } from "../../core/ids.ts";
import { accountLimitsSuite } from "../suite/account-limits.suite.ts";
import { admissionSuite } from "../suite/admission.suite.ts";
import { Customer, newCustomer, rejectionOf, settleOp, type TestDatabase } from "../suite/books.ts";
import { endingSuite } from "../suite/ending.suite.ts";
import { idempotencySuite } from "../suite/idempotency.suite.ts";
import { lateSuite } from "../suite/late.suite.ts";
import { lawsSuite } from "../suite/laws.suite.ts";
import { modelSuite } from "../suite/model.suite.ts";
import { openOnPostgres } from "../suite/postgres-database.ts";
import { projectsSuite } from "../suite/projects.suite.ts";
import { recoverySuite } from "../suite/recovery.suite.ts";
import { topUpsSuite } from "../suite/top-ups.suite.ts";
import { openPostgres } from "./open-postgres.ts";
import { retryTransient } from "./retry-transient.ts";

/** Engines that are distributed know no other isolation than this one, and ask for repetitions as they please. */
describe("the ledger on PostgreSQL, every transaction serializable", () => {
  let database: TestDatabase | null = null;
  const opened = (): TestDatabase => {
    if (database === null) throw new Error("the database is not open");
    return database;
  };
  beforeAll(async () => {
    database = await openOnPostgres(await freshDatabase(), "serializable");
  });
  afterAll(() => database?.close());

  admissionSuite(opened);
  endingSuite(opened);
  idempotencySuite(opened);
  // All else is as under the default isolation, which postgres-store.test.ts tries.
  if (LEAVES_DRILLS) return;
  lawsSuite(opened);
  accountLimitsSuite(opened);
  projectsSuite(opened);
  topUpsSuite(opened, 5);
  recoverySuite(opened);
  lateSuite(opened);
  modelSuite(opened, 5);
});

const STATES = [
  { what: "a conflict of serializable transactions", state: "40001" },
  { what: "a deadlock", state: "40P01" },
];

describe("transactions that the database asks to repeat", () => {
  /** Two gateways on one database, all of whose transactions are serializable. */
  async function openTwo() {
    const url = await freshDatabase();
    const raw = new SQL(url, { max: 1 });
    const open = async () => {
      const node_id = newId("node");
      const store = await openPostgres({ url, node_id, isolation: "serializable" });
      return { store, node_id, execute: (text: string) => raw.unsafe(text), crash: never, close: never };
    };
    const [one, two] = [await open(), await open()];
    return {
      one,
      two,
      raw,
      async [Symbol.asyncDispose]() {
        await Promise.all([one.store.close(), two.store.close(), raw.close()]);
      },
    };
  }

  for (const { what, state } of STATES) {
    test(`because of ${what}, at a statement or at the commit, takes place once`, async () => {
      await using scene = await openTwo();
      const customer = await newCustomer(scene.one, 1_000_000);
      // A sequence is not rolled back: of each batch the first try fails at a statement, the second at its commit, and the third passes.
      await scene.raw.unsafe("CREATE SEQUENCE counted_tries");
      await scene.raw.unsafe(`CREATE FUNCTION fail_often() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('counted_tries') % 5 IN (1, 3) THEN RAISE EXCEPTION 'try again' USING ERRCODE = '${state}'; END IF;
          RETURN NULL;
        END $$`);
      await scene.raw.unsafe(
        "CREATE TRIGGER fail_at_statement AFTER UPDATE ON key_state FOR EACH STATEMENT EXECUTE FUNCTION fail_often()",
      );
      await scene.raw.unsafe(
        `CREATE CONSTRAINT TRIGGER fail_at_commit AFTER UPDATE ON accounts DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION fail_often()`,
      );
      for (let round = 0; round < 5; round += 1) {
        const admits = Array.from({ length: 3 }, () => customer.admitOp());
        const admitted = await customer.commit(...admits);
        expect(admitted.map(({ outcome }) => outcome)).toEqual(["admitted", "admitted", "admitted"]);
        const ended = await customer.commit(...admits.map(({ request_id }) => settleOp(request_id)));
        expect(ended.map(({ outcome }) => outcome)).toEqual(["settled", "settled", "settled"]);
      }
      expect(await customer.wallet()).toEqual({ balance: 1_000_000 - 15 * 40, held: 0 });
      expect((await scene.two.store.audit()).problems).toEqual([]);
    }, 30_000);
  }

  test("does not let two gateways overdraw a wallet, nor starve either", async () => {
    await using scene = await openTwo();
    const customer = await newCustomer(scene.one, 1000);
    const at = (node: typeof scene.one) => new Customer(node, customer.account, customer.key);
    const draw = async (each: Customer) => {
      const outcomes: string[] = [];
      for (let round = 0; round < 12; round += 1) {
        const admits = Array.from({ length: 5 }, () => each.admitOp());
        outcomes.push(...(await each.commit(...admits)).map(({ outcome }) => outcome));
      }
      return outcomes;
    };
    const outcomes = (await Promise.all([draw(at(scene.one)), draw(at(scene.two))])).flat();
    expect(outcomes).toHaveLength(120);
    expect(outcomes.filter((outcome) => outcome === "admitted")).toHaveLength(10);
    expect(await customer.wallet()).toEqual({ balance: 0, held: 1000 });
    expect((await scene.one.store.audit()).problems).toEqual([]);
  }, 30_000);

  test("again and again is told as a database that is busy, and nothing happened", async () => {
    const conflict = new SQL.PostgresError("try again", { code: "ERR_POSTGRES_SERVER_ERROR", errno: "40001" } as never);
    let tries = 0;
    const failing = retryTransient(50, () => {
      tries += 1;
      return Promise.reject(conflict);
    });
    expect(await rejectionOf(failing)).toMatchObject({ trouble: "busy", nothing_happened: true });
    expect(tries).toBeGreaterThan(2);
  });
});

async function never(): Promise<void> {
  throw new Error("not asked for");
}
