import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CODE_POINT } from "../../../proofs/support/code-point.ts";
import { BytePieces, type OutgoingBody } from "./outgoing-request.ts";
import { requestBytes, writePieces } from "./request-bytes.ts";
import { readTarget, type UrlTarget } from "./target.ts";

const URL_TEXT = "http://vendor.example:8080/v1/x?y=z";
const TARGET = readTarget(URL_TEXT) as UrlTarget;

function bytesOf(headers: Record<string, string>, body: OutgoingBody = "{}"): Buffer {
  let written = Buffer.alloc(0);
  const write = (bytes: Uint8Array, start: number, length: number): number => {
    written = Buffer.from(bytes.subarray(start, start + length));
    return length;
  };
  expect(requestBytes(TARGET, { url: URL_TEXT, headers, body }).writeTo({ write })).toBeNull();
  return written;
}

const linesOf = (headers: Record<string, string>) =>
  bytesOf(headers).toString("latin1").split("\r\n\r\n")[0]?.split("\r\n");

test("pieces that a sink takes as it likes arrive in their order, and none is copied", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 }),
      fc.integer({ min: 1, max: 50 }),
      (pieces, most) => {
        const arrived: number[] = [];
        const write = (bytes: Uint8Array, start: number, length: number) => {
          const taken = Math.min(length, most);
          arrived.push(...bytes.subarray(start, start + taken));
          return taken;
        };
        let left = requestBytes(TARGET, { url: URL_TEXT, headers: {}, body: new BytePieces(pieces) }).writeTo({
          write,
        });
        while (left !== null && left !== false) {
          const [first = new Uint8Array(0)] = left;
          left = writePieces({ write }, left, write(first, 0, first.byteLength));
        }
        const whole = Buffer.concat(pieces);
        const text = Buffer.from(arrived).toString("latin1");
        expect(text).toEndWith(`content-length: ${whole.length}\r\n\r\n${whole.toString("latin1")}`);
      },
    ),
  );
});

describe("a request's bytes", () => {
  test("have a host and an accept header, unless the caller gives them", () => {
    expect(linesOf({})).toEqual([
      "POST /v1/x?y=z HTTP/1.1",
      "host: vendor.example:8080",
      "accept: */*",
      "content-length: 2",
    ]);
    expect(linesOf({ Host: "other", ACCEPT: "text/html" })?.slice(1)).toEqual([
      "Host: other",
      "ACCEPT: text/html",
      "content-length: 2",
    ]);
  });

  test("have the body's length, whatever length the caller gives", () => {
    expect(linesOf({ "Content-Length": "99", "transfer-encoding": "chunked" })?.at(-1)).toBe("content-length: 2");
    expect(linesOf({ "Content-Length": "99", "transfer-encoding": "chunked" })).toHaveLength(4);
  });

  test("have trimmed header values in latin1 and a body in UTF-8", () => {
    const bytes = bytesOf({ "x-name": " caf\u00e9\t" }, "é");
    expect(bytes.includes(Buffer.from("x-name: caf\xe9\r\n", "latin1"))).toBe(true);
    expect(bytes.toString().endsWith("content-length: 2\r\n\r\né")).toBe(true);
  });

  test.each([["a\r\nb: c"], ["a\nb"], ["a\rb"], ["a\0b"], ["€"], ["😀"]])("are refused for the value %j", (value) => {
    expect(() => bytesOf({ "x-a": value })).toThrow("'x-a' has a value that cannot be sent");
  });

  test.each(["", "a b", "a:b", "a\r\nb", "é", "a\0", "(a)"])("are refused for the name %j", (name) => {
    expect(() => bytesOf({ [name]: "x" })).toThrow("cannot have a header named");
  });

  test("have their own headers, also right after a request with others", () => {
    const [one, other] = [{ authorization: "Bearer one" }, { authorization: "Bearer other" }];
    expect([one, other, one, other].map((headers) => linesOf(headers)?.[3])).toEqual([
      "authorization: Bearer one",
      "authorization: Bearer other",
      "authorization: Bearer one",
      "authorization: Bearer other",
    ]);
  });

  test("have their whole head, whatever was written before", () => {
    const longs = [{ "x-name": "n".repeat(300) }, { authorization: "Bearer one" }];
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...longs), fc.nat(120), fc.boolean())), (requests) => {
        for (const [headers, length, is_huge] of requests) {
          const body = "é".repeat(is_huge ? 200_000 + length : length);
          const alone = requestBytes(TARGET, { url: URL_TEXT, headers: { ...headers }, body });
          let expected = "";
          alone.writeTo({
            write(bytes, start, written) {
              expected = Buffer.from(bytes.buffer, bytes.byteOffset + start, written).toString("latin1");
              return written;
            },
          });
          expect(bytesOf(headers, body).toString("latin1")).toBe(expected);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("have the unchanged body, however long", () => {
    fc.assert(
      fc.property(fc.string({ unit: CODE_POINT }), fc.integer({ min: 1, max: 20_000 }), (part, times) => {
        const body = part.repeat(times).slice(0, 200_000);
        const bytes = bytesOf({}, body);
        const at = bytes.indexOf("\r\n\r\n") + 4;
        expect(bytes.subarray(at).equals(Buffer.from(body))).toBe(true);
        expect(bytes.toString("latin1", 0, at)).toContain(`content-length: ${Buffer.byteLength(body)}\r\n`);
      }),
      { numRuns: 50 },
    );
  });

  test("do not depend on whether the body comes in parts", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.integer({ min: 1, max: 20_000 }), (some, times) => {
        const parts = some.map((part) => part.repeat(times).slice(0, 200_000).toWellFormed());
        expect(bytesOf({}, parts).equals(bytesOf({}, parts.join("")))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});

const LEFT = [
  "https://127.0.0.1/",
  "https://[::1]/",
  "https://host./",
  "http://user:pass@host/",
  "ftp://host/",
  "no url",
];
test.each(LEFT)("%s is left to fetch", (url) => {
  expect(readTarget(url)).toBeNull();
});

test("a URL's host and port are the connection's target", () => {
  expect(readTarget("https://api.example/v1?a=b#c")).toEqual({
    origin: "https://api.example",
    is_secure: true,
    hostname: "api.example",
    port: 443,
    host: "api.example",
    request_line: "POST /v1?a=b HTTP/1.1",
  });
  expect(readTarget("http://[::1]:80/")).toMatchObject({ hostname: "::1", port: 80, host: "[::1]" });
});
