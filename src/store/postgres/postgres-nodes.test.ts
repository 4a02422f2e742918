import { describe, expect, test } from "bun:test";
import { type ReservedSQL, SQL } from "bun";
import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { newId } from "../../core/ids.ts";
import { micro } from "../../core/money/money.ts";
import { openStore } from "../open-store.ts";
import { Customer, newCustomer, settleOp, type TestDatabase } from "../suite/books.ts";
import { expectNothingLost, killWhileWriting } from "../suite/killed-writer.ts";
import { MovedClock, sweepForAWhile } from "../suite/moved-clock.ts";

interface Nodes extends AsyncDisposable {
  readonly url: string;
  readonly nodes: TestDatabase[];
  readonly raw: SQL;
  /** The monotonic clock of all nodes. */
  readonly clock: MovedClock;
}

/** Several gateways on one database, each a store of its own. */
async function openNodes(count: number): Promise<Nodes> {
  const url = await freshDatabase();
  const raw = new SQL(url, { max: 1 });
  const clock = new MovedClock();
  const execute = async (sql: string): Promise<readonly unknown[]> => await raw.unsafe(sql);
  // All at once: they race for the migrations.
  const nodes = await Promise.all(
    Array.from({ length: count }, async () => {
      const node_id = newId("node");
      const store = await openStore({ url, node_id, clock });
      return { store, node_id, execute, crash: () => store.close(), close: () => store.close() };
    }),
  );
  const close = async (): Promise<void> => {
    await Promise.all([...nodes.map((node) => node.close()), raw.close()]);
  };
  return { url, nodes, raw, clock, [Symbol.asyncDispose]: close };
}

/** A customer as another node sees it. */
function at(node: TestDatabase, { account, key }: Customer): Customer {
  return new Customer(node, account, key);
}

const node = (nodes: readonly TestDatabase[], index: number): TestDatabase => {
  const found = nodes[index];
  if (!found) throw new Error(`no node ${index}`);
  return found;
};

