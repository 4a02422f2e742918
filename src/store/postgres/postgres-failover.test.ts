import { expect, test } from "bun:test";
import { SQL } from "bun";
import { faultyProxy } from "../../../proofs/support/faulty-proxy.ts";
import { freshDatabase, startPair } from "../../../proofs/support/postgres.ts";
import { newId } from "../../core/ids.ts";
import { micro } from "../../core/money/money.ts";
import type { StoreEvent } from "../../core/store/store-events.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { openStore } from "../open-store.ts";
import { newCustomer, rejectionOf, settleOp } from "../suite/books.ts";

const urlOf = (port: number): string => `postgres://postgres@127.0.0.1:${port}/postgres`;

/** Runs a statement on a connection of its own. */
async function on(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const raw = new SQL(url, { max: 1 });
  try {
    return await raw.unsafe(statement);
  } finally {
    await raw.close();
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds().catch(() => false))) await Bun.sleep(20);
}

test("after a failover what the new primary has not got is committed again, and told", async () => {
  const replication = await faultyProxy(0);
  const pair = await startPair(async (primary_port) => {
    replication.target = primary_port;
    return replication.port;
  });
  const standby = urlOf(pair.standby_port);
  await using proxy = await faultyProxy(pair.primary_port);
  const events: StoreEvent[] = [];
  const node_id = newId("node");
  const onEvent = (event: StoreEvent): void => void events.push(event);
  const store = await openStore({ url: urlOf(proxy.port), node_id, onEvent });
  const unused = (): Promise<never> => Promise.reject(new Error("not here"));
  const database = { store, node_id, execute: unused, crash: unused, close: unused };
  const customer = await newCustomer(database, 10_000);
  const neighbour = await newCustomer(database, 10_000);
  const kept = await customer.hold();
  await customer.settle(kept);
  const end_lost = await customer.hold();
  await until(async () => (await on(standby, `SELECT 1 FROM requests WHERE id = '${end_lost}'`)).length === 1);

  // A replica is no place for a ledger, and says so.
  expect(String(await rejectionOf(openStore({ url: standby, node_id: newId("node") })))).toContain("read-only replica");

  replication.stall();
  await customer.settle(end_lost, { charge_micro: micro(7) });
  const lost = await customer.hold();
  await customer.settle(lost, { charge_micro: micro(11) });
  const running = await customer.hold();
  const neighbours = await neighbour.hold();
  expect(await customer.wallet()).toEqual({ balance: 10_000 - 40 - 7 - 11 - 100, held: 100 });

  // The address leads to the replica first, which is not promoted yet.
  proxy.target = pair.standby_port;
  proxy.cut();
  const refusal = await rejectionOf(customer.admit());
  expect(refusal).toBeInstanceOf(StoreUnavailable);
  const unready = await rejectionOf(store.ping());
  expect(unready).toBeInstanceOf(StoreUnavailable);
  await on(standby, "SELECT pg_promote()");
  await until(async () => {
    const ends = [settleOp(running, { charge_micro: micro(13) }), settleOp(neighbours, { charge_micro: micro(17) })];
    const [own, next] = await Promise.all(ends.map((end) => store.ledger.commit([end])));
    return own?.[0]?.outcome === "settled" && next?.[0]?.outcome === "settled";
  });
  expect(await neighbour.wallet()).toEqual({ balance: 10_000 - 17, held: 0 });

  expect(await customer.wallet()).toEqual({ balance: 10_000 - 40 - 7 - 11 - 13, held: 0 });
  const failovers = events.filter(({ kind }) => kind === "failover");
  expect(failovers).toEqual([
    { kind: "failover", mended: [end_lost, lost, running, neighbours], lost: [], may_be_more: false, problem: null },
  ]);
  expect(events).toContainEqual({ kind: "trouble", trouble: "read_only" });
  expect((await store.audit()).problems).toEqual([]);
  await store.close();
  await replication[Symbol.asyncDispose]();
}, 60_000);

test("an address that leads to another database is refused", async () => {
  const url = await freshDatabase();
  await using proxy = await faultyProxy(Number(new URL(url).port));
  const through = new URL(url);
  through.port = String(proxy.port);
  const node_id = newId("node");
  const store = await openStore({ url: through.href, node_id });
  const pair = await startPair((port) => Promise.resolve(port));
  await on(urlOf(pair.primary_port), `CREATE DATABASE ${through.pathname.slice(1)}`);
  proxy.target = pair.primary_port;
  proxy.cut();
  let refused: unknown;
  await until(async () => {
    refused = await rejectionOf(store.ledger.commit([]));
    return refused instanceof StoreUnavailable && refused.trouble === "other_database";
  });
  await store.close();
}, 60_000);

test("settings that put commits at risk are told, and the ledger commits for sure whatever the server would do", async () => {
  const url = await freshDatabase();
  await on(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
  const events: StoreEvent[] = [];
  const store = await openStore({ url, node_id: newId("node"), onEvent: (event) => events.push(event) });
  const codes = ["fsync_off", "full_page_writes_off", "synchronous_commit_off"];
  await store.ledger.commit([]);
  expect(store.conditions().map(({ code }) => code)).toEqual(codes);
  expect(events.flatMap((event) => (event.kind === "condition" ? [event.condition.code] : []))).toEqual(codes);
  await store.close();
});

test("a database without room says so, and works again when there is some", async () => {
  const url = await freshDatabase();
  const events: StoreEvent[] = [];
  const store = await openStore({ url, node_id: newId("node"), onEvent: (event) => events.push(event) });
  await on(
    url,
    `CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
    CREATE TRIGGER no_room BEFORE UPDATE ON nodes FOR EACH ROW EXECUTE FUNCTION no_room()`,
  );
  expect(await rejectionOf(store.ping())).toMatchObject({ trouble: "disk_full" });
  expect(events).toContainEqual({ kind: "trouble", trouble: "disk_full" });
  await on(url, "DROP TRIGGER no_room ON nodes");
  await store.ping();
  await store.close();
});
