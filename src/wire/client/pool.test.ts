import { afterEach, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { Deadlines } from "../deadlines.ts";
import { Call } from "./call.ts";
import { Pool } from "./pool.ts";
import { requestBytes } from "./request-bytes.ts";
import { readTarget, type UrlTarget } from "./target.ts";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A vendor that answers at once, and a pool of connections to it with a clock that stands still. */
async function pooled() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const target = readTarget(url) as UrlTarget;
  const clock = { now_ms: 0 };
  const deadlines = new Deadlines();
  const pool = new Pool(clock, () => {});
  const ask = async (): Promise<void> => {
    const call = new Call(deadlines, { connect_ms: 5000, first_byte_ms: 5000, idle_ms: 5000, total_ms: 9000 });
    pool.send(target, call, requestBytes(target, { url, headers: {}, body: "{}" }));
    await (await call.reply).readWhole();
  };
  const closed = (socket: Socket | undefined) => new Promise((resolve) => socket?.once("close", resolve));
  return { pool, clock, sockets, ask, closed };
}

test("a connection that was idle for too long is not used again", async () => {
  const { clock, sockets, ask, closed } = await pooled();
  await ask();
  clock.now_ms += 44_999;
  await ask();
  expect(sockets).toHaveLength(1);
  const old = closed(sockets[0]);
  clock.now_ms += 45_000;
  await ask();
  expect(sockets).toHaveLength(2);
  await old;
});

test("only connections that were idle for too long are closed", async () => {
  const { pool, clock, sockets, ask, closed } = await pooled();
  await Promise.all([ask(), ask(), ask()]);
  expect([pool.size, sockets.length]).toEqual([3, 3]);
  clock.now_ms += 30_000;
  await ask();
  clock.now_ms += 15_000;
  const old = Promise.all(sockets.slice(0, 2).map(closed));
  pool.closeOld();
  expect(pool.size).toBe(1);
  clock.now_ms += 30_000;
  pool.closeOld();
  expect(pool.size).toBe(0);
  await old;
});

test("the pool keeps no more than 256 connections", async () => {
  const { pool, sockets, ask } = await pooled();
  await Promise.all(Array.from({ length: 300 }, ask));
  expect(pool.size).toBe(256);
  while (sockets.filter((socket) => !socket.destroyed).length > 256) await Bun.sleep(5);
  await Promise.all(Array.from({ length: 256 }, ask));
  expect(sockets).toHaveLength(300);
});
