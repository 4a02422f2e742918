import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import type { SentBody } from "../../core/answer/exchange.ts";
import { bytesOf, textOf } from "../../core/answer/sent-body.ts";
import { BodyRoom } from "./body-room.ts";
import { WireServer } from "./wire-server.ts";

/** Answers in parts, of texts and bytes: sent one after the other, to clients that read at once and to those that do not. */

const TIMEOUT_MS = 60_000;
const LARGE = Buffer.alloc(3 * 2 ** 20, "0123456789");
const BODIES: Readonly<Record<string, SentBody>> = {
  texts: ["a", "größer", "z"],
  small: ["{", Buffer.from("größer"), "}"],
  large: ["[é", LARGE, ",", LARGE.subarray(7), "]"],
  "large-texts": ["é".repeat(400_000), LARGE, "é".repeat(400_000)],
  bytes: LARGE,
};

let server: WireServer;

beforeAll(() => {
  const timeouts = { head_ms: TIMEOUT_MS, stall_ms: TIMEOUT_MS, total_ms: TIMEOUT_MS, idle_ms: TIMEOUT_MS };
  server = new WireServer(
    {
      handle: (request) => request.answer({ status: 200, headers: "", body: BODIES[request.head.path.slice(1)] ?? "" }),
      refuse: () => ({ status: 400, headers: "", body: "" }),
      failed: (thrown) => {
        throw thrown;
      },
      ...{ most_body_bytes: 1024, bodies: new BodyRoom("all", 1024) },
    },
    { ...timeouts, unread_ms: TIMEOUT_MS, beat_ms: TIMEOUT_MS },
    { hostname: "127.0.0.1", port: 0 },
  );
});

afterAll(() => server.cut());

/** Everything that comes for these requests, which are sent at once; read from when the last answer is under way. */
function received(methods: readonly string[], path: string): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const socket = connect(server.port, "127.0.0.1");
  const pieces: Buffer[] = [];
  socket.pause();
  socket.on("data", (piece) => pieces.push(Buffer.from(piece))).on("end", () => resolve(Buffer.concat(pieces)));
  const head = (method: string, last: boolean) =>
    `${method} /${path} HTTP/1.1\r\nhost: x\r\n${last ? "connection: close\r\n" : ""}\r\n`;
  socket.write(methods.map((method, at) => head(method, at === methods.length - 1)).join(""), () =>
    setImmediate(() => socket.resume()),
  );
  return promise;
}

test.each(Object.entries(BODIES))("%s", async (path, body) => {
  const whole = bytesOf(body);
  expect(textOf(body)).toBe(whole.toString());
  const answers = await received(["GET", "HEAD", "GET"], path);
  for (let left = answers, at = 0; at < 3; at++) {
    const start = left.indexOf("\r\n\r\n") + 4;
    expect(left.toString("latin1", 0, start)).toContain(`content-length: ${whole.length}\r\n`);
    const end = at === 1 ? start : start + whole.length;
    if (at !== 1) expect(left.subarray(start, end).equals(whole)).toBe(true);
    left = left.subarray(end);
    if (at === 2) expect(left.length).toBe(0);
  }
});