describe("gateways on one database", () => {
  test("migrate it once, however many start at once", async () => {
    await using shared = await openNodes(5);
    const versions = await shared.raw.unsafe("SELECT version FROM schema_migrations");
    expect(new Set(versions.map(({ version }: { version: string }) => version)).size).toBe(versions.length);
  });

  test("let exactly as many into a limit by model as it allows, through both at once", async () => {
    await using shared = await openNodes(2);
    const { nodes } = shared;
    const customer = await newCustomer(node(nodes, 0), 1000);
    const budget = { amount_micro: micro(70), window: "day" } as const;
    const rule = { rule: "account model *", value: "", rpm: null, tpm: null, concurrent: 9, budget };
    const asked = Array.from({ length: 60 }, (_, place) =>
      at(node(nodes, place % 2), customer).admit({ hold_micro: micro(10), rules: [rule] }),
    );
    const results = await Promise.all(asked);
    const admitted = results.filter(({ outcome }) => outcome === "admitted");
    expect(admitted).toHaveLength(7);
    for (const result of results)
      if (result.outcome !== "admitted")
        expect(result).toMatchObject({ outcome: "budget_exceeded", remaining_micro: 0n });
    const [settled, ...left] = admitted;
    await at(node(nodes, 1), customer).settle(settled?.request_id ?? "", { charge_micro: micro(4) });
    await at(node(nodes, 1), customer).void(left[0]?.request_id ?? "");
    expect(await at(node(nodes, 0), customer).admit({ hold_micro: micro(17), rules: [rule] })).toMatchObject({
      ...{ outcome: "budget_exceeded", remaining_micro: 16n },
    });
    expect((await node(nodes, 0).store.audit({ account_id: customer.account.id })).problems).toEqual([]);
  });

  test("let exactly as many of a tag's new value in as it allows, through both, and what one node gives it holds at the other", async () => {
    await using shared = await openNodes(2);
    const { nodes } = shared;
    const customer = await newCustomer(node(nodes, 0), 1000);
    const budget = { amount_micro: micro(50), window: "day" } as const;
    const rule = { rule: "account tag customer", rpm: null, tpm: null, concurrent: null, budget };
    const ask = (place: number, value: string) =>
      at(node(nodes, place % 2), customer).admit({ hold_micro: micro(10), tag_rules: [{ ...rule, value }] });
    const asked = Array.from({ length: 40 }, (_, place) => ask(place, place % 4 < 2 ? "acme" : "globex"));
    expect((await Promise.all(asked)).filter(({ outcome }) => outcome === "admitted")).toHaveLength(10);
    const account_id = customer.account.id;
    const own = { budget: { ...budget, amount_micro: micro(60) } };
    await node(nodes, 0).store.accounts.setTagValue({ account_id, rule: rule.rule, value: "acme", own });
    expect(await ask(1, "acme")).toMatchObject({ outcome: "admitted" });
    expect(await ask(0, "acme")).toMatchObject({ outcome: "budget_exceeded", rule: { amount_micro: 60n } });
    expect(await ask(1, "globex")).toMatchObject({ outcome: "budget_exceeded", rule: { amount_micro: 50n } });
    expect((await node(nodes, 0).store.audit({ account_id })).problems).toEqual([]);
  });

  test("let exactly 10 of 500 into a wallet for 10, and settle each once", async () => {
    await using shared = await openNodes(2);
    const { nodes } = shared;
    const customer = await newCustomer(node(nodes, 0), 1000);
    const seen = nodes.map((each) => at(each, customer));
    const batch = (each: Customer) => each.commit(...Array.from({ length: 25 }, () => each.admitOp()));
    const rounds = Array.from({ length: 10 }, () => Promise.all(seen.map(batch)));
    const results = (await Promise.all(rounds)).flat(2);
    expect(results).toHaveLength(500);
    expect(results.filter(({ outcome }) => outcome === "admitted")).toHaveLength(10);
    expect(await customer.wallet()).toEqual({ balance: 0, held: 1000 });

    const open = await node(nodes, 1).store.accounts.listRequests({ account_id: customer.account.id, limit: 20 });
    const settling = seen.flatMap((each) =>
      open.requests.map(({ id }) => each.settle(id, { charge_micro: micro(100) })),
    );
    const settled = (await Promise.all(settling)).filter((result) => result?.outcome === "settled");
    expect(settled).toHaveLength(10);
    expect(await customer.wallet()).toEqual({ balance: 0, held: 0 });
    expect((await node(nodes, 0).store.audit()).problems).toEqual([]);
  });

  test("top a balance up once for each time that it falls low, whichever of them makes it fall", async () => {
    await using shared = await openNodes(2);
    const { nodes } = shared;
    const customer = await newCustomer(node(nodes, 0), 1000);
    const { accounts } = node(nodes, 0).store;
    const account_id = customer.account.id;
    const rule = { threshold_micro: micro(100), amount_micro: micro(1000), month_limit_micro: micro(10_000) };
    await accounts.setAutoTopUp({ account_id, ...rule, updated_by: "test" });
    const seen = nodes.map((each) => at(each, customer));
    const batch = (each: Customer) =>
      each.commit(...Array.from({ length: 5 }, () => each.admitOp({ hold_micro: micro(10) })));
    const draws = Array.from({ length: 500 / 5 / seen.length }, () => Promise.all(seen.map(batch)));
    const results = (await Promise.all(draws)).flat(2);
    expect(results.filter(({ outcome }) => outcome === "admitted")).toHaveLength(500);
    // 5,000 were drawn: past 900, 1,900, 2,900, 3,900 and 4,900 the balance would have been below 100.
    expect(await customer.wallet()).toEqual({ balance: 1000, held: 5000 });
    const credits = await accounts.listEntries(account_id, 100, { kind: "credit" });
    expect(credits.map(({ actor }) => actor)).toEqual([...Array.from({ length: 5 }, () => "gateway"), "test"]);
    expect((await node(nodes, 1).store.audit()).problems).toEqual([]);
  });

  test("never wait for each other in a circle, whatever accounts their batches touch in whatever order", async () => {
    await using shared = await openNodes(3);
    const { nodes } = shared;
    const customers = await Promise.all(Array.from({ length: 6 }, () => newCustomer(node(nodes, 0), 100_000)));
    const work = nodes.map(async ({ store, node_id }, turn) => {
      for (let round = 0; round < 15; round++) {
        const order = turn % 2 === 0 ? customers : customers.toReversed();
        const admits = order.map((customer) => customer.admitOp({ node_id }));
        await store.ledger.commit(admits);
        await store.ledger.commit(admits.map(({ request_id }) => settleOp(request_id)).reverse());
      }
    });
    await Promise.all(work);
    for (const customer of customers) expect(await customer.wallet()).toEqual({ balance: 100_000 - 45 * 40, held: 0 });
    expect((await node(nodes, 0).store.audit()).problems).toEqual([]);
  });

  test("see a key that was switched off on another one at their next request", async () => {
    await using shared = await openNodes(2);
    const customer = await newCustomer(node(shared.nodes, 0), 1000);
    await node(shared.nodes, 1).store.accounts.setKeyStatus(customer.key.id, "revoked");
    expect(await customer.admit()).toMatchObject({ outcome: "stale_key" });
  });
});

