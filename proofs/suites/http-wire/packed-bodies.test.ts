import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import zlib from "node:zlib";
import { chat, messages, STYLES, type Style } from "../failures/support/styles.ts";
import type { ParsedAnswer } from "./support/answer-parser.ts";
import { CANARY, chunked, cut, headOf } from "./support/requests.ts";
import { AUTHORIZATION, startWireScene, type WireScene } from "./support/wire-scene.ts";

/** Compressed bodies (docs/rulings.md 163): read like other bodies, within the limit, without smuggling. */

const LIMIT_BYTES = 192 * 1024;
const PACK: Readonly<Record<string, (data: Buffer) => Buffer>> = {
  gzip: (data) => zlib.gzipSync(data),
  "x-gzip": (data) => zlib.gzipSync(data),
  deflate: (data) => zlib.deflateSync(data),
  br: (data) => zlib.brotliCompressSync(data),
  zstd: (data) => zlib.zstdCompressSync(data),
  identity: (data) => data,
};
const TEXT = "aé€😀 \u{10FFFF}";

let wire: WireScene;

beforeAll(async () => {
  wire = await startWireScene({ limits: { body: `${LIMIT_BYTES / 1024}KiB` } });
});

afterAll(async () => {
  await wire[Symbol.asyncDispose]();
});

function head(style: Style, ...headers: readonly string[]): Buffer {
  const lines = ["host: x", AUTHORIZATION + wire.key.key, "anthropic-version: 2023-06-01", ...headers];
  return Buffer.from(headOf(`POST ${style.path("acme/echo")} HTTP/1.1`, ...lines));
}

const plain = (style: Style, text = TEXT) => Buffer.from(JSON.stringify(style.body("acme/echo", { text, cap: 4096 })));

/** A request with an encoded body and the name of its coding. */
function packed(style: Style, coding: string, body: Buffer, ...headers: readonly string[]): Buffer {
  return Buffer.concat([
    head(style, `content-encoding: ${coding}`, `content-length: ${body.length}`, ...headers),
    body,
  ]);
}

const pack = (coding: string, body: Buffer): Buffer => (PACK[coding] as (data: Buffer) => Buffer)(body);

function expectSaid(style: Style, { status, text }: ParsedAnswer, said = TEXT): void {
  expect([status, text.slice(0, 300)]).toEqual([200, expect.any(String)]);
  expect(style.textOfWhole(JSON.parse(text) as Record<string, unknown>)).toContain(said);
}

const codeIn = ({ text }: ParsedAnswer): unknown => (JSON.parse(text) as { error: { code: unknown } }).error.code;

const rows = Object.keys(PACK).flatMap((coding) =>
  STYLES.map((style) => [coding, style.path("acme/echo"), style] as const),
);

test.each(rows)(
  "%s to %s is read, in one piece, in many and in chunks, on one connection",
  async (coding, _, style) => {
    using client = await wire.open();
    const body = pack(coding, plain(style));
    const whole = packed(style, coding.toUpperCase(), body);
    const in_chunks = Buffer.concat([
      head(style, "transfer-encoding: chunked", `content-encoding: ${coding}`),
      chunked(body, 7, 1, 30),
    ]);
    client.send(Buffer.concat([whole, in_chunks, whole]));
    await client.sendPieces(
      cut(
        whole,
        Array.from({ length: whole.length }, (_piece, n) => n),
      ),
    );
    await client.sendPieces(cut(in_chunks, [300, 340, 341, 360]));
    await client.answer(4);
    for (const answer of client.answers) expectSaid(style, answer);
  },
);

test("heads that differ only in the coding are distinguished", async () => {
  using client = await wire.open();
  const body = plain(chat);
  const plainly = Buffer.concat([head(chat, `content-length: ${body.length}`), body]);
  client.send(Buffer.concat([plainly, packed(chat, "gzip", pack("gzip", body)), plainly]));
  client.send(packed(chat, "br", pack("br", body)));
  await client.answer(3);
  for (const answer of client.answers) expectSaid(chat, answer);
});

describe("a client that waits for 100 Continue", () => {
  test("gets it, and its compressed body is read", async () => {
    using client = await wire.open();
    const body = pack("zstd", plain(chat));
    client.send(head(chat, "content-encoding: zstd", `content-length: ${body.length}`, "expect: 100-continue"));
    await client.until("a 100", () => client.parser.interim.length === 1);
    client.send(body);
    expectSaid(chat, await client.answer());
  });

  test("is refused before it sends anything in an unknown coding, and loses the connection", async () => {
    using client = await wire.open();
    client.send(head(chat, "content-encoding: lzma", "content-length: 500", "expect: 100-continue"));
    const answer = await client.answer();
    expect([answer.status, codeIn(answer)]).toEqual([415, "unsupported_content_encoding"]);
    expect(client.parser.interim).toEqual([]);
    await client.ended();
  });
});

