import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ReservedSQL, SQL } from "bun";
import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { LEAVES_DRILLS } from "../../../proofs/support/runs.ts";
import { spreadingStatements } from "../../../proofs/support/spread-by-account.ts";
import { newId } from "../../core/ids.ts";
import type { LedgerOp, Transactions } from "../../core/ledger/ledger.ts";
import { micro } from "../../core/money/money.ts";
import { bookedResult } from "../../ledger/booking.ts";
import { createLedger } from "../../ledger/ledger.ts";
import { openStore } from "../open-store.ts";
import { accountLimitsSuite } from "../suite/account-limits.suite.ts";
import { admissionSuite } from "../suite/admission.suite.ts";
import { Customer, newCustomer, rejectionOf, settleOp, type TestDatabase } from "../suite/books.ts";
import { endingSuite } from "../suite/ending.suite.ts";
import { idempotencySuite } from "../suite/idempotency.suite.ts";
import { keyAfterRecoverySuite } from "../suite/key-after-recovery.suite.ts";
import { lateSuite } from "../suite/late.suite.ts";
import { lawsSuite } from "../suite/laws.suite.ts";
import { modelSuite } from "../suite/model.suite.ts";
import { MovedClock, sweepForAWhile } from "../suite/moved-clock.ts";
import { openOnPostgres } from "../suite/postgres-database.ts";
import { projectsSuite } from "../suite/projects.suite.ts";
import { recoverySuite } from "../suite/recovery.suite.ts";
import { requestTagsSuite } from "../suite/request-tags.suite.ts";
import { topUpsSuite } from "../suite/top-ups.suite.ts";

const APART: Transactions = { of: "account", side_by_side: 4 };

describe("the ledger on PostgreSQL, accounts in transactions of their own", () => {
  let database: TestDatabase | null = null;
  const opened = (): TestDatabase => {
    if (database === null) throw new Error("the database is not open");
    return database;
  };
  beforeAll(async () => {
    database = await openOnPostgres(await freshDatabase(), "read committed", APART);
    await recordAccounts(opened().execute);
    for (const statement of await spreadingStatements()) await opened().execute(statement);
  });
  afterAll(async () => {
    const together = await sharedTransactions(opened().execute);
    await database?.close();
    expect(together).toEqual([]);
  });

  admissionSuite(opened);
  endingSuite(opened);
  idempotencySuite(opened);
  recoverySuite(opened);
  lateSuite(opened);
  // All else is as with batches, which postgres-store.test.ts tries.
  if (LEAVES_DRILLS) return;
  lawsSuite(opened);
  accountLimitsSuite(opened);
  projectsSuite(opened);
  requestTagsSuite(opened);
  topUpsSuite(opened, 5);
  keyAfterRecoverySuite(opened, 5);
  modelSuite(opened, 5);
});

type Execute = TestDatabase["execute"];

const OF_ACCOUNTS = [
  { table: "accounts", column: "id", changes: "UPDATE" },
  { table: "requests_held", column: "account_id", changes: "INSERT OR UPDATE OR DELETE" },
  { table: "entries", column: "account_id", changes: "INSERT" },
  { table: "usage_days", column: "account_id", changes: "INSERT OR UPDATE" },
];

/** Has the server write down of which accounts each transaction changes rows. */
async function recordAccounts(execute: Execute): Promise<void> {
  await execute("CREATE TABLE recorded_accounts (transaction_id TEXT, account_id TEXT)");
  for (const { table, column, changes } of OF_ACCOUNTS) {
    await execute(`CREATE FUNCTION record_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO recorded_accounts VALUES (pg_current_xact_id()::text, coalesce(NEW.${column}, OLD.${column}));
        RETURN NULL;
      END $$`);
    await execute(`CREATE TRIGGER record_${table} AFTER ${changes} ON ${table}
      FOR EACH ROW EXECUTE FUNCTION record_${table}()`);
  }
}

/** The transactions that changed rows of several accounts. */
async function sharedTransactions(execute: Execute): Promise<readonly unknown[]> {
  return await execute(`SELECT transaction_id FROM recorded_accounts GROUP BY transaction_id
    HAVING count(DISTINCT account_id) > 1`);
}

