import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ParsedAnswer } from "./support/answer-parser.ts";
import { CANARY, chunked, cut, headOf, request } from "./support/requests.ts";
import { WireClient } from "./support/wire-client.ts";
import { AUTHORIZATION, startWireScene, type WireScene } from "./support/wire-scene.ts";

/** Many requests on one connection, one after the other or all at once: each gets a complete answer, in order. */

const LATE = "acme/late";

let wire: WireScene;

beforeAll(async () => {
  wire = await startWireScene({
    models: {
      "acme/echo": {},
      "acme/long": { upstream_model: "long@tokens=200" },
      [LATE]: { upstream_model: "slow-first-byte@first_ms=50" },
    },
  });
});

afterAll(async () => {
  await wire[Symbol.asyncDispose]();
});

/** One request, and its expected answer. */
interface Turn {
  readonly name: string;
  readonly bytes: Buffer;
  readonly is_head?: boolean;
  expectAnswer(answer: ParsedAnswer): void;
}

function expectStatus(status: number, part = ""): Turn["expectAnswer"] {
  return (answer) => {
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(part);
  };
}

let calls_made = 0;

/** A text that no other call uses. */
function newText(): string {
  calls_made += 1;
  return `word ${calls_made}.`;
}

/** Every kind of request that leaves its connection open. Each call has a text of its own. */
const KINDS: readonly (() => Turn)[] = [
  () => ({ name: "GET", bytes: request(), expectAnswer: expectStatus(200, '"ok"') }),
  () => ({
    name: "a large GET",
    bytes: request({ target: "/openapi.json" }),
    expectAnswer: expectStatus(200, "3.1.0"),
  }),
  () => ({
    name: "HEAD",
    bytes: request({ method: "HEAD" }),
    is_head: true,
    expectAnswer: ({ status, body, headers }) => {
      expect([status, body.length, headers.get("content-type")]).toEqual([
        200,
        0,
        expect.stringContaining("application/json"),
      ]);
    },
  }),
  () => ({ name: "404", bytes: request({ target: "/nowhere" }), expectAnswer: expectStatus(404, "not_found") }),
  () => ({ name: "405", bytes: request({ target: "/v1/responses" }), expectAnswer: expectStatus(405, "POST") }),
  () => ({ name: "401", bytes: request({ target: "/v1/models" }), expectAnswer: expectStatus(401, "missing_api_key") }),
  () => ({
    name: "400",
    bytes: request({
      method: "POST",
      target: "/v1/chat/completions",
      headers: [AUTHORIZATION + wire.key.key],
      body: "{",
    }),
    expectAnswer: expectStatus(400, "invalid_json"),
  }),
  () => {
    const text = newText();
    return { name: "a call", bytes: wire.call("acme/echo", { text }), expectAnswer: expectStatus(200, text) };
  },
  () => {
    const text = newText();
    // Some clients add a line break behind a body.
    const bytes = Buffer.concat([wire.call("acme/echo", { text }), Buffer.from("\r\n")]);
    return { name: "a call with a line break behind it", bytes, expectAnswer: expectStatus(200, text) };
  },
  () => ({ name: "a late call", bytes: wire.call(LATE), expectAnswer: expectStatus(200, "chat.completion") }),
  () => ({
    name: "a stream",
    bytes: wire.call("acme/long", { stream: true }),
    expectAnswer: (answer) => {
      expect([answer.status, answer.framing]).toEqual([200, "chunked"]);
      expect(answer.text.endsWith("data: [DONE]\n\n")).toBe(true);
    },
  }),
  () => {
    const text = newText();
    const body = JSON.stringify({ model: "acme/echo", messages: [{ role: "user", content: text }] });
    const lines = ["POST /v1/chat/completions HTTP/1.1", "host: x", AUTHORIZATION + wire.key.key];
    const bytes = Buffer.concat([Buffer.from(headOf(...lines, "transfer-encoding: chunked")), chunked(body, 11, 3)]);
    return { name: "a call in chunks", bytes, expectAnswer: expectStatus(200, text) };
  },
];

/** Sends all requests, cut at the places, and expects the answers in order. */
async function expectInTurn(turns: readonly Turn[], places: readonly number[]): Promise<void> {
  using client = await wire.open();
  for (const [index, { is_head }] of turns.entries()) if (is_head) client.parser.bodiless.add(index);
  await client.sendPieces(cut(Buffer.concat(turns.map(({ bytes }) => bytes)), places));
  for (const [index, turn] of turns.entries()) turn.expectAnswer(await client.answer(index));
  expect([client.parser.between, client.ending]).toEqual([true, null]);
}