describe("415", () => {
  test.each(["compress", "gzip, gzip", "br, zstd", "aws-chunked", "gzip\r\ncontent-encoding: br"])(
    "for %p names the supported codings, and the connection goes on behind the body",
    async (coding) => {
      using client = await wire.open();
      // A body that a server that loses count would read as a request.
      client.send(packed(chat, coding, CANARY));
      client.send(packed(chat, "gzip", pack("gzip", plain(chat))));
      const refused = await client.answer();
      expect([refused.status, codeIn(refused)]).toEqual([415, "unsupported_content_encoding"]);
      expect(refused.headers.get("accept-encoding")).toBe("gzip, deflate, br, zstd");
      expectSaid(chat, await client.answer(1));
      expect(client.answers).toHaveLength(2);
    },
  );

  test("in chunks, the connection goes on or ends, and nothing of the body is a request", async () => {
    using client = await wire.open();
    const body = Buffer.concat(Array.from({ length: 20 }, () => CANARY));
    client.send(
      Buffer.concat([head(chat, "content-encoding: rot13", "transfer-encoding: chunked"), chunked(body, 50)]),
    );
    client.send(CANARY);
    expect((await client.answer()).status).toBe(415);
    await client.ended();
    expect(client.statuses.slice(1).every((status) => status === 200)).toBe(true);
    expect(client.answers.length).toBeLessThanOrEqual(2);
  });

  test("comes in style B where the endpoint is of style B", async () => {
    using client = await wire.open();
    client.send(packed(messages, "compress", Buffer.from("{}")));
    const { status, text } = await client.answer();
    expect([status, (JSON.parse(text) as { error: { type: unknown } }).error.type]).toEqual([
      415,
      "invalid_request_error",
    ]);
  });

  test("comes from the console for any coding: it reads bodies before it knows the caller", async () => {
    using client = await wire.open();
    const body = pack("gzip", Buffer.from("{}"));
    const lines = ["host: x", "content-encoding: gzip", `content-length: ${body.length}`];
    client.send(Buffer.concat([Buffer.from(headOf("POST /console/api/accounts HTTP/1.1", ...lines)), body]));
    const answer = await client.answer();
    expect([answer.status, codeIn(answer), answer.headers.get("accept-encoding")]).toEqual([
      415,
      "unsupported_content_encoding",
      "identity",
    ]);
  });

  test("does not come before the key is known", async () => {
    using client = await wire.open();
    const lines = ["host: x", "content-encoding: compress", "content-length: 2"];
    client.send(`${headOf("POST /v1/chat/completions HTTP/1.1", ...lines)}{}`);
    expect((await client.answer()).status).toBe(401);
  });
});

describe("a body that cannot be unpacked", () => {
  const ALL = ["gzip", "deflate", "br", "zstd"];

  test.each(ALL)("as %s is a 400 that says so, and the connection goes on", async (coding) => {
    using client = await wire.open();
    const good = pack(coding, plain(chat));
    const broken = [good.subarray(0, -1), Buffer.concat([good, Buffer.from("{}")]), plain(chat), CANARY];
    for (const body of broken) client.send(packed(chat, coding, body));
    client.send(packed(chat, coding, good));
    expectSaid(chat, await client.answer(broken.length));
    for (const answer of client.answers.slice(0, -1)) {
      expect([answer.status, codeIn(answer)]).toEqual([400, "invalid_json"]);
      expect(answer.text).toContain(`cannot be unpacked as ${coding}`);
    }
  });

  test.each(ALL)("of nothing at all as %s is an empty body", async (coding) => {
    using client = await wire.open();
    client.send(packed(chat, coding, Buffer.alloc(0)));
    expect((await client.answer()).text).toContain("it is empty");
  });
});

describe("the limit", () => {
  const BOMB = Buffer.alloc(16 * 2 ** 20, " ");

  test.each(["gzip", "deflate", "br", "zstd"])("holds for the unpacked body of %s", async (coding) => {
    using client = await wire.open();
    const filler = "a".repeat(LIMIT_BYTES - plain(chat, "").length);
    const fitting = plain(chat, filler);
    for (const body of [fitting, Buffer.concat([fitting, Buffer.from(" ")]), BOMB, fitting])
      client.send(packed(chat, coding, pack(coding, body)));
    await client.answer(3);
    expect(client.statuses).toEqual([200, 413, 413, 200]);
    expect(codeIn(client.answers[2] as ParsedAnswer)).toBe("request_too_large");
  });

  test("holds for the compressed body", async () => {
    using client = await wire.open();
    client.send(head(chat, "content-encoding: gzip", `content-length: ${LIMIT_BYTES + 1}`));
    expect((await client.answer()).status).toBe(413);
  });
});

test("count_tokens reads compressed bodies too", async () => {
  using client = await wire.open();
  const style = { ...messages, path: () => "/v1/messages/count_tokens" };
  const body = { model: "acme/echo", messages: [{ role: "user", content: TEXT }] };
  client.send(packed(style, "gzip", zlib.gzipSync(JSON.stringify(body))));
  expect(JSON.parse((await client.answer()).text)).toMatchObject({ input_tokens: expect.any(Number) });
});

test("a coding on a request without a body changes nothing", async () => {
  using client = await wire.open();
  const lines = ["host: x", AUTHORIZATION + wire.key.key, "content-encoding: compress"];
  client.send(headOf("GET /v1/models HTTP/1.1", ...lines));
  expect((await client.answer()).status).toBe(200);
});

test("a client that leaves while its body is unpacked leaves nothing behind", async () => {
  const bomb = packed(chat, "br", pack("br", Buffer.alloc(16 * 2 ** 20)));
  const clients = await Promise.all(Array.from({ length: 12 }, () => wire.open()));
  for (const client of clients) client.send(bomb);
  await new Promise(setImmediate);
  for (const client of clients) client[Symbol.dispose]();
  await wire.expectAtRest();
});
