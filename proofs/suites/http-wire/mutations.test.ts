import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { messages } from "../failures/support/styles.ts";
import { chunked, headOf, request } from "./support/requests.ts";
import { AUTHORIZATION, startWireScene, type WireScene } from "./support/wire-scene.ts";

/** Randomly mutated requests: each connection gets valid answers or ends, and the gateway keeps working. */

const SEED = 20261122;
const AT_ONCE = 40;

let wire: WireScene;

beforeAll(async () => {
  wire = await startWireScene({
    program: join(import.meta.dir, "../../support/gateways/hurried-gateway.ts"),
    limits: { body: "64KiB" },
  });
});

afterAll(async () => {
  await wire[Symbol.asyncDispose]();
});

/** The sound requests that are mutated. */
function sound(): readonly Buffer[] {
  const authorization = AUTHORIZATION + wire.key.key;
  const body = JSON.stringify({ model: "acme/echo", messages: [{ role: "user", content: "é😀" }] });
  const lines = ["POST /v1/chat/completions HTTP/1.1", "host: x", authorization];
  return [
    request(),
    request({ target: "/v1/models?kind=chat", headers: [authorization, "x-api-key: "] }),
    wire.call("acme/echo"),
    wire.call("acme/echo", { style: messages, stream: true }),
    Buffer.concat([Buffer.from(headOf(...lines, "transfer-encoding: chunked")), chunked(body, 9, 2)]),
    Buffer.concat([
      Buffer.from(headOf(...lines, "expect: 100-continue", `content-length: ${body.length}`)),
      Buffer.from(body),
    ]),
    wire.call("acme/echo", { version: "HTTP/1.0", headers: ["connection: keep-alive"] }),
    Buffer.concat([request(), wire.call("acme/echo"), request({ method: "OPTIONS" })]),
  ];
}

/** Text that parsers stumble over. */
const STUMBLES = [
  ..."\r\n,\n,\r,\0, ,\t,:,;,\x7f,\xff,\r\n\r\n,0\r\n\r\n,HTTP/1.1,HTTP/1.0,http://,//,/..,%,%zz,%00,?,#".split(","),
  ...[
    "transfer-encoding: chunked\r\n",
    "transfer-encoding: x\r\n",
    "content-length: 0\r\n",
    "content-length: 99999999\r\n",
  ],
  ...[
    "content-length: -1\r\n",
    "host: y\r\n",
    "connection: close\r\n",
    "connection: upgrade\r\nupgrade: websocket\r\n",
  ],
  ...["expect: 100-continue\r\n", "expect: x\r\n", "x-request-id: \xe9\r\n", "FFFFFFFF\r\n", "-1\r\n", "1;a=b\r\n"],
  ...[
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "upgrade: h2c\r\n",
    "accept-encoding: gzip\r\n",
    `x: ${"a".repeat(20_000)}\r\n`,
  ],
  ...["idempotency-key: \r\n", "x-api-key: \xff\r\n", "authorization: \r\n", "traceparent: 00-x\r\n"],
];

type Change = (bytes: Buffer) => Buffer;

const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
/** Moves a place to a line's end where one is near, since mutations there find more than inside a key. */
const at = (bytes: Buffer, where: number): number => {
  const ends = [...bytes.toString("latin1").matchAll(/[\r\n:]/g)].map(({ index }) => index);
  const scaled = Math.floor(where * 2 * bytes.length);
  return scaled < bytes.length ? scaled : (ends[scaled % Math.max(1, ends.length)] ?? 0);
};

const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(place, fc.constantFrom(...STUMBLES)).map(
    ([where, text]): Change =>
      (bytes) =>
        Buffer.concat([
          bytes.subarray(0, at(bytes, where)),
          Buffer.from(text, "latin1"),
          bytes.subarray(at(bytes, where)),
        ]),
  ),
  fc.tuple(place, fc.integer({ min: 1, max: 12 })).map(
    ([where, count]): Change =>
      (bytes) =>
        Buffer.concat([bytes.subarray(0, at(bytes, where)), bytes.subarray(at(bytes, where) + count)]),
  ),
  fc.tuple(place, fc.nat({ max: 255 })).map(
    ([where, byte]): Change =>
      (bytes) => {
        const changed = Buffer.from(bytes);
        changed[at(bytes, where)] = byte;
        return changed;
      },
  ),
  fc.tuple(place, fc.integer({ min: 1, max: 60 })).map(
    ([where, count]): Change =>
      (bytes) =>
        Buffer.concat([bytes.subarray(0, at(bytes, where) + count), bytes.subarray(at(bytes, where))]),
  ),
  place.map(
    (where): Change =>
      (bytes) =>
        bytes.subarray(0, at(bytes, where)),
  ),
  fc.constant((bytes: Buffer) => Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1")),
);

const mutants = fc.tuple(fc.nat({ max: 7 }), fc.array(changes, { minLength: 1, maxLength: 4 }));

/** Sends the bytes, then sound requests until the gateway closes the connection. */
async function expectBearable(bytes: Buffer): Promise<void> {
  using client = await wire.open();
  client.send(bytes);
  await Bun.sleep(30);
  client.send(request({ headers: ["connection: close"] }));
  await client.ended();
  for (const { status, text } of client.answers)
    if (status >= 500 && status !== 501 && status !== 505) throw new Error(text);
}

test("a few hundred mutated requests break nothing", async () => {
  const originals = sound();
  const tried = fc.sample(mutants, { numRuns: 600, seed: SEED });
  const texts = tried.map(([which, steps]) => steps.reduce((bytes, step) => step(bytes), originals[which] as Buffer));
  const queue = texts.entries();
  const work = async () => {
    for (const [index, bytes] of queue) {
      await expectBearable(bytes).catch((thrown: unknown) => {
        throw new Error(`mutant ${index}: ${JSON.stringify(bytes.toString("latin1").slice(0, 2000))}`, {
          cause: thrown,
        });
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
});

test("a sound request is answered afterwards", async () => {
  using client = await wire.open();
  client.send(wire.call("acme/echo", { text: "still here" }));
  expect((await client.answer()).text).toContain("still here");
  await wire.expectAtRest();
});
