import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { chat, messages, type Style } from "../failures/support/styles.ts";
import { untilCutOff } from "./support/cut-off.ts";
import { chunked, headOf, request } from "./support/requests.ts";
import type { WireClient } from "./support/wire-client.ts";
import { AUTHORIZATION, expectRefusal, startWireScene, type WireScene } from "./support/wire-scene.ts";

/** Slow clients: their deadlines, and the answers after a deadline. */

/** 40 MB of text: more than all buffers on the way. */
const LARGE_TOKENS = 10_000_000;

let wire: WireScene;

beforeAll(async () => {
  wire = await startWireScene({
    models: {
      "acme/echo": {},
      "acme/late": { upstream_model: "slow-first-byte@first_ms=1500" },
      "acme/large": { upstream_model: `long@tokens=${LARGE_TOKENS}&piece=2500`, max_completion_tokens: LARGE_TOKENS },
    },
    program: join(import.meta.dir, "../../support/gateways/hurried-gateway.ts"),
  });
});

afterAll(async () => {
  await wire[Symbol.asyncDispose]();
});

/** Sends a byte every now and then, until the connection ends. */
async function trickle(client: WireClient, bytes: Uint8Array): Promise<void> {
  for (let index = 0; client.ending === null; index += 1) {
    client.send(bytes.subarray(index % bytes.length, (index % bytes.length) + 1));
    await Bun.sleep(25);
  }
}

