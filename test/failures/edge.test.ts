import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestKey } from "../support/gateway.ts";
import type { ClientStream } from "./support/client-stream.ts";
import { RawConnection } from "./support/raw-connection.ts";
import { eventually, type Scene, startScene } from "./support/scene.ts";
import { chat, STYLES } from "./support/styles.ts";

/** Clients that are slow, large, or malicious on the wire. */

const LIMIT_BYTES = 192 * 1024;
/** 100 MB of text, 10 kB at a time: far more than any buffer on the way. */
const HUGE_TOKENS = 25_000_000;
/** 32 MB. */
const LARGE_TOKENS = 8_000_000;

let scene: Scene;
let key: TestKey;

beforeAll(async () => {
  scene = await startScene({
    models: {
      "acme/echo": {},
      "acme/huge": { upstream_model: `long@tokens=${HUGE_TOKENS}&piece=2500`, max_completion_tokens: HUGE_TOKENS },
      "hasty/large": { upstream_model: `long@tokens=${LARGE_TOKENS}&piece=2500`, max_completion_tokens: LARGE_TOKENS },
    },
    vendors: { hasty: { timeouts: { idle: "1s" } } },
    limits: { body: "192KiB" },
    program: join(import.meta.dir, "support/impatient-gateway.ts"),
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

describe("a client that reads slowly", () => {
  /** The number of bytes that the vendor has written, once it writes no more. */
  async function standstill(model: string): Promise<number> {
    const written = () => {
      const seen = scene.simulator.log.requests.filter((record) => record.model?.startsWith(model) && !record.finished);
      return seen.reduce((sum, { bytes_written }) => sum + bytes_written, 0);
    };
    for (let before = -1; ; ) {
      const now = written();
      if (now === before) return now;
      before = now;
      await Bun.sleep(250);
    }
  }

  async function openedStreams(count: number, model: string, cap: number): Promise<ClientStream[]> {
    const streams = await Promise.all(
      Array.from({ length: count }, () => scene.stream(chat, key, model, { cap, text: "Go on." })),
    );
    await Promise.all(streams.map((stream) => stream.read()));
    return streams;
  }

  test("slows the vendor down, and the gateway buffers little of what the client does not read", async () => {
    const count = 20;
    const streams = await openedStreams(count, "acme/huge", HUGE_TOKENS);
    const written = await standstill(`long@tokens=${HUGE_TOKENS}`);
    // A hundred megabytes each are waiting; the system's own buffers on both connections take some fifteen.
    expect(written / count).toBeLessThan(40_000_000);
    expect(await memoryOf(scene.gateway.pid)).toBeLessThan(700_000_000);
    for (const stream of streams) stream.leave();
    await Promise.all(streams.map((stream) => scene.ended(stream.request_id)));
  });

  test("may pause for longer than a vendor may be silent", async () => {
    const [stream] = (await openedStreams(1, "hasty/large", LARGE_TOKENS)) as [ClientStream];
    await standstill(`long@tokens=${LARGE_TOKENS}`);
    // Three times the vendor's idle timeout, in which nobody reads.
    await Bun.sleep(3000);
    let last = "";
    let size = stream.received.length;
    for (stream.received = ""; await stream.read(); stream.received = "") {
      size += stream.received.length;
      last = (last + stream.received).slice(-20);
    }
    expect({ ending: last.endsWith("data: [DONE]\n\n"), whole: size > LARGE_TOKENS * 4 }).toEqual({
      ending: true,
      whole: true,
    });
    expect(await scene.ended(stream.request_id)).toMatchObject({ status: "settled", error: null });
  });

  test("gets its answer among 200 such clients", async () => {
    const streams = await Promise.all(
      Array.from({ length: 200 }, () => scene.stream(chat, key, "acme/echo", { text: "word ".repeat(500) })),
    );
    // By turns, a piece at a time.
    for (let open = [...streams]; open.length > 0; ) {
      const more = await Promise.all(open.map((stream) => stream.read()));
      open = open.filter((_, index) => more[index]);
    }
    expect(streams.map(({ ending }) => ending)).toEqual(streams.map(() => "complete"));
  });
});

/** Resident bytes of a process, on systems with /proc; 0 elsewhere. */
async function memoryOf(pid: number): Promise<number> {
  return await eventually("a whole status of the process", async () => {
    // Not every system has the file, and a read of it can fail.
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "VmRSS: 0 kB");
    const found = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
    return found === undefined ? null : Number(found) * 1024;
  });
}

test("no hold is left at the end", async () => {
  await eventually("the end of all holds", async () =>
    (await scene.wallet(key)).uncollected_micro === 0 ? true : null,
  );
});
