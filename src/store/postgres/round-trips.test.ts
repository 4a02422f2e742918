import { expect, test } from "bun:test";
import { connect, createServer } from "node:net";
import { throughProxy } from "../../../proofs/support/faulty-proxy.ts";
import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { newId } from "../../core/ids.ts";
import { openStore } from "../open-store.ts";
import { newCustomer, settleOp } from "../suite/books.ts";

interface TurnCounter extends AsyncDisposable {
  readonly port: number;
  /** How often a client has sent something after the server had the last word. */
  turns: number;
}

/** Passes bytes on, and counts whose turn it was. */
async function turnCounter(target: number): Promise<TurnCounter> {
  const counter = { port: 0, turns: 0, [Symbol.asyncDispose]: async () => void listener.close() };
  const listener = createServer((client) => {
    let server_spoke_last = true;
    const server = connect({ port: target, host: "127.0.0.1" });
    client.on("data", (bytes) => {
      if (server_spoke_last) counter.turns += 1;
      server_spoke_last = false;
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