describe("a head that does not come in time is 408", () => {
  test.concurrent.each([
    ["after its first byte", "G"],
    ["in the request line", "GET /healthz HT"],
    ["behind the request line", "GET /healthz HTTP/1.1\r\n"],
    ["in a header", "GET /healthz HTTP/1.1\r\nhost: x\r\nx-a: b"],
    ["before the last byte", headOf("GET /healthz HTTP/1.1", "host: x").slice(0, -1)],
  ])("%s", async (_name, text) => {
    using client = await wire.open();
    client.send(text);
    const [answer, ...more] = await client.ended();
    expect(expectRefusal(answer, [408]).text).toContain('"code":"request_timeout"');
    expect(more).toEqual([]);
  });

  test.concurrent("however steadily it trickles", async () => {
    using client = await wire.open();
    client.send("GET /healthz HTTP/1.1\r\nhost: x\r\n");
    await trickle(client, Buffer.from("x-a: b\r\n"));
    expectRefusal((await client.ended())[0], [408]);
  });

  test.concurrent("also behind a request that was answered", async () => {
    using client = await wire.open();
    client.send(request()).send("GET /hea");
    const [first, second] = await client.ended();
    expect(first?.status).toBe(200);
    expectRefusal(second, [408]);
  });

  test.concurrent("but not while the request before it is answered", async () => {
    using client = await wire.open();
    const next = request({ headers: ["connection: close"] });
    client.send(Buffer.concat([wire.call("acme/late"), next.subarray(0, 10)]));
    await client.answer();
    client.send(next.subarray(10));
    const answers = await client.ended();
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe("a body that does not come in time is 408 in its endpoint's style", () => {
  const LENGTH = "content-length: 1000";
  const CHUNKED = "transfer-encoding: chunked";

  function head(style: Style, ...headers: readonly string[]): string {
    const lines = ["host: x", AUTHORIZATION + wire.key.key, "anthropic-version: 2023-06-01", ...headers];
    return headOf(`POST ${style.path("acme/echo")} HTTP/1.1`, ...lines);
  }

  const rows = [chat, messages].flatMap((style) =>
    (
      [
        ["not begun", LENGTH, ""],
        ["begun", LENGTH, "{"],
        ["in chunks, not begun", CHUNKED, ""],
        ["in chunks, in a size", CHUNKED, "1"],
        ["in chunks, in a chunk", CHUNKED, "10\r\n{"],
        ["in chunks, between two", CHUNKED, "1\r\n{\r\n"],
        ["in chunks, before its end", CHUNKED, `${chunked("{}").subarray(0, -2)}`],
        ["in chunks, in a trailer", CHUNKED, `${chunked("{}").subarray(0, -2)}x-a: `],
        ["that was to be asked for", `${LENGTH}\r\nexpect: 100-continue`, ""],
      ] as const
    ).map(([name, header, text]) => ({ endpoint: style.endpoint, style, name, header, text })),
  );

  async function expectTooSlow(client: WireClient, style: Style): Promise<void> {
    const [answer, ...more] = await client.ended();
    expect([answer?.status, answer?.headers.get("connection"), more]).toEqual([408, "close", []]);
    const shape = style === messages ? { type: "error" } : { error: { code: "request_timeout" } };
    expect(JSON.parse(answer?.text ?? "")).toMatchObject(shape);
  }

  test.concurrent.each(rows)("$endpoint: $name, when it stands still", async ({ style, header, text }) => {
    using client = await wire.open();
    client.send(head(style, header) + text);
    await expectTooSlow(client, style);
  });

  test.concurrent.each([
    ["with a length", "content-length: 200000", Buffer.from(" ")],
    ["in chunks", CHUNKED, chunked(" ".repeat(1000), 1).subarray(0, -5)],
  ])("%s, however steadily it trickles", async (_name, header, bytes) => {
    using client = await wire.open();
    client.send(head(messages, header));
    await trickle(client, bytes);
    await expectTooSlow(client, messages);
  });

  test.concurrent("also when the request needs no body: the connection ends", async () => {
    using client = await wire.open();
    client.send(headOf("POST /nowhere HTTP/1.1", "host: x", LENGTH)).send("{");
    const [first] = await client.ended();
    expect(first?.status).toBe(404);
  });
});

describe("a client that slowly sends a refused body", () => {
  /** Far less than the two seconds of silence after which the gateway closes the connection. */
  const MOST_SILENCE_MS = 500;

  /** The statuses that the client reads when it has sent all, and for how long it was silent at most. */
  async function sendSlowly(): Promise<{ statuses: number[]; silence_ms: number }> {
    using client = await wire.open();
    client.pause();
    client.send(headOf("POST /nowhere HTTP/1.1", "host: x", "content-length: 2800000"));
    let silence_ms = 0;
    let sent_ms = performance.now();
    for (let sent = 0; sent < 28; sent += 1) {
      await client.sendAll(Buffer.alloc(100_000, "a"));
      silence_ms = Math.max(silence_ms, performance.now() - sent_ms);
      sent_ms = performance.now();
      await Bun.sleep(100);
    }
    client.resume();
    return { statuses: (await client.ended()).map(({ status }) => status), silence_ms };
  }

  test.concurrent("can read the refusal when it has sent all", async () => {
    // On a busy machine the client may be silent for longer than the gateway waits, and rightly lose the answer: it tries again.
    for (;;) {
      const { statuses, silence_ms } = await sendSlowly();
      if (statuses.length > 0 || silence_ms < MOST_SILENCE_MS) return expect(statuses).toEqual([404]);
    }
  });
});

describe("an idle connection", () => {
  test.concurrent.each([
    ["from the start", "", 0],
    ["behind an answer", request().toString(), 1],
    ["behind an empty line", "\r\n", 0],
  ])("%s is closed without a word", async (_name, text, answers) => {
    using client = await wire.open();
    client.send(text);
    expect(await client.ended()).toHaveLength(answers);
    expect(client.ending).toBe("closed");
  });

  test.concurrent("stays open while the gateway works on an answer", async () => {
    using client = await wire.open();
    client.send(wire.call("acme/late"));
    expect((await client.answer()).status).toBe(200);
    client.send(request());
    expect((await client.answer(1)).status).toBe(200);
  });
});

describe("a client that does not read its answers", () => {
  const large = (version: string) => wire.call("acme/large", { stream: true, cap: LARGE_TOKENS, version });
  const MANY = 300;

  test.concurrent.each([
    ["a stream", 1, () => large("HTTP/1.1")],
    ["a stream of HTTP/1.0", 1, () => large("HTTP/1.0")],
    [
      "many answers",
      MANY,
      () => Buffer.concat(Array.from({ length: MANY }, () => request({ target: "/openapi.json" }))),
    ],
  ])("is cut off in the end: %s", async (_name, count, bytes) => {
    using client = await wire.open();
    client.pause();
    await client.sendAll(bytes());
    await untilCutOff(client, wire.scene.gateway.url);
    client.resume();
    await client.gone();
    expect(client.answers.length).toBeLessThan(count);
  });
});

test("no request, hold or fault is left at the end", async () => {
  await wire.expectAtRest();
});