describe("requests on one connection", () => {
  test("are answered one after the other, of whatever kind", async () => {
    using client = await wire.open();
    for (let index = 0; index < KINDS.length * 4; index += 1) {
      const turn = KINDS[index % KINDS.length]?.() as Turn;
      if (turn.is_head) client.parser.bodiless.add(index);
      client.send(turn.bytes);
      turn.expectAnswer(await client.answer(index));
    }
    expect(client.ending).toBeNull();
    for (const { headers } of client.answers) expect(headers.get("connection") ?? "keep-alive").toBe("keep-alive");
  });

  test("whose heads differ only in the length have bodies of their own length", async () => {
    const calls = [40, 400, 40, 40, 4000, 400, 40].map((length): Turn => {
      const text = newText().padEnd(length, "x");
      return { name: "a call", bytes: wire.call("acme/echo", { text }), expectAnswer: expectStatus(200, `${text}"`) };
    });
    await expectInTurn(calls, []);
    using client = await wire.open();
    for (const [index, call] of calls.entries()) {
      client.send(call.bytes);
      call.expectAnswer(await client.answer(index));
    }
  });

  test("that come together are answered in their order", async () => {
    const all = KINDS.map((make) => make());
    await expectInTurn(all, []);
    await expectInTurn(all.toReversed(), []);
    await expectInTurn([...all, ...all.toReversed()], []);
  });

  test("that come together are answered in their order, also when they are more than the gateway buffers", async () => {
    const large = Array.from({ length: 40 }, (): Turn => {
      const text = newText();
      const bytes = wire.call("acme/echo", { text: text + " ".repeat(30_000) });
      return { name: "a large call", bytes, expectAnswer: expectStatus(200, text) };
    });
    const late = KINDS.map((make) => make()).filter(({ name }) => name === "a late call");
    expect(late).toHaveLength(1);
    await expectInTurn([...late, ...large], []);
    await expectInTurn([...late, ...large], [100_000, 400_001, 400_002, 700_000]);
  });

  test("that come together are answered in their order, wherever they are cut", async () => {
    const kinds = fc.array(fc.nat({ max: KINDS.length - 1 }), { minLength: 2, maxLength: 10 });
    const places = fc.array(fc.nat({ max: 3000 }), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(kinds, places, async (chosen, at) => {
        await expectInTurn(
          chosen.map((kind) => KINDS[kind]?.() as Turn),
          at,
        );
      }),
      { numRuns: 25, seed: 20261122 },
    );
  });

  test("may be very many at once, whether or not their client reads in between", async () => {
    using client = await wire.open();
    const count = 3000;
    client.pause();
    const sent = client.sendAll(
      Buffer.concat(Array.from({ length: count }, (_, n) => request({ headers: [`x-request-id: n${n}`] }))),
    );
    await Bun.sleep(100);
    client.resume();
    await sent;
    await client.answer(count - 1);
    expect(client.answers.map(({ headers }) => headers.get("x-request-id"))).toEqual(
      Array.from({ length: count }, (_, n) => `n${n}`),
    );
  });

  test("end with the request that asks for it, which is answered; requests behind it are not", async () => {
    for (const connection of [
      "close",
      "Close",
      "keep-alive, close",
      "x, close , y",
      "close\r\nconnection: keep-alive",
    ]) {
      using client = await wire.open();
      const last = request({ headers: [`connection: ${connection}`] });
      client.send(Buffer.concat([request(), last, CANARY]));
      const answers = await client.ended();
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(answers[1]?.headers.get("connection")).toBe("close");
    }
  });

  test("end with a stream that asks for it", async () => {
    using client = await wire.open();
    client.send(Buffer.concat([wire.call("acme/long", { stream: true, headers: ["connection: close"] }), CANARY]));
    const [answer, ...more] = await client.ended();
    expect([answer?.headers.get("connection"), more]).toEqual(["close", []]);
    expect(answer?.text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  test("are refused from the first unreadable one on, after the answers to the requests before it", async () => {
    for (const [broken, status] of [
      ["GET /healthz HTTP/1.1\r\nbroken\r\n\r\n", 400],
      [headOf("GET /healthz HTTP/1.1", "host: x", `x-a: ${"a".repeat(20_000)}`), 431],
    ] as const) {
      using client = await wire.open();
      client.send(Buffer.concat([wire.call(LATE), request(), Buffer.from(broken), CANARY]));
      const answers = await client.ended();
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, status]);
      expect(answers[0]?.text).toContain("chat.completion");
    }
  });
});

describe("a client that never closes its side", () => {
  test.concurrent.each([
    ["what is no request", "BAD\r\n\r\n", 400],
    ["a head that is too large", `GET /${"a".repeat(20_000)}`, 431],
    ["a body that nobody wants", "POST /nowhere HTTP/1.1\r\nhost: x\r\ncontent-length: 5000000\r\n\r\n", 404],
    ["a last request", request({ headers: ["connection: close"] }).toString(), 200],
    ["a last request of HTTP/1.0", request({ version: "HTTP/1.0" }).toString(), 200],
  ])("is left soon after %s", async (_name, text, status) => {
    using client = await WireClient.open(wire.scene.gateway.url, { allowHalfOpen: true });
    client.send(text);
    expect((await client.answer()).status).toBe(status);
    // A client that sends more then finds the connection closed.
    await Bun.sleep(2400);
    const telling = setInterval(() => client.send("x"), 50);
    await client.gone().finally(() => clearInterval(telling));
    expect(client.ending).toBe("reset");
    expect(client.answers).toHaveLength(1);
  });
});

describe("HTTP/1.0", () => {
  const old = { version: "HTTP/1.0" };

  test("ends the connection with the answer", async () => {
    using client = await wire.open();
    client.send(Buffer.concat([request(old), CANARY]));
    const [answer, ...more] = await client.ended();
    expect([answer?.status, answer?.framing, more]).toEqual([200, "length", []]);
  });

  test("keeps the connection where the client asks for it, and says so", async () => {
    using client = await wire.open();
    const kept = request({ ...old, headers: ["Connection: Keep-Alive"] });
    client.send(Buffer.concat([kept, kept, request(old)]));
    const answers = await client.ended();
    expect(answers.map(({ status, headers }) => [status, headers.get("connection") ?? null])).toEqual([
      [200, "keep-alive"],
      [200, "keep-alive"],
      [200, expect.anything()],
    ]);
    expect(answers[2]?.headers.get("connection")).toBe("close");
  });

  test("gets a whole answer to a POST", async () => {
    using client = await wire.open();
    client.send(wire.call("acme/echo", { ...old, text: "from long ago" }));
    const [answer] = await client.ended();
    expect([answer?.status, answer?.framing]).toEqual([200, "length"]);
    expect(answer?.text).toContain("from long ago");
  });

  test.each([[""], ["connection: keep-alive"]])("gets streams that end with the connection: %j", async (header) => {
    using client = await wire.open();
    client.send(wire.call("acme/long", { ...old, stream: true, headers: header === "" ? [] : [header] }));
    const [answer] = await client.ended();
    expect([answer?.status, answer?.framing, answer?.headers.get("connection")]).toEqual([200, "close", "close"]);
    expect(answer?.text.startsWith("data: ")).toBe(true);
    expect(answer?.text.endsWith("data: [DONE]\n\n")).toBe(true);
  });
});

describe("HEAD", () => {
  test.each([["/healthz"], ["/readyz"], ["/openapi.json"], ["/docs"], ["/v1/models"], ["/nowhere"], ["/v1/responses"]])(
    "of %s has GET's headers without the body, and the connection goes on",
    async (target) => {
      using client = await wire.open();
      client.parser.bodiless.add(0);
      const headers = [AUTHORIZATION + wire.key.key, "x-request-id: same"];
      client.send(Buffer.concat([request({ method: "HEAD", target, headers }), request({ target, headers })]));
      const [head, get] = [await client.answer(0), await client.answer(1)];
      const told = ({ headers: all }: ParsedAnswer) =>
        [...all].filter(([name]) => !["date", "x-camino-request-id"].includes(name)).sort();
      // A refusal names the method, so the lengths of refusals differ.
      const length = (answer: ParsedAnswer) =>
        answer.status === 200 ? Number(answer.headers.get("content-length")) : null;
      expect([head.status, head.body.length, length(head)]).toEqual([get.status, 0, length(get)]);
      expect(length(head)).toBe(get.status === 200 ? get.body.length : null);
      if (get.status === 200) expect(told(head)).toEqual(told(get));
    },
  );
});

describe("methods", () => {
  const METHODS = ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "X", "get", "Post"];

  test.each(METHODS)("%s is 405 on known paths and 404 elsewhere, and the connection goes on", async (method) => {
    using client = await wire.open();
    const targets = ["/v1/chat/completions", "/v1/messages", "/v1/models", "/healthz", "/nowhere"];
    client.send(Buffer.concat(targets.map((target) => request({ method, target }))));
    await client.answer(targets.length - 1);
    expect(client.answers.map(({ status, headers }) => [status, headers.get("allow") ?? null])).toEqual([
      [405, "POST"],
      [405, "POST"],
      [405, "GET"],
      [405, "GET"],
      [404, null],
    ]);
  });
});

test("no request, hold or fault is left at the end", async () => {
  await wire.expectAtRest();
});