describe("a gateway that wakes up", () => {
  test("keeps the holds that it takes from then on, also where it has not swept yet", async () => {
    await using shared = await openNodes(2);
    const [woken, judge] = [node(shared.nodes, 0), node(shared.nodes, 1)];
    const customer = await newCustomer(judge, 1000);
    const at_woken = at(woken, customer);
    const before = await at_woken.hold();
    const sweep = () => judge.store.ledger.sweep(judge.node_id);
    for (let slept_ms = 0; slept_ms < 15_000; slept_ms += 5000) {
      expect(await sweep()).toMatchObject({ settled: 0, voided: 0 });
      shared.clock.move(5000);
    }
    const after = await at_woken.hold();
    // Its beat has come with the hold: it is well, and what it did before is its own to end, too.
    expect(await sweep()).toMatchObject({ settled: 0, voided: 0 });
    for (const id of [before, after]) expect(await at_woken.settle(id)).not.toHaveProperty("late");
    expect(await customer.wallet()).toEqual({ balance: 920, held: 0 });
  });
});

describe("a gateway that died", () => {
  test("has its holds ended by the others, once, and those that live keep theirs", async () => {
    await using shared = await openNodes(3);
    const [dead, one, two] = [node(shared.nodes, 0), node(shared.nodes, 1), node(shared.nodes, 2)];
    const customer = await newCustomer(one, 1000);
    await at(dead, customer).hold();
    await at(dead, customer).hold();
    const alive = await customer.hold();
    expect(await one.store.ledger.sweep(one.node_id)).toMatchObject({ settled: 0, voided: 0 });
    let voided = 0;
    for (let round = 0; round < 4; round += 1) {
      const sweeps = await Promise.all([one, two].map(({ store, node_id }) => store.ledger.sweep(node_id)));
      voided += sweeps.reduce((sum, each) => sum + each.voided, 0);
      shared.clock.move(5000);
    }
    expect(voided).toBe(2);
    expect(await customer.wallet()).toEqual({ balance: 900, held: 100 });
    expect(await customer.settle(alive)).toMatchObject({ outcome: "settled" });
  });

  test("and was only asleep has its request settled late, and is known again", async () => {
    await using shared = await openNodes(2);
    const [sleepy, other] = [node(shared.nodes, 0), node(shared.nodes, 1)];
    const customer = await newCustomer(sleepy, 1000);
    const request_id = await customer.hold();
    expect(await sweepForAWhile(other.store, other.node_id, shared.clock)).toEqual({ settled: 0, voided: 1 });
    expect(await customer.settle(request_id)).toMatchObject({ outcome: "settled", charge_micro: 40n, late: true });
    await sleepy.store.ledger.sweep(sleepy.node_id);
    await customer.hold();
    expect(await other.store.ledger.sweep(other.node_id)).toMatchObject({ settled: 0, voided: 0 });
  });

  test("and was only asleep has each end booked once, whichever nodes send it and however often", async () => {
    await using shared = await openNodes(3);
    const [sleepy, other] = [node(shared.nodes, 0), node(shared.nodes, 1)];
    const customer = await newCustomer(sleepy, 1000);
    const ids = await Promise.all(Array.from({ length: 5 }, () => customer.hold()));
    await sweepForAWhile(other.store, other.node_id, shared.clock);
    const everywhere = shared.nodes.map((each) => at(each, customer));
    const ends = await Promise.all(
      everywhere.flatMap((each) => Array.from({ length: 4 }, () => each.commit(...ids.map((id) => settleOp(id))))),
    );
    const settled = ends.flat().filter(({ outcome }) => outcome === "settled");
    expect(settled).toHaveLength(5);
    expect(await customer.wallet()).toEqual({ balance: 1000 - 5 * 40, held: 0 });
    expect(await other.store.accounts.listEntries(customer.account.id, 100, { kind: "correction" })).toHaveLength(5);
    expect((await other.store.audit()).problems).toEqual([]);
  });

  test("after it left in order has its mark removed", async () => {
    await using shared = await openNodes(2);
    const [gone] = shared.nodes;
    await gone?.store.ledger.leave(gone.node_id);
    expect(await shared.raw.unsafe("SELECT id FROM nodes")).toHaveLength(1);
  });

  test("in the middle of writing has lost nothing that was acknowledged", async () => {
    const url = await freshDatabase();
    const killed = await killWhileWriting(url, 100);
    const node_id = newId("node");
    const clock = new MovedClock();
    const store = await openStore({ url, node_id, clock });
    await sweepForAWhile(store, node_id, clock);
    await expectNothingLost(store, killed);
    await store.close();
  });
});

