import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { TestKey } from "../../support/gateway.ts";
import { RawConnection } from "./support/raw-connection.ts";
import { eventually, type Scene, startScene } from "./support/scene.ts";
import { chat, STYLES } from "./support/styles.ts";

/** Clients that are slow, large, or malicious on the wire. Those that read slowly: slow-readers.test.ts. */

const LIMIT_BYTES = 192 * 1024;
let scene: Scene;
let key: TestKey;

beforeAll(async () => {
  scene = await startScene({
    models: {
      "acme/echo": {},
    },
    limits: { body: "192KiB" },
    program: join(import.meta.dir, "../../support/gateways/impatient-gateway.ts"),
  });
  key = await scene.newKey({ credit: "100000" });
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

function head(...headers: string[]): string {
  const lines = ["POST /v1/chat/completions HTTP/1.1", "host: x", `authorization: Bearer ${key.key}`, ...headers];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

/** Expects one answer with that status, in the style's shape, and the end of the connection. */
async function expectRefused(connection: RawConnection, status: number, code: string): Promise<void> {
  await connection.until(`"code":"${code}"`);
  expect(connection.statuses).toEqual([status]);
  expect(connection.received.toLowerCase()).toContain("x-request-id: req_");
  expect(connection.received.toLowerCase()).toContain("connection: close");
  await connection.closed;
}

describe("a body that comes too slowly is 408", () => {
  test.concurrent.each([
    ["announced and small", () => `${head("content-length: 100")}{`],
    ["announced and larger", () => `${head("content-length: 50000")}{`],
    ["announced and large", () => `${head("content-length: 150000")}{`],
    ["chunked", () => `${head("transfer-encoding: chunked")}${chunk("{")}`],
    ["announced, not begun", () => head("content-length: 100")],
  ])("%s, when it stands still", async (_name, text) => {
    using connection = await RawConnection.open(scene.gateway.url);
    connection.send(text());
    await expectRefused(connection, 408, "request_timeout");
  });

  test.concurrent.each([
    ["announced", () => head("content-length: 50000"), (text: string) => text],
    ["announced and large", () => head("content-length: 150000"), (text: string) => text],
    ["chunked", () => head("transfer-encoding: chunked"), chunk],
  ])("%s, when it trickles for too long", async (_name, first, piece) => {
    using connection = await RawConnection.open(scene.gateway.url);
    connection.send(first());
    const trickle = setInterval(() => connection.send(piece(" ")), 50);
    await expectRefused(connection, 408, "request_timeout").finally(() => clearInterval(trickle));
  });
});

describe("a body above the limit is 413", () => {
  test("as soon as its length is announced, however large", async () => {
    for (const bytes of [LIMIT_BYTES + 1, LIMIT_BYTES + 2 ** 21, 2 ** 40]) {
      using connection = await RawConnection.open(scene.gateway.url);
      connection.send(head(`content-length: ${bytes}`));
      await expectRefused(connection, 413, "request_too_large");
    }
  });

  test("as soon as the chunks add up to it", async () => {
    using connection = await RawConnection.open(scene.gateway.url);
    connection.send(head("transfer-encoding: chunked"));
    for (let sent = 0; sent <= LIMIT_BYTES; sent += 8192) connection.send(chunk(" ".repeat(8192)));
    await expectRefused(connection, 413, "request_too_large");
  });

  test.each(STYLES)("$endpoint: a client that sends the whole body reads the answer", async (style) => {
    const response = await scene.call(style, key, "acme/echo", { text: "a".repeat(5_000_000) });
    expect(response.status).toBe(413);
    expect(await response.text()).toContain(`${LIMIT_BYTES} bytes`);
  });

  test("a body of exactly the limit is read", async () => {
    const empty = JSON.stringify(chat.body("acme/echo", { text: "" })).length;
    const response = await scene.call(chat, key, "acme/echo", { text: "a".repeat(LIMIT_BYTES - empty) });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  });
});

test.each([
  ["one large header", `x-a: ${"a".repeat(40_000)}`],
  ["many headers", Array.from({ length: 2000 }, (_, n) => `x-${n}: a`).join("\r\n")],
])("%s: 431, and the connection ends", async (_name, headers) => {
  using connection = await RawConnection.open(scene.gateway.url);
  connection.send(`GET /healthz HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n`);
  await connection.closed;
  expect(connection.statuses).toEqual([431]);
});

describe("requests whose body length is ambiguous", () => {
  const body = JSON.stringify(chat.body("acme/echo"));
  const length = `content-length: ${body.length}`;
  /** A text that is a request of its own for a server that reads the length in the other way. */
  const CANARY = "GET /openapi.json HTTP/1.1\r\nhost: canary\r\n\r\n";
  const chunked = `${chunk(body)}0\r\n\r\n`;

  const ambiguous: [name: string, text: () => string][] = [
    ["length and chunks", () => head(`content-length: ${chunked.length}`, "transfer-encoding: chunked") + chunked],
    ["chunks and length", () => head("transfer-encoding: chunked", "content-length: 4") + chunked],
    ["two lengths", () => head(length, "content-length: 4") + body],
    ["two lengths, the first too short", () => head("content-length: 4", length) + body],
    ["a list of lengths", () => head(`${length}, 4`) + body],
    ["a signed length", () => head(`content-length: +${body.length}`) + body],
    ["a negative length", () => head("content-length: -1") + body],
    ["a hexadecimal length", () => head(`content-length: 0x${body.length.toString(16)}`) + body],
    ["a folded header", () => head("x-a: b\r\n content-length: 4", length) + body],
    ["a folded encoding", () => head("transfer-encoding:\r\n chunked", length) + body],
    ["a bare line feed between headers", () => head("x-a: b\ncontent-length: 4", length) + body],
    ["a bare carriage return between headers", () => head("x-a: b\rcontent-length: 4", length) + body],
    ["bare line feeds throughout", () => head(length).replaceAll("\r\n", "\n") + body],
    ["a space before the colon", () => head(`content-length : ${body.length}`) + body],
    ["an unknown encoding", () => head("transfer-encoding: xchunked", length) + body],
    ["chunks that are not the last encoding", () => head("transfer-encoding: chunked, identity") + chunked],
    ["two encodings", () => head("transfer-encoding: chunked", "transfer-encoding: identity") + chunked],
    ["a chunk size with a prefix", () => `${head("transfer-encoding: chunked")}0x1\r\na\r\n0\r\n\r\n`],
    ["a chunk size beyond numbers", () => `${head("transfer-encoding: chunked")}FFFFFFFFFFFFFFFFF\r\na\r\n0\r\n\r\n`],
    ["a chunk longer than its size", () => `${head("transfer-encoding: chunked")}1\r\nabc\r\n0\r\n\r\n`],
    ["chunks with bare line feeds", () => head("transfer-encoding: chunked") + chunked.replaceAll("\r\n", "\n")],
    ["a zero byte in a header", () => head("x-a: a\0b", length) + body],
  ];

  test.concurrent.each(ambiguous)("%s: refused, and nothing behind it is answered", async (_name, text) => {
    using connection = await RawConnection.open(scene.gateway.url);
    connection.send(text() + CANARY);
    await connection.closed;
    expect(connection.statuses).toHaveLength(1);
    expect([400, 505]).toContain(connection.statuses[0] as number);
    expect(connection.received).not.toContain("openapi");
  });

  test("two equal lengths count as one, and bytes behind the body are their own request or ignored", async () => {
    using connection = await RawConnection.open(scene.gateway.url);
    connection.send(head(length, length) + body);
    await connection.until("Simulated answer");
    expect(connection.statuses).toEqual([200]);
  });

  test("a body that looks like a request is a body", async () => {
    using connection = await RawConnection.open(scene.gateway.url);
    connection.send(head(`content-length: ${CANARY.length}`) + CANARY);
    await connection.until('"code":"invalid_json"');
    expect(connection.statuses).toEqual([400]);
  });
});

test("no hold is left at the end", async () => {
  await eventually("the end of all holds", async () =>
    (await scene.wallet(key)).uncollected_micro === 0 ? true : null,
  );
});
