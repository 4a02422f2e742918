import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { type FaultyProxy, faultyProxy, throughProxy } from "../../../proofs/support/faulty-proxy.ts";
import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { newId } from "../../core/ids.ts";
import type { AdmitOp } from "../../core/ledger/ledger.ts";
import { micro } from "../../core/money/money.ts";
import type { LocalRequestState } from "../../core/store/ports.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { bookedResult } from "../../ledger/booking.ts";
import { createLedger, type Ledger } from "../../ledger/ledger.ts";
import { openStore } from "../open-store.ts";
import { type Customer, newCustomer, rejectionOf, settleOp, type TestDatabase } from "../suite/books.ts";

/** A gateway's store, on a database behind a network that fails as the test says. */
async function openBehindProxy(): Promise<Scene> {
  const url = await freshDatabase();
  const raw = new SQL(url, { max: 2 });
  const proxy = await faultyProxy(Number(new URL(url).port));
  const node_id = newId("node");
  const store = await openStore({ url: throughProxy(url, proxy), node_id });
  const execute = async (sql: string): Promise<readonly unknown[]> => await raw.unsafe(sql);
  const close = async (): Promise<void> => {
    proxy.refuses = false;
    proxy.flow();
    await store.close();
    await raw.close();
    await proxy[Symbol.asyncDispose]();
  };
  const database: TestDatabase = { store, node_id, execute, crash: close, close };
  const customer = await newCustomer(database, 10_000);
  const ledger = createLedger({ store: store.ledger, retry_min_ms: 10, retry_max_ms: 100 });
  return { url, raw, proxy, database, customer, ledger, [Symbol.asyncDispose]: close };
}

interface Scene extends AsyncDisposable {
  readonly url: string;
  readonly raw: SQL;
  readonly proxy: FaultyProxy;
  readonly database: TestDatabase;
  readonly customer: Customer;
  readonly ledger: Ledger;
}

const OUTAGES: readonly {
  what: string;
  begin: (scene: Scene) => Promise<void>;
  end: (scene: Scene) => Promise<void>;
}[] = [
  {
    what: "refuses connections and has cut those that there were",
    begin: async ({ proxy }) => {
      proxy.refuses = true;
      proxy.cut();
    },
    end: async ({ proxy }) => {
      proxy.refuses = false;
    },
  },
  {
    what: "takes connections and says nothing",
    begin: async ({ proxy }) => proxy.stall(),
    end: async ({ proxy }) => proxy.flow(),
  },
  {
    what: "is stopped where it stands",
    begin: (scene) => signalBackends(scene, "SIGSTOP"),
    end: (scene) => signalBackends(scene, "SIGCONT"),
  },
];

/** Stops the gateway's sessions on the server, or lets them go on. */
async function signalBackends({ raw, database: { store } }: Scene, signal: "SIGSTOP" | "SIGCONT"): Promise<void> {
  if (signal === "SIGSTOP") {
    // All connections that the gateway may have are opened first: one that is opened later would not be stopped.
    const calls = Array.from({ length: 24 }, () => [store.ping(), store.accounts.findKeyByHash("nobody's")]);
    await Promise.all(calls.flat());
    const found = await raw.unsafe<{ pid: number }[]>(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'camino'",
    );
    stopped.push(...found.map(({ pid }) => pid));
    for (const pid of stopped) process.kill(pid, "SIGSTOP");
    return;
  }
  for (const pid of stopped.splice(0)) process.kill(pid, "SIGCONT");
}

const stopped: number[] = [];

describe("while the database", () => {
  for (const { what, begin, end } of OUTAGES) {
    test(`${what}, who asks is told so within seconds, and all goes on by itself afterwards`, async () => {
      await using scene = await openBehindProxy();
      const { database, customer, ledger } = scene;
      const { store, node_id } = database;
      const running = customer.admitOp();
      await bookedResult(ledger.admit(running));
      await begin(scene);
      try {
        const began_ms = performance.now();
        const settling = bookedResult(ledger.settle(settleOp(running.request_id)));
        const told = await Promise.all([
          rejectionOf(store.ping()),
          rejectionOf(store.accounts.findKeyByHash("nobody's")),
          rejectionOf(store.accounts.findAccount(customer.account.id)),
          rejectionOf(store.ledger.sweep(node_id)),
          rejectionOf(bookedResult(ledger.admit(customer.admitOp()))),
        ]);
        // Beyond any doubt, and far from the time that it takes: a call never hangs.
        expect(performance.now() - began_ms).toBeLessThan(20_000);
        for (const error of told.slice(0, 4)) expect(error).toBeInstanceOf(StoreUnavailable);
        expect(told[4]).toMatchObject({ code: "model_unavailable", retry_after_ms: expect.any(Number) });
        await end(scene);
        expect(await settling).toMatchObject({ outcome: "settled", charge_micro: 40n });
      } finally {
        await end(scene);
      }
      expect(await bookedResult(ledger.admit(customer.admitOp()))).toMatchObject({ outcome: "admitted" });
      await store.ping();
      expect((await store.audit()).problems).toEqual([]);
    }, 40_000);
  }
});

test("an admission whose commit arrives after its connection was lost does not keep its hold", async () => {
  await using scene = await openBehindProxy();
  const { database, customer, ledger, proxy } = scene;
  const { store, node_id } = database;
  const caught = proxy.cutAt("COMMIT\0");
  const admit: AdmitOp = customer.admitOp();
  const refused = rejectionOf(bookedResult(ledger.admit(admit)));
  const release = await caught;
  expect(await refused).toMatchObject({ code: "model_unavailable" });
  // Its undo finds no such request; then the commit arrives.
  await ledger.drain();
  release();
  while ((await customer.wallet()).held === 0) await Bun.sleep(5);
  await database.execute(`UPDATE requests SET created_ms = created_ms - 6000 WHERE id = '${admit.request_id}'`);
  const localStateOf = (id: string): LocalRequestState => (ledger.wasRefused(id) ? "refused" : "unknown");
  expect(await store.ledger.sweep(node_id, localStateOf)).toMatchObject({ settled: 0, voided: 1 });
  expect(await customer.wallet()).toEqual({ balance: 10_000, held: 0 });
  const record = await store.accounts.findRequest(null, admit.request_id);
  expect(record).toMatchObject({ status: "voided", error: "model_unavailable", operator_loss_micro: 0n });
}, 30_000);

test("of many calls at once, one that the database can never store fails alone", async () => {
  await using scene = await openBehindProxy();
  const { database, customer, ledger } = scene;
  for (let round = 0; round < 4; round += 1) {
    const ops = Array.from({ length: 90 }, (_, at) =>
      customer.admitOp({ hold_micro: micro(1), ...(at % 45 === 11 * round && { requested_model: "x\0" }) }),
    );
    const results = await Promise.allSettled(ops.map((op) => bookedResult(ledger.admit(op))));
    const failed = results.flatMap((result, at) => (result.status === "rejected" ? [ops[at]?.requested_model] : []));
    expect(failed).toEqual(["x\0", "x\0"]);
    const ends = ops.filter(({ requested_model }) => requested_model !== "x\0");
    const settled = await Promise.all(
      ends.map(({ request_id }) => bookedResult(ledger.settle(settleOp(request_id, { charge_micro: micro(1) })))),
    );
    expect(settled.every(({ outcome }) => outcome === "settled")).toBe(true);
  }
  expect(await customer.wallet()).toEqual({ balance: 10_000 - 4 * 88, held: 0 });
  expect((await database.store.audit()).problems).toEqual([]);
}, 30_000);
