import { afterAll, beforeEach, expect, test } from "bun:test";
import type { Socket } from "bun";
import { DatabaseProxy } from "./database-proxy.ts";

/** A server that says back what it is told. */
const heard: string[] = [];
const server = Bun.listen({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    data: (socket, bytes) => {
      heard.push(bytes.toString());
      socket.write(bytes);
    },
  },
});
afterAll(() => server.stop(true));
beforeEach(() => void heard.splice(0));

interface Client {
  readonly socket: Socket;
  readonly said: string[];
  readonly closed: Promise<void>;
}

async function connect({ port }: DatabaseProxy): Promise<Client> {
  const said: string[] = [];
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data: (_socket, bytes) => void said.push(bytes.toString()),
      close: () => resolve(),
      error: () => resolve(),
    },
  });
  return { socket, said, closed };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(2);
}

function startProxy(): DatabaseProxy & Disposable {
  const proxy = new DatabaseProxy({ hostname: "127.0.0.1", port: server.port });
  return Object.assign(proxy, { [Symbol.dispose]: () => proxy.stop() });
}

test("passes bytes on in both directions", async () => {
  using proxy = startProxy();
  const client = await connect(proxy);
  client.socket.write("COMMIT");
  await until(() => client.said.join("") === "COMMIT");
  expect(proxy.cut).toBe(0);
});

test("cuts connections, and new ones", async () => {
  using proxy = startProxy();
  const client = await connect(proxy);
  client.socket.write("begin");
  await until(() => client.said.length > 0);
  proxy.mode = "refuse";
  await client.closed;
  await (await connect(proxy)).closed;
  expect(proxy.cut).toBe(2);
});

test("holds what is sent until it passes again", async () => {
  using proxy = startProxy();
  const client = await connect(proxy);
  client.socket.write("one ");
  await until(() => client.said.length > 0);
  proxy.mode = "hold";
  client.socket.write("two");
  await Bun.sleep(30);
  expect([heard.join(""), client.said.join("")]).toEqual(["one ", "one "]);
  proxy.mode = "pass";
  await until(() => client.said.join("") === "one two");
});

test("loses a commit before the server gets it", async () => {
  using proxy = startProxy();
  const client = await connect(proxy);
  client.socket.write("begin");
  await until(() => client.said.length > 0);
  proxy.mode = "drop commit";
  client.socket.write("COMMIT");
  await client.closed;
  expect([heard.join(""), client.said.join("")]).toEqual(["begin", "begin"]);
});

test("loses the answer to a commit that the server got", async () => {
  using proxy = startProxy();
  const client = await connect(proxy);
  proxy.mode = "drop answer";
  client.socket.write("begin");
  await until(() => client.said.length > 0);
  client.socket.write("COMMIT");
  await client.closed;
  expect([heard.join(""), client.said.join("")]).toEqual(["beginCOMMIT", "begin"]);
});
