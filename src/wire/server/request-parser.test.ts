import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { GatewayError } from "../../core/errors.ts";
import { MalformedMessage } from "../grammar/malformed-message.ts";
import { decodeText, RequestParser } from "./request-parser.ts";

interface Read {
  readonly path: string;
  readonly body: string;
}

/** Parses all requests in the slices, as a connection would that answers each request at once. */
function readAll(slices: readonly Buffer[]): { requests: Read[]; hasBegun: boolean } {
  const requests: Read[] = [];
  let path = "";
  let pieces: Buffer[] = [];
  let text: string | null = null;
  const parser = new RequestParser({
    head(head, whole) {
      path = head.path;
      pieces = [];
      text = whole;
    },
    piece: (data) => void pieces.push(Buffer.from(data)),
    end() {
      const joined = Buffer.concat(pieces);
      requests.push({ path, body: text ?? decodeText(joined, 0, joined.length) });
    },
  });
  for (const slice of slices) {
    for (let rest: Buffer | null = Buffer.from(slice); rest !== null; ) rest = parser.feed(rest);
  }
  return { requests, hasBegun: parser.hasBegun };
}

const LINES = "host: x\r\nx-a: b\r\n";
const TEXT = "Größe: 12 €, 👍";
const BYTES = Buffer.byteLength(TEXT);

/** The bytes of requests, and what the parser reads from them. */
const REQUESTS: readonly [bytes: string, read: Read][] = [
  [`GET /a HTTP/1.1\r\n${LINES}\r\n`, { path: "/a", body: "" }],
  [`POST /b HTTP/1.1\r\n${LINES}content-length: ${BYTES}\r\n\r\n${TEXT}`, { path: "/b", body: TEXT }],
  // Equals the request before but for the length.
  [`POST /b HTTP/1.1\r\n${LINES}content-length: 2\r\n\r\n{}`, { path: "/b", body: "{}" }],
  [`POST /bom HTTP/1.1\r\n${LINES}content-length: 5\r\n\r\n\ufeff{}`, { path: "/bom", body: "{}" }],
  [`POST /zero HTTP/1.1\r\n${LINES}content-length: 0\r\n\r\n`, { path: "/zero", body: "" }],
  [
    `POST /c HTTP/1.1\r\n${LINES}transfer-encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n${BYTES.toString(16)}\r\n${TEXT}\r\n0\r\nt: u\r\n\r\n`,
    { path: "/c", body: `abc${TEXT}` },
  ],
  [`\r\nGET /after-a-blank-line HTTP/1.1\r\n${LINES}\r\n`, { path: "/after-a-blank-line", body: "" }],
];

describe("requests whose bytes are cut anywhere", () => {
  test("are read one after the other", () => {
    const some = fc.array(fc.constantFrom(...REQUESTS), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(some, fc.array(fc.nat(), { maxLength: 12 }), (chosen, cuts) => {
        const bytes = Buffer.from(chosen.map(([text]) => text).join(""));
        const places = [...new Set([0, ...cuts.map((cut) => cut % bytes.length), bytes.length])].sort((a, b) => a - b);
        const slices = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(readAll(slices)).toEqual({ requests: chosen.map(([, read]) => read), hasBegun: false });
      }),
    );
  });

  test("are read byte by byte", () => {
    const bytes = Buffer.from(REQUESTS.map(([text]) => text).join(""));
    const slices = Array.from(bytes, (byte) => Buffer.from([byte]));
    expect(readAll(slices).requests).toEqual(REQUESTS.map(([, read]) => read));
  });
});

test("at most four empty lines are passed over before each request, however they are cut", () => {
  const one = (lines: number): Buffer => Buffer.from(`${"\r\n".repeat(lines)}GET /a HTTP/1.1\r\n${LINES}\r\n`);
  for (const size of [1, 2, 3, 4, 7, 100]) {
    const inPieces = (bytes: Buffer): Buffer[] =>
      Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
    expect(readAll(inPieces(Buffer.concat([one(4), one(4)]))).requests).toHaveLength(2);
    for (const lines of [5, 6, 20])
      expect(() => readAll(inPieces(Buffer.concat([one(4), one(lines)])))).toThrow(MalformedMessage);
  }
});

test("a partial head is distinguished from no head", () => {
  expect(readAll([Buffer.from("\r\n\r\n")])).toEqual({ requests: [], hasBegun: false });
  expect(readAll([Buffer.from("GET / HT")])).toEqual({ requests: [], hasBegun: true });
});

const CHUNKED = "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";

test.each([
  ["a line that ends with a line feed alone", "GET / HTTP/1.1\nhost: x"],
  ["a line feed alone", "\n"],
  ["many empty lines", "\r\n".repeat(20)],
  ["a chunk without a size", `${CHUNKED}\r\n`],
  ["a chunk that is longer than its size", `${CHUNKED}1\r\nab\r\n`],
  ["a chunk's size with a blank behind it", `${CHUNKED}1 `],
  ["a chunk's extension with a zero byte", `${CHUNKED}1;\0`],
  ["a trailer without a name", `${CHUNKED}0\r\n:`],
  ["a trailer without a colon", `${CHUNKED}0\r\nx\r`],
  ["a trailer that continues another one", `${CHUNKED}0\r\nx: y\r\n `],
  ["a trailer with a zero byte", `${CHUNKED}0\r\nx: \0`],
  ["a request for a trailer", `${CHUNKED}0\r\nGET /`],
])("%s is refused as soon as it is there", (_name, text) => {
  expect(() => readAll([Buffer.from(text)])).toThrow(MalformedMessage);
});

test.each([
  ["in one piece", (bytes: Buffer) => [bytes]],
  ["in many pieces", (bytes: Buffer) => Array.from({ length: 34 }, (_, n) => bytes.subarray(n * 1000, (n + 1) * 1000))],
])("a head above 16 KiB is too large, %s", (_name, cut) => {
  const bytes = Buffer.from(`GET / HTTP/1.1\r\nhost: x\r\nx: ${"a".repeat(33_000)}`);
  expect(() => readAll(cut(bytes))).toThrow(expect.objectContaining({ code: "headers_too_large" }) as GatewayError);
});

test("one just below is read", () => {
  const start = "GET /large HTTP/1.1\r\nhost: x\r\nx: ";
  const bytes = Buffer.from(`${start}${"a".repeat(16 * 1024 - start.length)}\r\n\r\n`);
  const one = { path: "/large", body: "" };
  expect(readAll([bytes]).requests).toEqual([one]);
  for (let missing = 1; missing < 5; missing++)
    expect(readAll([bytes.subarray(0, -missing), bytes.subarray(-missing)]).requests).toEqual([one]);
});
