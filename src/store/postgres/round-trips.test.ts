import { expect, test } from "bun:test";
import { connect, createServer } from "node:net";
import { throughProxy } from "../../../proofs/support/faulty-proxy.ts";
import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { newId } from "../../core/ids.ts";
import type { Store } from "../../core/store/ports.ts";
import { openStore } from "../open-store.ts";
import { newCustomer, settleOp } from "../suite/books.ts";

interface TurnCounter extends AsyncDisposable {
  readonly port: number;
  /** How often a client has sent something after the server had the last word. */
  turns: number;
  /** How many prepared statements clients have run. */
  statements: number;
}

/** Passes bytes on, and counts whose turn it was. */
async function turnCounter(target: number): Promise<TurnCounter> {
  const counter = { port: 0, turns: 0, statements: 0, [Symbol.asyncDispose]: async () => void listener.close() };
  const listener = createServer((client) => {
    let server_spoke_last = true;
    const server = connect({ port: target, host: "127.0.0.1" });
    client.on("data", (bytes) => {
      if (server_spoke_last) counter.turns += 1;
      server_spoke_last = false;
      counter.statements += Buffer.from(bytes).toString("latin1").split("EXECUTE ").length - 1;
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      server_spoke_last = true;
      client.write(bytes);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((listening) => listener.listen(0, "127.0.0.1", listening));
  const address = listener.address();
  counter.port = typeof address === "object" && address !== null ? address.port : 0;
  return counter;
}

test("a batch is two round trips, whatever it has, once the session knows its statements", async () => {
  const url = await freshDatabase();
  await using counter = await turnCounter(Number(new URL(url).port));
  const node_id = newId("node");
  const store = await openStore({ url: throughProxy(url, counter), node_id });
  const unused = (): Promise<never> => Promise.reject(new Error("not here"));
  const customer = await newCustomer({ store, node_id, execute: unused, crash: unused, close: unused }, 1_000_000);
  const turnsOf = async (ops: Parameters<typeof store.ledger.commit>[0]): Promise<number> => {
    const before = counter.turns;
    await store.ledger.commit(ops);
    return counter.turns - before;
  };
  const admits = () => Array.from({ length: 10 }, () => customer.admitOp());
  const other = await openStore({ url, node_id: newId("node") });
  for (let round = 0; round < 4; round += 1) {
    if (round === 3) {
      // From here on another gateway has a running request of the account's, and locks are given back before the flush.
      await other.ledger.commit([customer.admitOp({ node_id: newId("node") })]);
      await store.ledger.sweep(node_id, () => "running");
    }
    const first = admits();
    const second = admits();
    const key = { key: newId("req"), fingerprint: "f" };
    const keyed = customer.admitOp({ idempotency: key });
    const turns = [
      await turnsOf(first),
      await turnsOf([...second, ...first.map(({ request_id }) => settleOp(request_id))]),
      await turnsOf([keyed, { ...customer.admitOp(), idempotency: key }]),
      await turnsOf([...second, keyed].map(({ request_id }) => settleOp(request_id))),
    ];
    // The first round prepares, and meets the model's texts for the first time.
    if (round >= 2) expect(turns).toEqual([2, 2, 2, 2]);
  }
  expect((await store.audit()).problems).toEqual([]);
  await Promise.all([store.close(), other.close()]);
}, 30_000);

/** The least turns and statements of a batch that admits ten calls and of one that settles them, once the session knows its statements. */
async function costOfCalls(store: Store, counted: readonly TurnCounter[]): Promise<readonly number[][]> {
  const unused = (): Promise<never> => Promise.reject(new Error("not here"));
  const node_id = newId("node");
  const customer = await newCustomer({ store, node_id, execute: unused, crash: unused, close: unused }, 1_000_000);
  const { stores, laneOf } = store.lanes ?? { stores: [store.ledger], laneOf: () => 0 };
  const ledger = stores[laneOf(customer.account.id)] ?? store.ledger;
  const seen: number[][][] = [];
  for (let round = 0; round < 6; round += 1) {
    const admits = Array.from({ length: 10 }, () => customer.admitOp({ node_id }));
    const settles = admits.map(({ request_id }) => ({ ...settleOp(request_id), account_id: customer.account.id }));
    for (const counter of counted) Object.assign(counter, { turns: 0, statements: 0 });
    await ledger.commit(admits);
    await ledger.commit(settles);
    if (round > 2) seen.push(counted.map(({ turns, statements }) => [turns, statements]));
  }
  return counted.map((_, at) => [0, 1].map((figure) => Math.min(...seen.map((round) => round[at]?.[figure] ?? 0))));
}

test("a call in a cell is as many statements as in a single database, and none in another", async () => {
  const [alone, directory, north] = [await freshDatabase(), await freshDatabase(), await freshDatabase()];
  const port = Number(new URL(alone).port);
  await using to_alone = await turnCounter(port);
  await using to_directory = await turnCounter(port);
  await using to_north = await turnCounter(port);
  const single = await openStore({ url: throughProxy(alone, to_alone), node_id: newId("node") });
  const cells = await openStore({
    url: throughProxy(directory, to_directory),
    node_id: newId("node"),
    cells: {
      directory_weight: 0,
      cells: [{ name: "north", url: throughProxy(north, to_north), weight: 1 }],
    },
  });
  const [in_one = []] = await costOfCalls(single, [to_alone]);
  expect(in_one[0]).toBe(4);
  expect(await costOfCalls(cells, [to_north, to_directory])).toEqual([in_one, [0, 0]]);
  await Promise.all([single.close(), cells.close()]);
}, 60_000);
