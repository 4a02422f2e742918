import { afterEach, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { Deadlines } from "../deadlines.ts";
import { Call } from "./call.ts";
import { Pool } from "./pool.ts";
import { requestBytes } from "./request-bytes.ts";
import { readTarget, type UrlTarget } from "./target.ts";

/** Over raw sockets: what a vendor sends beside an answer reaches no other call. */

const GOOD = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A vendor that answers the first request with `first`, at its first byte, and all others well. */
async function vendor(first: string | Buffer) {
  const sockets: Socket[] = [];
  let asked = 0;
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      // The rest of a long request gets no answer of its own.
      if (!bytes.toString("latin1").startsWith("POST")) return;
      asked += 1;
      if (asked === 1) socket.write(first);
      else socket.write(GOOD);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const target = readTarget(url) as UrlTarget;
  const deadlines = new Deadlines();
  const pool = new Pool({ now_ms: 0 }, () => {});
  const ask = async (body = "{}") => {
    const call = new Call(deadlines, { connect_ms: 5000, first_byte_ms: 5000, idle_ms: 5000, total_ms: 9000 });
    pool.send(target, call, requestBytes(target, { url, headers: {}, body }));
    const reply = await call.reply;
    const whole = await reply.readWhole();
    const text = typeof whole === "string" ? whole : Buffer.from(whole).toString();
    return { status: reply.status, text, discard: () => reply.discard() };
  };
  return { sockets, pool, ask };
}

test.each([
  ["a 204 that may have a body", "HTTP/1.1 204 No Content\r\nContent-Length: 42\r\n\r\n", 204],
  ["a 304 that may have a body", "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", 304],
  ["a 204 with a body", `HTTP/1.1 204 No Content\r\n\r\n${GOOD.replace("ok", "no")}`, 204],
  ["bytes behind the answer", `${GOOD}${GOOD.replace("ok", "no")}`, 200],
])("the connection ends after %s", async (_, first, status) => {
  const { sockets, pool, ask } = await vendor(first);
  expect((await ask()).status).toBe(status);
  expect(pool.size).toBe(0);
  expect(await ask()).toMatchObject({ status: 200, text: "ok" });
  expect(sockets).toHaveLength(2);
});

test("the connection ends after an answer that came before the request was sent whole", async () => {
  const { sockets, pool, ask } = await vendor(GOOD);
  const large = "x".repeat(32 * 1024 * 1024);
  const asking = ask(large);
  while (sockets.length === 0) await Bun.sleep(1);
  sockets[0]?.once("data", () => sockets[0]?.pause());
  expect((await asking).status).toBe(200);
  expect(pool.size).toBe(0);
});

test("bytes on an idle connection end it", async () => {
  const { sockets, pool, ask } = await vendor(GOOD);
  await ask();
  expect(pool.size).toBe(1);
  sockets[0]?.write(GOOD.replace("ok", "no"));
  while (pool.size > 0) await Bun.sleep(1);
  expect(await ask()).toMatchObject({ status: 200, text: "ok" });
});

test("an answer that is found to be none ends its connection, unless a later call has found its own answer on it", async () => {
  const { sockets, pool, ask } = await vendor(GOOD);
  const first = await ask();
  first.discard();
  expect(pool.size).toBe(0);
  const second = await ask();
  const third = await ask();
  expect(sockets).toHaveLength(2);
  // Its reader was slow, and the connection has carried another call since.
  second.discard();
  expect(pool.size).toBe(1);
  expect(await ask()).toMatchObject({ status: 200, text: "ok" });
  expect(sockets).toHaveLength(2);
  third.discard();
  expect(pool.size).toBe(1);
});

test.each([
  ["a chain of content codings", `HTTP/1.1 200 OK\r\nContent-Encoding: ${"gzip,".repeat(5000)}gzip\r\n\r\n`],
  ["a flood of interim answers", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(17)],
])("%s is cut", async (_, first) => {
  const { sockets, ask } = await vendor(first);
  await expect(ask()).rejects.toMatchObject({ fault: "broken" });
  while (sockets[0]?.destroyed !== true) await Bun.sleep(1);
});
