import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { SystemHealth } from "../../../contract/health.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { eventually } from "../failures/support/scene.ts";

/**
 * A piece of a streamed answer that is larger than 1 MiB goes to the client in slices. A client that takes no more in between, and one
 * that leaves, end the request like any other: charged once, and with no stream open.
 */

const TURNS = ["at its first slice", "amid its slices", "with the rest unread"] as const;
/** What each client reads before it leaves: the closing frames of this answer have some 4 MiB. */
const READ_BYTES = [1000, 1_600_000, 2_800_000];
const PRICE = { input: "0.01", output: "0.01" };

let gateway: Gateway;
let key: TestKey;
const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

beforeAll(async () => {
  const vendor = Bun.spawn([process.execPath, join(import.meta.dir, "support/big-vendor.ts")], {
    stdout: "pipe",
    stderr: "inherit",
  });
  opened.defer(async () => {
    vendor.kill();
    await vendor.exited;
  });
  const { value } = await vendor.stdout.getReader().read();
  const base_url = `http://127.0.0.1:${Buffer.from(value ?? [])
    .toString()
    .trim()}/v1`;
  gateway = await startGateway({
    config: JSON.stringify({
      catalog: "none",
      vendors: { chat: { protocol: "chat-completions", base_url, api_key: "sk-big-0123456789" } },
      models: { "chat/big-delta": { price: PRICE, capabilities: { thinking: false } } },
    }),
  });
  opened.use(gateway);
  key = await gateway.newKey({ credit: "1000" });
}, 60_000);

/** Asks for a stream on a connection of its own, and takes nothing beyond so many bytes. */
async function readSome(bytes: number, client_id: string): Promise<Socket> {
  const { hostname, port } = new URL(gateway.url);
  const body = JSON.stringify({
    model: "chat/big-delta",
    input: "Say much.",
    stream: true,
    max_output_tokens: 900_000,
  });
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => {});
  const enough = Promise.withResolvers<void>();
  let read = 0;
  socket.on("data", (chunk: Buffer) => {
    read += chunk.byteLength;
    if (read < bytes) return;
    socket.pause();
    enough.resolve();
  });
  socket.write(
    `POST /v1/responses HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key.key}\r\nx-request-id: ${client_id}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await enough.promise;
  return socket;
}

async function openStreams(): Promise<number> {
  return (await gateway.admin<SystemHealth>("GET", "/health")).active_streams;
}

test.each(TURNS.map((turn, at) => [turn, READ_BYTES[at] as number] as const))(
  "a client that leaves a large piece %s",
  async (turn, bytes) => {
    const client_id = `left-${turn.replaceAll(/\W+/g, "-")}`;
    const socket = await readSome(bytes, client_id);
    // Long enough for what the sockets take to be full.
    await Bun.sleep(100);
    socket.destroy();
    const receipt = await eventually(`the end of ${client_id}`, async () => {
      const found = await gateway.admin<{ status: string; charge_micro: number }>("GET", `/requests/${client_id}`);
      return found.status === "held" ? null : found;
    });
    expect(receipt).toMatchObject({ status: "settled", operator_loss_micro: 0 });
    expect(receipt.charge_micro).toBeGreaterThan(0);
    await eventually("no stream is open", async () => ((await openStreams()) === 0 ? true : null));
  },
  60_000,
);

test("a client that takes it all gets every byte", async () => {
  const response = await fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "chat/big-delta", input: "Say much.", stream: true, max_output_tokens: 900_000 }),
  });
  const text = await response.text();
  const last = text.slice(text.lastIndexOf("event: response.completed"));
  const completed = JSON.parse(last.slice(last.indexOf("{"))) as {
    response: { output: { content: { text: string }[] }[] };
  };
  expect(completed.response.output[0]?.content[0]?.text.length).toBe(2 + 2 ** 20 - 1000);
}, 60_000);