async function openNode(url: string, transactions: Transactions, clock = new MovedClock()) {
  const raw = new SQL(url, { max: 2 });
  const node_id = newId("node");
  const store = await openStore({ url, node_id, transactions, clock });
  const execute: Execute = async (text) => await raw.unsafe(text);
  const close = async (): Promise<void> => {
    await Promise.all([store.close(), raw.close()]);
  };
  const node = { store, node_id, raw, clock, execute, crash: never, close };
  return { ...node, [Symbol.asyncDispose]: close };
}

type Node = Awaited<ReturnType<typeof openNode>>;

async function never(): Promise<void> {
  throw new Error("not asked for");
}

const customersOf = (node: Node, count: number): Promise<Customer[]> =>
  Promise.all(Array.from({ length: count }, () => newCustomer(node, 1_000_000)));

/** A row lock on an account, as somebody else's transaction has it that takes long. */
async function locked(node: Node, { account }: Customer): Promise<ReservedSQL> {
  const holder = await node.raw.reserve();
  await holder.unsafe("BEGIN");
  await holder.unsafe(`SELECT 1 FROM accounts WHERE id = '${account.id}' FOR UPDATE`);
  return holder;
}

describe("a transaction", () => {
  const modes = [
    { transactions: APART, share: false },
    // The proof of the proof: by default they do.
    { transactions: { of: "batch" } as const, share: true },
  ];
  for (const { transactions, share } of modes) {
    test(`of ${transactions.of === "batch" ? "a batch has" : "an account has no"} other accounts, as the server sees it`, async () => {
      await using node = await openNode(await freshDatabase(), transactions);
      const customers = await customersOf(node, 5);
      await recordAccounts(node.execute);
      const [first] = customers as [Customer];
      const admits = customers.flatMap((customer) => [customer.admitOp(), customer.admitOp()]);
      const admitted = await first.commit<LedgerOp>(...admits);
      expect(admitted.map(({ outcome }) => outcome)).toEqual(admits.map(() => "admitted"));
      const written = await node.execute(`SELECT count(DISTINCT xmin::text)::int AS transactions FROM requests_held`);
      expect(written).toEqual([{ transactions: share ? 1 : 5 }]);

      // Ends name a request alone; the order of the results is that of the operations.
      const ends = admits.map(({ request_id }, at) => settleOp(request_id, { charge_micro: micro(at + 1) }));
      const unknown = settleOp(newId("req"));
      const ended = await first.commit<LedgerOp>(...ends, unknown);
      expect(ended).toMatchObject([
        ...ends.map(({ charge_micro }) => ({ outcome: "settled", charge_micro })),
        { outcome: "unknown_request" },
      ]);
      expect((await sharedTransactions(node.execute)).length > 0).toBe(share);
      expect((await node.store.audit()).problems).toEqual([]);
    });
  }

  test("of an account ends holds of a process that has died, and of this one's that nobody owns", async () => {
    const url = await freshDatabase();
    await using one = await openNode(url, APART);
    await using two = await openNode(url, APART);
    const customers = await customersOf(one, 3);
    await recordAccounts(one.execute);
    const hold = async (node: Node): Promise<string[]> => {
      const admits = customers.flatMap(({ account, key }) => {
        const customer = new Customer(node, account, key);
        return [customer.admitOp(), customer.admitOp()];
      });
      await node.store.ledger.commit(admits);
      return admits.map(({ request_id }) => request_id);
    };
    await hold(two);
    // The first node does not know whose requests the second admitted, nor does a node that was started anew.
    const known = await hold(two);
    const settled = await one.store.ledger.commit(known.map((id) => settleOp(id)));
    expect(settled.map(({ outcome }) => outcome)).toEqual(known.map(() => "settled"));

    await hold(two);
    expect(await one.store.ledger.bury(two.node_id)).toEqual({ settled: 0, voided: 12 });
    await hold(two);
    expect(await sweepForAWhile(one.store, one.node_id, one.clock)).toEqual({ settled: 0, voided: 6 });
    const own = await hold(one);
    await one.execute(`UPDATE requests SET deadline_ms = 1 WHERE id = '${own[0]}' OR id = '${own[5]}'`);
    await one.execute("DELETE FROM recorded_accounts");
    const stateOf = (id: string) => (id === own[0] || id === own[5] ? ("unknown" as const) : ("running" as const));
    expect(await one.store.ledger.sweep(one.node_id, stateOf)).toMatchObject({ settled: 0, voided: 2 });
    const [recorded] = (await one.execute(
      "SELECT count(DISTINCT account_id)::int AS accounts FROM recorded_accounts",
    )) as { accounts: number }[];
    expect(recorded?.accounts).toBe(2);
    expect(await sharedTransactions(one.execute)).toEqual([]);
    expect((await one.store.audit()).problems).toEqual([]);
  }, 60_000);

  test("of one account and batches of other nodes share a database", async () => {
    const url = await freshDatabase();
    await using apart = await openNode(url, APART);
    await using together = await openNode(url, { of: "batch" });
    const customers = await customersOf(apart, 6);
    const draw = async (node: Node): Promise<void> => {
      const seen = customers.map(({ account, key }) => new Customer(node, account, key));
      for (let round = 0; round < 10; round += 1) {
        const model = `acme/model-${round}`;
        const admits = seen.map((customer) => customer.admitOp({ model, requested_model: model }));
        const admitted = await node.store.ledger.commit(round % 2 === 0 ? admits : admits.toReversed());
        expect(admitted.map(({ outcome }) => outcome)).toEqual(admits.map(() => "admitted"));
        await node.store.ledger.commit(admits.map(({ request_id }) => settleOp(request_id, { model })));
      }
    };
    await Promise.all([draw(apart), draw(together), draw(apart)]);
    for (const customer of customers)
      expect(await customer.wallet()).toEqual({ balance: 1_000_000 - 3 * 10 * 40, held: 0 });
    expect((await together.store.audit()).problems).toEqual([]);
  }, 30_000);

  test("that is new to a text leaves it to a transaction of the text's own", async () => {
    await using node = await openNode(await freshDatabase(), APART);
    const customers = await customersOf(node, 3);
    const model = "acme/never-seen";
    const admits = customers.map((customer) => customer.admitOp({ model, requested_model: model }));
    await node.store.ledger.commit(admits);
    await node.store.ledger.commit(admits.map(({ request_id }) => settleOp(request_id, { model })));
    const textsOf = () => node.execute(`SELECT xmin::text AS transaction FROM texts WHERE text = '${model}'`);
    let texts = await textsOf();
    while (texts.length === 0) texts = await textsOf();
    const writers = await node.execute("SELECT xmin::text AS transaction FROM requests_ended");
    expect(writers).not.toContainEqual(texts[0]);
    for (const [at, { request_id }] of admits.entries()) {
      const found = await node.store.accounts.findRequest(customers[at]?.account.id ?? "", request_id);
      expect(found).toMatchObject({ model });
    }
    expect((await node.store.audit()).problems).toEqual([]);
  });
});

