import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type FaultyProxy, faultyProxy, throughProxy } from "../../../proofs/support/faulty-proxy.ts";
import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { type Deed, type TwoNodes, twoNodes } from "../../../proofs/support/two-nodes.ts";
import { StoreRefusal } from "../../core/store-errors.ts";
import { bookedResult } from "../../ledger/booking.ts";
import { createLedger, type Ledger } from "../../ledger/ledger.ts";
import { rejectionOf, settleOp } from "../suite/books.ts";

interface Scene extends TwoNodes {
  readonly proxy: FaultyProxy;
  /** The first node's ledger. */
  readonly ledger: Ledger;
}

async function openScene(): Promise<Scene> {
  const url = await freshDatabase();
  const proxy = await faultyProxy(Number(new URL(url).port));
  const nodes = await twoNodes(url, [throughProxy(url, proxy), url]);
  const { store } = nodes.one.database;
  const ledger = createLedger({ store: store.ledger, retry_min_ms: 10, retry_max_ms: 100 });
  const close = async (): Promise<void> => {
    await nodes[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
  };
  return { ...nodes, proxy, ledger, [Symbol.asyncDispose]: close };
}

/** Resolves when a session sleeps in the second transaction, with its number. */
async function sleeping({ raw }: TwoNodes): Promise<number> {
  for (;;) {
    const [found] = await raw.unsafe<{ pid: number }[]>(
      "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()",
    );
    if (found !== undefined) return found.pid;
    await Bun.sleep(5);
  }
}

async function nobodySleeps({ raw }: TwoNodes): Promise<void> {
  for (;;) {
    const found = await raw.unsafe("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
    if (found.length === 0) return;
    await Bun.sleep(20);
  }
}

interface Failure {
  readonly what: string;
  readonly deed: Deed;
  /** The harm that is done while the second transaction sleeps. */
  readonly harm?: (scene: Scene) => Promise<void>;
  /** It takes seconds, and is done once. */
  readonly is_slow?: true;
}

const FAILURES: readonly Failure[] = [
  { what: "its right to flush is taken away", deed: "42501" },
  { what: "the disk is full", deed: "53100" },
  { what: "the server has an error of its own", deed: "XX000" },
  { what: "the server asks to repeat it because of a conflict", deed: "40001" },
  { what: "the server asks to repeat it because of a deadlock", deed: "40P01" },
  { what: "it takes longer than a statement may", deed: { sleep_s: 60 }, is_slow: true },
  {
    what: "its session is ended",
    deed: { sleep_s: 60 },
    harm: async (scene) => void (await scene.raw.unsafe("SELECT pg_terminate_backend($1)", [await sleeping(scene)])),
  },
  {
    what: "its connection is cut",
    deed: { sleep_s: 2 },
    harm: async (scene) => {
      await sleeping(scene);
      scene.proxy.cut();
      await nobodySleeps(scene);
    },
  },
  {
    what: "its connection is silent for longer than a batch may take",
    is_slow: true,
    deed: { sleep_s: 2 },
    harm: async (scene) => {
      await sleeping(scene);
      scene.proxy.stall();
      await Bun.sleep(5000);
      scene.proxy.flow();
      await nobodySleeps(scene);
    },
  },
];

describe("a batch whose locks were given back before its flush", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  const isHeld = async (id: string): Promise<boolean> =>
    (await scene.raw.unsafe("SELECT 1 FROM requests_held WHERE id = $1", [id])).length === 1;

  /** Has the first node commit a batch whose second transaction fails. */
  async function failing<Result>({ deed, harm }: Failure, ask: () => Promise<Result>): Promise<Result> {
    await scene.trap(deed);
    const [asked] = await Promise.all([ask(), harm?.(scene)]);
    return asked;
  }

  for (const failure of FAILURES) {
    test(`and whose second transaction fails because ${failure.what} has an unknown outcome, and takes place once`, async () => {
      const { one, two, ledger } = scene;
      await scene.sweep();
      const before = await two.wallet();
      const unknown = one.admitOp();
      const told = await failing(failure, () => rejectionOf(one.commit(unknown)));
      expect(told).toMatchObject({ name: "StoreUnavailable", nothing_happened: false });
      // The first transaction stands, so a node that took the failure for a refusal would be wrong.
      expect(await isHeld(unknown.request_id)).toBe(true);
      expect(await one.void(unknown.request_id)).toMatchObject({ outcome: "voided" });
      if (failure.is_slow === true) return expect(await two.wallet()).toEqual(before);

      const ended = await one.hold();
      const settled = await failing(failure, () => bookedResult(ledger.settle(settleOp(ended))));
      // The answer to a commit is lost, so the settlement is sent again by its id: it has taken place.
      expect(settled).toMatchObject({ outcome: "already_ended", status: "settled" });

      const refused = one.admitOp();
      const refusal = await failing(failure, () => rejectionOf(bookedResult(ledger.admit(refused))));
      expect(refusal).toMatchObject({ code: "model_unavailable" });
      await ledger.drain();
      expect(await isHeld(refused.request_id)).toBe(false);

      expect(await two.wallet()).toEqual({ ...before, balance: before.balance - 40 });
      const charges = await two.database.store.accounts.listEntries(two.account.id, 1000, { kind: "charge" });
      expect(charges.filter(({ request_id }) => request_id === ended)).toHaveLength(1);
      expect((await two.database.store.audit()).problems).toEqual([]);
    }, 60_000);
  }

  test("and whose last message arrives after its connection was lost does not keep its hold", async () => {
    const { one, two, raw, proxy, ledger } = scene;
    const { store, node_id } = one.database;
    await scene.sweep();
    const before = await two.wallet();
    const caught = proxy.cutAt("COMMIT;SELECT pg_logical_emit_message");
    const op = one.admitOp();
    const refused = rejectionOf(bookedResult(ledger.admit(op)));
    const release = await caught;
    expect(await refused).toMatchObject({ code: "model_unavailable" });
    // Its undo finds no such request; then both transactions take place.
    await ledger.drain();
    release();
    while (!(await isHeld(op.request_id))) await Bun.sleep(5);
    await raw.unsafe("UPDATE requests SET created_ms = created_ms - 6000 WHERE id = $1", [op.request_id]);
    const swept = await store.ledger.sweep(node_id, (id) => (ledger.wasRefused(id) ? "refused" : "running"));
    expect(swept).toMatchObject({ settled: 0, voided: 1 });
    expect(await two.wallet()).toEqual(before);
  }, 30_000);

  test("is refused with certainty where its first transaction is, at a statement or at its commit", async () => {
    const { one, two, raw, ledger } = scene;
    await scene.sweep();
    const before = await two.wallet();
    await raw.unsafe(`CREATE FUNCTION refuse_late() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'not this one' USING ERRCODE = '23514'; END $$`);
    for (const when of ["NOT DEFERRABLE", "DEFERRABLE INITIALLY DEFERRED"]) {
      await raw.unsafe(
        `CREATE CONSTRAINT TRIGGER refuse_late AFTER UPDATE ON accounts ${when} FOR EACH ROW EXECUTE FUNCTION refuse_late()`,
      );
      const op = one.admitOp();
      expect(await rejectionOf(one.commit(op))).toBeInstanceOf(StoreRefusal);
      expect(await isHeld(op.request_id)).toBe(false);
      await raw.unsafe("DROP TRIGGER refuse_late ON accounts");
    }
    const ops = Array.from({ length: 20 }, (_, at) => one.admitOp(at === 13 ? { requested_model: "x\0" } : {}));
    const results = await Promise.allSettled(ops.map((op) => bookedResult(ledger.admit(op))));
    expect(results.flatMap(({ status }, at) => (status === "rejected" ? [at] : []))).toEqual([13]);
    expect((await two.wallet()).held - before.held).toBe(1900);
  }, 30_000);

  test("is repeated where the database asks for it before the first commit, and takes place once", async () => {
    const { one, two, raw } = scene;
    await scene.sweep();
    const before = await two.wallet();
    await raw.unsafe("CREATE SEQUENCE counted_tries");
    await raw.unsafe(`CREATE FUNCTION fail_first() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('counted_tries') <= 3 THEN RAISE EXCEPTION 'try again' USING ERRCODE = '40001'; END IF;
        RETURN NULL;
      END $$`);
    await raw.unsafe(`CREATE CONSTRAINT TRIGGER fail_first AFTER UPDATE ON accounts DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION fail_first()`);
    expect(await one.admit()).toMatchObject({ outcome: "admitted" });
    await raw.unsafe("DROP TRIGGER fail_first ON accounts");
    const [tried] = await raw.unsafe("SELECT last_value FROM counted_tries");
    expect(Number(tried.last_value)).toBeGreaterThan(3);
    expect((await two.wallet()).held - before.held).toBe(100);
  }, 30_000);
});

test("a gateway that is alone commits as ever, and one that learns of another or loses the right to flush by itself changes", async () => {
  await using nodes = await twoNodes(await freshDatabase());
  const { one, two, running, raw } = nodes;
  const flushesOf = async (ask: () => Promise<unknown>): Promise<number> => {
    const [before] = await raw.unsafe("SELECT last_value FROM flushes");
    await ask();
    const [after] = await raw.unsafe("SELECT last_value FROM flushes");
    return Number(after.last_value) - Number(before.last_value);
  };
  expect(await flushesOf(() => one.admit())).toBe(1);
  await two.settle(running.two);
  await nodes.sweep();
  expect(await flushesOf(() => one.admit())).toBe(0);
  // A batch without changes writes the lock that it takes, and so is flushed as ever.
  expect(await flushesOf(() => two.settle(running.two))).toBe(0);
  expect(await flushesOf(() => two.admit())).toBe(1);
  // A flush that is refused for good is found out with the next session, which asks first.
  await raw.unsafe("ALTER FUNCTION public.pg_logical_emit_message RENAME TO gone");
  await raw.unsafe(`CREATE FUNCTION pg_logical_emit_message(transactional boolean, prefix text, content text) RETURNS pg_lsn
    LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no such right' USING ERRCODE = '42501'; END $$`);
  expect(await rejectionOf(two.admit())).toMatchObject({ name: "StoreUnavailable", nothing_happened: false });
  expect(await two.admit()).toMatchObject({ outcome: "admitted" });
}, 30_000);
