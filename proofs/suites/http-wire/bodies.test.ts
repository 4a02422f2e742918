import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { chat, messages, STYLES, textAt } from "../failures/support/styles.ts";
import type { ParsedAnswer } from "./support/answer-parser.ts";
import { CANARY, chunked, cut, headOf, request } from "./support/requests.ts";
import { AUTHORIZATION, startWireScene, type WireScene } from "./support/wire-scene.ts";

/** Bodies in any pieces, of any size, needed or not. */

const LIMIT_BYTES = 192 * 1024;
const CHUNKED = "transfer-encoding: chunked";
const EXPECT = "expect: 100-continue";
/** Characters of one to four bytes, some of several characters each. */
const TEXT = "aé€😀 e\u0301 👩‍👩‍👧 \u{10FFFF} ÿ\u00a0\ufeff z";

let wire: WireScene;

beforeAll(async () => {
  wire = await startWireScene({ limits: { body: `${LIMIT_BYTES / 1024}KiB` } });
});

afterAll(async () => {
  await wire[Symbol.asyncDispose]();
});

function head(...headers: readonly string[]): string {
  return headOf("POST /v1/chat/completions HTTP/1.1", "host: x", AUTHORIZATION + wire.key.key, ...headers);
}

const bodyOf = (text: string): Buffer => Buffer.from(JSON.stringify(chat.body("acme/echo", { text })));

/** The model's text, which repeats the text of the request. */
function saidIn({ status, text }: ParsedAnswer): string {
  expect(status).toBe(200);
  return chat.textOfWhole(JSON.parse(text) as Record<string, unknown>);
}

describe("a request in pieces is read as the whole request", () => {
  test("a byte at a time", async () => {
    using client = await wire.open();
    const bytes = wire.call("acme/echo", { text: TEXT });
    await client.sendPieces(
      cut(
        Buffer.concat([bytes, bytes]),
        Array.from({ length: bytes.length * 2 }, (_, n) => n),
      ),
    );
    await client.answer(1);
    expect(client.answers.map(saidIn)).toEqual([expect.stringContaining(TEXT), expect.stringContaining(TEXT)]);
  });

  test("wherever it is cut, with a length or in chunks of any size", async () => {
    using client = await wire.open();
    let asked = 0;
    const cuts = fc.array(fc.nat({ max: 1000 }), { maxLength: 12 });
    const sizes = fc.option(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 }), { nil: null });
    const texts = fc.string({ unit: "grapheme", maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(texts, cuts, sizes, async (text, places, chunks) => {
        const body = bodyOf(TEXT + text);
        const bytes =
          chunks === null
            ? Buffer.concat([Buffer.from(head(`content-length: ${body.length}`)), body])
            : Buffer.concat([Buffer.from(head(CHUNKED)), chunked(body, ...chunks)]);
        await client.sendPieces(cut(bytes, places));
        asked += 1;
        expect(saidIn(await client.answer(asked - 1))).toContain(TEXT + text);
      }),
      { numRuns: 100, seed: 20261122 },
    );
  });

  test("with its head and its body apart, at every place of the border between them", async () => {
    using client = await wire.open();
    const body = bodyOf(TEXT);
    const bytes = Buffer.concat([Buffer.from(head(CHUNKED)), chunked(body, 7, 1, 30)]);
    const border = bytes.length - chunked(body, 7, 1, 30).length;
    for (let place = border - 6; place <= border + 6; place += 1) await client.sendPieces(cut(bytes, [place]));
    await client.answer(12);
    expect(client.answers.map(saidIn)).toEqual(client.answers.map(() => expect.stringContaining(TEXT)));
  });

  test("of 180 KB, in pieces of every size", async () => {
    using client = await wire.open();
    const text = TEXT.repeat(3200);
    const body = bodyOf(text);
    const sizes = [1, 4096, 65_536, 3, 16_384, 20];
    for (const [index, piece_bytes] of [1000, 16_384, 65_535, 1_000_000].entries()) {
      const bytes = Buffer.concat(
        index % 2 === 0
          ? [Buffer.from(head(`content-length: ${body.length}`)), body]
          : [Buffer.from(head(CHUNKED)), chunked(body, ...sizes)],
      );
      await client.sendPieces(
        cut(
          bytes,
          Array.from({ length: 200 }, (_, n) => n * piece_bytes),
        ),
      );
      expect(saidIn(await client.answer(index))).not.toBe("");
      expect(wire.scene.simulator.log.last?.text.includes(text)).toBe(true);
    }
  });
});