describe("one account's trouble", () => {
  test("of a conflict that is repeated leaves the others unharmed, and its operations take place once", async () => {
    await using node = await openNode(await freshDatabase(), APART);
    const customers = await customersOf(node, 4);
    const [unlucky] = customers as [Customer];
    // A sequence is not rolled back: of the unlucky one's transactions the first try fails at a statement, the second at its commit.
    await node.execute("CREATE SEQUENCE counted_tries");
    await node.execute(`CREATE FUNCTION fail_often() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.id = '${unlucky.account.id}' AND nextval('counted_tries') % 5 IN (1, 3) THEN
          RAISE EXCEPTION 'try again' USING ERRCODE = '40001';
        END IF;
        RETURN NULL;
      END $$`);
    await node.execute(
      "CREATE TRIGGER fail_at_statement AFTER UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION fail_often()",
    );
    await node.execute(`CREATE CONSTRAINT TRIGGER fail_at_commit AFTER UPDATE ON accounts DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION fail_often()`);
    const admits = customers.map((customer) => customer.admitOp());
    expect((await node.store.ledger.commit(admits)).map(({ outcome }) => outcome)).toEqual(
      admits.map(() => "admitted"),
    );
    await node.store.ledger.commit(admits.map(({ request_id }) => settleOp(request_id)));
    for (const customer of customers) expect(await customer.wallet()).toEqual({ balance: 1_000_000 - 40, held: 0 });
    expect(await node.execute("SELECT last_value > 3 AS failed FROM counted_tries")).toEqual([{ failed: true }]);
    expect((await node.store.audit()).problems).toEqual([]);
  });

  test("of a lock that another has lets the others pass, and its own operations afterwards", async () => {
    await using node = await openNode(await freshDatabase(), APART);
    const customers = await customersOf(node, 30);
    const [waiting, ...others] = customers as [Customer, ...Customer[]];
    const ledger = createLedger({ store: node.store.ledger });
    const holder = await locked(node, waiting);
    const late = ledger.admit(waiting.admitOp());
    // Far more accounts than connections: none of them waits for the one that is locked.
    for (const customer of others) {
      const admit = customer.admitOp();
      expect(await bookedResult(ledger.admit(admit))).toMatchObject({ outcome: "admitted" });
      const settle = { ...settleOp(admit.request_id), account_id: customer.account.id };
      expect(await bookedResult(ledger.settle(settle))).toMatchObject({ outcome: "settled" });
    }
    expect(late.is_decided).toBe(false);
    await holder.unsafe("COMMIT");
    holder.release();
    expect(await bookedResult(late)).toMatchObject({ outcome: "admitted" });
    await ledger.drain();
    expect(ledger.pending).toBe(0);
    expect((await node.store.audit()).problems).toEqual([]);
  });

  test("fails its own operations alone, and says of a mixed batch what is certain", async () => {
    await using node = await openNode(await freshDatabase(), APART);
    const customers = await customersOf(node, 3);
    const [broken, ...others] = customers as [Customer, ...Customer[]];
    await node.execute(`CREATE FUNCTION fail_always() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.account_id = '${broken.account.id}' THEN RAISE EXCEPTION 'no' USING ERRCODE = '53100'; END IF;
        RETURN NEW;
      END $$`);
    await node.execute(
      "CREATE TRIGGER fail_always BEFORE INSERT ON requests_held FOR EACH ROW EXECUTE FUNCTION fail_always()",
    );
    const mixed = customers.map((customer) => customer.admitOp());
    expect(await rejectionOf(node.store.ledger.commit(mixed))).toMatchObject({ nothing_happened: false });
    expect(await rejectionOf(node.store.ledger.commit([broken.admitOp()]))).toMatchObject({
      trouble: "disk_full",
      nothing_happened: true,
    });
    const ledger = createLedger({ store: node.store.ledger });
    const [failed, ...admitted] = customers.map((customer) => bookedResult(ledger.admit(customer.admitOp())));
    expect(await rejectionOf(failed as Promise<unknown>)).toMatchObject({ code: "model_unavailable" });
    expect(await Promise.all(admitted)).toMatchObject(others.map(() => ({ outcome: "admitted" })));
    await ledger.drain();
    expect(await broken.wallet()).toEqual({ balance: 1_000_000, held: 0 });
    expect((await node.store.audit()).problems).toEqual([]);
  });
});