/** Resolves with the session that waits for a lock of another one. */
async function waitingSession(raw: ReservedSQL): Promise<number> {
  for (;;) {
    const [waiting] = await raw.unsafe<{ pid: number }[]>(
      "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    );
    if (waiting) return waiting.pid;
  }
}

describe("a transaction that the database asks to repeat", () => {
  const reasons = [
    { what: "a deadlock", state: "40P01" },
    { what: "a conflict of serializable transactions", state: "40001" },
  ];
  for (const { what, state } of reasons) {
    test(`because of ${what} is repeated, and takes place once`, async () => {
      await using shared = await openNodes(1);
      const customer = await newCustomer(node(shared.nodes, 0), 1000);
      // A sequence is not rolled back: the first three tries fail, the fourth passes.
      await shared.raw.unsafe("CREATE SEQUENCE counted_tries");
      await shared.raw.unsafe(`CREATE FUNCTION fail_first() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('counted_tries') <= 3 THEN RAISE EXCEPTION 'try again' USING ERRCODE = '${state}'; END IF;
          RETURN NEW;
        END $$`);
      await shared.raw.unsafe(
        "CREATE TRIGGER fail_first BEFORE UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION fail_first()",
      );
      expect(await customer.admit()).toMatchObject({ outcome: "admitted" });
      const [tries] = await shared.raw.unsafe("SELECT last_value FROM counted_tries");
      expect(tries).toEqual({ last_value: "4" });
      expect(await customer.wallet()).toEqual({ balance: 900, held: 100 });
    });
  }
});

describe("a lost connection", () => {
  test("fails the commit that was on it, and the next one has a new one", async () => {
    await using shared = await openNodes(1);
    const { store } = node(shared.nodes, 0);
    const customer = await newCustomer(node(shared.nodes, 0), 1000);
    await customer.hold();
    // Somebody else holds the account, so the commit waits; then its connection is cut.
    const other = await shared.raw.reserve();
    await other.unsafe("BEGIN");
    await other.unsafe("SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE", [customer.account.id]);
    const failing = store.ledger.commit([customer.admitOp()]).then(
      () => "admitted",
      () => "failed",
    );
    await other.unsafe("SELECT pg_terminate_backend($1)", [await waitingSession(other)]);
    expect(await failing).toBe("failed");
    await other.unsafe("ROLLBACK");
    other.release();
    expect(await customer.admit()).toMatchObject({ outcome: "admitted" });
    expect(await customer.wallet()).toEqual({ balance: 800, held: 200 });
  });
});

test("a database that cannot be reached is named, without the password", async () => {
  const error = await openStore({ url: "postgres://user:secret@127.0.0.1:1/camino", node_id: "node_1" }).catch(String);
  expect(error).toContain("postgres 127.0.0.1:1/camino");
  expect(error).not.toContain("secret");
});

test("text that PostgreSQL cannot store is refused with a sentence", async () => {
  await using shared = await openNodes(1);
  const { accounts } = node(shared.nodes, 0).store;
  const error = await accounts.createAccount({ id: newId("acct"), email: "a\0@example.com", name: "" }).catch(String);
  expect(error).toContain("StoreConflict");
});