describe("a body's text", () => {
  test.each([
    ["with a byte order mark in front", Buffer.from("\ufeff")],
    ["with space in front", Buffer.from(" \r\n\t")],
  ])("%s is read", async (_name, front) => {
    using client = await wire.open();
    const body = Buffer.concat([front, bodyOf(TEXT)]);
    client.send(Buffer.concat([Buffer.from(head(`content-length: ${body.length}`)), body]));
    expect(saidIn(await client.answer())).toContain(TEXT);
    await client.sendPieces([Buffer.from(head(CHUNKED)), ...cut(chunked(body, 1), [3, 10, 17])]);
    expect(saidIn(await client.answer(1))).toContain(TEXT);
  });

  test.each([
    ["no UTF-8", Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xe2, 0x82])],
    ["a surrogate in UTF-8", Buffer.from([0xed, 0xa0, 0x80])],
  ])("that is %s has replacement characters in its place", async (_name, broken) => {
    using client = await wire.open();
    const [before = "", behind = ""] = bodyOf("<>").toString().split("<>");
    const body = Buffer.concat([Buffer.from(before), broken, Buffer.from(behind)]);
    client.send(Buffer.concat([Buffer.from(head(`content-length: ${body.length}`)), body]));
    expect(saidIn(await client.answer())).toContain(new TextDecoder().decode(broken));
  });

  test.each([["\0"], ["\0{}"], ["{}\0"], ["\ufeff"], ["nul"], ["[[[["], ["\ufeff\ufeff{}"]])(
    "%j is no JSON, and the connection goes on",
    async (text) => {
      using client = await wire.open();
      client
        .send(head(`content-length: ${Buffer.byteLength(text)}`))
        .send(Buffer.from(text))
        .send(request());
      await client.answer(1);
      expect(client.statuses).toEqual([400, 200]);
    },
  );
});

describe("Expect: 100-continue", () => {
  const rows: readonly (readonly [name: string, expectation: string])[] = [
    ["", EXPECT],
    [" in capitals", "Expect: 100-CONTINUE"],
  ];

  test.each(rows)("gets 100 Continue before its body is sent%s", async (_name, expectation) => {
    using client = await wire.open();
    const body = bodyOf(TEXT);
    for (const [turn, [header, bytes]] of ([`content-length: ${body.length}`, CHUNKED] as const)
      .map((header) => [header, header === CHUNKED ? chunked(body, 20) : body] as const)
      .entries()) {
      client.send(head(header, expectation));
      await client.until("the word to continue", () => client.parser.interim.length > turn);
      expect(client.answers).toHaveLength(turn);
      client.send(bytes);
      expect(saidIn(await client.answer(turn))).toContain(TEXT);
    }
    expect(client.parser.interim).toEqual([
      { status: 100, before: 0 },
      { status: 100, before: 1 },
    ]);
  });

  test("need not be awaited by the client", async () => {
    using client = await wire.open();
    const body = bodyOf(TEXT);
    client.send(Buffer.concat([Buffer.from(head(`content-length: ${body.length}`, EXPECT)), body]));
    expect(saidIn(await client.answer())).toContain(TEXT);
    client.send(request());
    expect((await client.answer(1)).status).toBe(200);
    for (const { before } of client.parser.interim) expect(before).toBe(0);
  });

  test("with half of the body gets 100 Continue", async () => {
    using client = await wire.open();
    const body = bodyOf(TEXT);
    client.send(Buffer.concat([Buffer.from(head(`content-length: ${body.length}`, EXPECT)), body.subarray(0, 10)]));
    await client.sendPieces([body.subarray(10)]);
    expect(saidIn(await client.answer())).toContain(TEXT);
  });

  test.each([
    ["a GET", () => headOf("GET /healthz HTTP/1.1", "host: x", EXPECT), 200],
    ["an empty body", () => head("content-length: 0", EXPECT), 400],
    ["no body", () => head(EXPECT), 400],
  ])("of %s is answered at once", async (_name, text, status) => {
    using client = await wire.open();
    client.send(text());
    expect((await client.answer()).status).toBe(status);
  });

  test("of HTTP/1.0 is ignored", async () => {
    using client = await wire.open();
    const body = bodyOf(TEXT);
    client.send(
      request({
        method: "POST",
        target: chat.path("acme/echo"),
        version: "HTTP/1.0",
        headers: [AUTHORIZATION + wire.key.key, EXPECT],
        body,
      }),
    );
    expect(saidIn(await client.answer())).toContain(TEXT);
    expect(client.parser.interim).toEqual([]);
  });

  test.concurrent.each([
    ["a body above the limit", () => head(`content-length: ${LIMIT_BYTES + 1}`, EXPECT), 413],
    ["no key", () => headOf(`POST ${chat.path("acme/echo")} HTTP/1.1`, "host: x", "content-length: 10", EXPECT), 401],
    ["no key, in chunks", () => headOf(`POST ${messages.path("acme/echo")} HTTP/1.1`, "host: x", CHUNKED, EXPECT), 401],
    ["an unknown path", () => headOf("POST /nowhere HTTP/1.1", "host: x", "content-length: 10", EXPECT), 404],
    [
      "a wrong method",
      () => headOf(`PUT ${chat.path("acme/echo")} HTTP/1.1`, "host: x", "content-length: 10", EXPECT),
      405,
    ],
    ["a length and chunks", () => head("content-length: 10", CHUNKED, EXPECT), 400],
  ])("is not told to continue where the head is refused: %s", async (_name, text, status) => {
    using client = await wire.open();
    client.send(text());
    const answer = await client.answer();
    expect([answer.status, client.parser.interim]).toEqual([status, []]);
    // The body may or may not follow, so later bytes would be ambiguous.
    expect(answer.headers.get("connection")).toBe("close");
    await client.ended();
  });

  test.concurrent.each([["200-ok"], ["100-continue-not"], ["a=b"], ["100-continue, 200-ok"], ["nothing"]])(
    "of another kind is refused: %s",
    async (expectation) => {
      const answer = await wire.expectRefused(head("content-length: 3", `expect: ${expectation}`), [400]);
      expect(answer.text).toContain("100-continue");
    },
  );
});

