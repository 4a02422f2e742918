import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { endedReceipt } from "../../support/receipts.ts";

/**
 * A request whose body arrives behind its head stays the bytes that it is (docs/rulings.md 211): it is answered, billed, recognised and refused as one
 * that comes at once, whose text is read.
 */

const VENDOR_KEY = "sk-vendor-0123456789";

let simulator: Simulator;
let gateway: Gateway;
let key: TestKey;

beforeAll(async () => {
  simulator = await startSimulator({ api_key: VENDOR_KEY });
  const model = { kind: "embedding", price: { input: "2.00" }, upstream_model: "embed" };
  gateway = await startGateway({
    config: JSON.stringify({
      catalog: "none",
      vendors: {
        chat: { protocol: "chat-completions", base_url: simulator.base_url, api_key: VENDOR_KEY },
        gemini: { protocol: "gemini", base_url: `${simulator.url}/v1beta`, api_key: VENDOR_KEY },
      },
      models: {
        "chat/embed": model,
        "gemini/embed": model,
        "chat/no-usage": { ...model, upstream_model: "embed-no-usage" },
      },
    }),
  });
  key = await gateway.newKey({ credit: "1000", rpm: 100_000 });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await simulator.stop();
});

type How = "at once" | "in pieces";

/** `in pieces`: the body follows its head after a while, cut in two. */
async function ask(text: string, how: How, headers: Record<string, string> = {}) {
  const bytes = Buffer.from(text);
  const { port } = new URL(gateway.url);
  const answer = Promise.withResolvers<string>();
  let got = "";
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(port),
    socket: {
      data: (_, data) => {
        got += data.toString();
      },
      close: () => answer.resolve(got),
      error: (_, error) => answer.reject(error),
    },
  });
  const lines = { authorization: `Bearer ${key.key}`, "content-length": String(bytes.length), ...headers };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  const opening = Buffer.from(
    `POST /v1/embeddings HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${head.join("")}\r\n`,
  );
  if (how === "at once") socket.write(Buffer.concat([opening, bytes]));
  else {
    for (const piece of [opening, bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)]) {
      socket.write(piece);
      socket.flush();
      await Bun.sleep(20);
    }
  }
  const whole = await answer.promise;
  const body = JSON.parse(whole.slice(whole.indexOf("{"), whole.lastIndexOf("}") + 1));
  const id = /x-camino-request-id: (\S+)/.exec(whole)?.[1] ?? "";
  return {
    status: Number(whole.slice(9, 12)),
    body,
    id,
  };
}

/** What a request comes to: its answer, what the vendor was sent, and its receipt. */
async function outcome(text: string, how: How, headers: Record<string, string> = {}) {
  const before = simulator.log.requests.length;
  const { status, body, id } = await ask(text, how, headers);
  const sent = simulator.log.requests.slice(before).map((request) => request.text);
  const receipt = status === 200 ? await endedReceipt(gateway, key.key, id) : null;
  const { held_micro, charge_micro, usage, tags } = (receipt ?? {}) as Record<string, unknown>;
  return { status, body, sent, held_micro, charge_micro, usage, tags };
}

const bodies: readonly (readonly [string, object])[] = [
  ["a text", { model: "chat/embed", input: "Trains leave hourly." }],
  [
    "texts of many letters",
    { input: ['größer "als"', "二\n三", "🌊"], model: "chat/embed", encoding_format: "base64" },
  ],
  ["tokens", { model: "chat/embed", input: [[1, 2], [3]] }],
  ["a translated batch", { model: "gemini/embed", input: ["one", "two"], dimensions: 4 }],
  ["one whose vendor counts nothing", { model: "chat/no-usage", input: ["one two three", "four"] }],
  ["one with tags", { model: "chat/embed", input: "a", metadata: { "camino.team": "search" }, user: "u" }],
  ["a wrong member", { model: "chat/embed", input: ["a"], dimensions: 0 }],
  ["an empty text", { model: "chat/embed", input: ["a", ""] }],
  ["an unknown model", { model: "chat/none", input: ["a"] }],
];

test.each(bodies)("%s comes to the same, however it arrives", async (_, body) => {
  const text = JSON.stringify(body);
  expect(await outcome(text, "in pieces")).toEqual(await outcome(text, "at once"));
});

test.each([
  ["what is no JSON", '{"model":"chat/embed","input":["a"}'],
  ["a member twice", '{"model":"chat/embed","input":"a","user":"u","user":"v"}'],
])("%s is refused the same", async (_, text) => {
  const refused = await outcome(text, "in pieces");
  expect([refused.status, refused]).toEqual([400, await outcome(text, "at once")]);
});

test("a request is recognised by its bytes as by its text, and answered once", async () => {
  const text = JSON.stringify({ model: "chat/embed", input: ["once", "and never again"] });
  const headers = { "idempotency-key": "bytes-1" };
  const first = await ask(text, "in pieces", headers);
  const before = simulator.log.requests.length;
  const again = await ask(text, "at once", headers);
  expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
  expect(simulator.log.requests.length).toBe(before);
  expect((await ask(text.replace("once", "twice"), "in pieces", headers)).status).toBe(409);
});