test("connections that are killed in the middle lose nothing that was acknowledged, and double nothing", async () => {
  await using node = await openNode(await freshDatabase(), APART);
  const customers = await customersOf(node, 8);
  const ledger = createLedger({ store: node.store.ledger, retry_min_ms: 5, retry_max_ms: 20 });
  const charged = new Map<string, number>();
  const calls = async (customer: Customer): Promise<void> => {
    for (let call = 0; call < 25; call += 1) {
      const admit = customer.admitOp();
      const admitted = await bookedResult(ledger.admit(admit)).catch(() => null);
      if (admitted?.outcome !== "admitted") continue;
      const { request_id } = admit;
      charged.set(request_id, 40);
      const { account } = customer;
      await bookedResult(ledger.settle({ ...settleOp(request_id), account_id: account.id }));
    }
  };
  let is_over = false;
  const harm = async (): Promise<number> => {
    let killed = 0;
    // Not for ever: a machine may be so slow that each commit takes longer than the next kill.
    while (!is_over && killed < 20) {
      const gone = await node.execute(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'camino' AND state IN ('active', 'idle in transaction')
        LIMIT 1`);
      killed += gone.length;
      await Bun.sleep(20);
    }
    return killed;
  };
  const harmed = harm();
  await Promise.all(customers.map(calls));
  await ledger.drain();
  is_over = true;
  expect(await harmed).toBeGreaterThan(0);

  const rows = (await node.execute(
    "SELECT id, status, charge_micro::int AS charge FROM requests WHERE status <> 'voided' ORDER BY id",
  )) as { id: string; status: string; charge: number }[];
  expect(rows.map(({ id, status, charge }) => [id, status, charge])).toEqual(
    [...charged].toSorted().map(([id, charge]) => [id, "settled", charge]),
  );
  expect((await node.store.audit()).problems).toEqual([]);
}, 60_000);