describe("a body above the limit", () => {
  const code = '"request_too_large"';
  const large = Buffer.alloc(5_000_000, " ");

  function headFor(path: string, ...headers: readonly string[]): Buffer {
    const lines = ["host: x", AUTHORIZATION + wire.key.key, "anthropic-version: 2023-06-01", ...headers];
    return Buffer.from(headOf(`POST ${path} HTTP/1.1`, ...lines));
  }

  const ways: readonly (readonly [name: string, bytes: (path: string) => Buffer])[] = [
    ["announced", (path) => headFor(path, `content-length: ${large.length}`)],
    ["announced and sent", (path) => Buffer.concat([headFor(path, `content-length: ${large.length}`), large])],
    ["sent in large chunks", (path) => Buffer.concat([headFor(path, CHUNKED), chunked(large, 500_000)])],
    ["sent in small chunks", (path) => Buffer.concat([headFor(path, CHUNKED), chunked(large, 1000)])],
    [
      "sent in small chunks, not to its end",
      (path) =>
        Buffer.concat([headFor(path, CHUNKED), chunked(large.subarray(0, LIMIT_BYTES + 1), 1000).subarray(0, -5)]),
    ],
  ];
  const rows = ways.flatMap(([name, bytes]) => STYLES.map((style) => [name, style.path("acme/echo"), bytes] as const));

  test.concurrent.each(rows)("%s to %s is 413, also for a client that reads last", async (_name, path, bytes) => {
    using client = await wire.open();
    client.pause();
    await client.sendAll(bytes(path));
    client.resume();
    const { status, text, headers } = await client.answer();
    expect([status, headers.get("connection")]).toEqual([413, "close"]);
    const member = path === messages.path("acme/echo") ? "type" : path.startsWith("/v1beta/") ? "reason" : "code";
    expect(text).toContain(`"${member}":${code}`);
    client.send(CANARY);
    expect(await client.ended()).toHaveLength(1);
  });

  test("of count_tokens is 413 too", async () => {
    using client = await wire.open();
    client.send(headFor("/v1/messages/count_tokens", `content-length: ${LIMIT_BYTES + 1}`));
    expect((await client.answer()).status).toBe(413);
    await client.ended();
  });

  test("of calls may be below the console's limit, which is separate", async () => {
    using client = await wire.open();
    const body = Buffer.alloc(4 * LIMIT_BYTES, " ");
    const token = (await Bun.file(join(wire.scene.gateway.data, "admin-token")).text()).trim();
    const head = ["POST /console/api/accounts HTTP/1.1", "host: x", AUTHORIZATION + token];
    client.send(Buffer.concat([Buffer.from(headOf(...head, `content-length: ${body.length}`)), body]));
    client.send(Buffer.concat([Buffer.from(headOf(...head, CHUNKED)), chunked(body, 5000)]));
    await client.answer(1);
    // The whole body was read before it was found to be no JSON.
    expect(client.statuses).toEqual([400, 400]);
    using large = await wire.open();
    large.send(headOf(...head, `content-length: ${1024 * 1024 + 1}`));
    expect((await large.answer()).status).toBe(413);
  });

  test("counts from one byte above, and not at the limit", async () => {
    using client = await wire.open();
    const fitting = "a".repeat(LIMIT_BYTES - bodyOf("").length);
    for (const [index, bytes] of [bodyOf(fitting), chunked(bodyOf(fitting), 10_000)].entries()) {
      const header = index === 0 ? `content-length: ${bytes.length}` : CHUNKED;
      client.send(Buffer.concat([Buffer.from(head(header)), bytes]));
      expect(saidIn(await client.answer(index))).not.toBe("");
      expect(wire.scene.simulator.log.last?.text.includes(fitting)).toBe(true);
    }
    client.send(Buffer.concat([Buffer.from(head(CHUNKED)), chunked(bodyOf(`${fitting}a`), 10_000)]));
    expect(textAt(JSON.parse((await client.answer(2)).text), ["error", "code"])).toBe("request_too_large");
  });
});

test("no request, hold or fault is left at the end", async () => {
  await wire.expectAtRest();
});
