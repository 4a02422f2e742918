import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MalformedMessage } from "../grammar/malformed-message.ts";
import { RequestHead, TooManyHeaders } from "./request-head.ts";

function head(...lines: string[]): RequestHead {
  return RequestHead.read(lines.join("\r\n"));
}

const get = (...headers: string[]) => head("GET / HTTP/1.1", "host: x", ...headers);

describe("a request line", () => {
  test.each([
    ["GET /v1/models HTTP/1.1", { method: "GET", path: "/v1/models", query: "" }],
    ["POST /a?b=c?d HTTP/1.1", { method: "POST", path: "/a", query: "b=c?d" }],
    ["GET /? HTTP/1.1", { method: "GET", path: "/", query: "" }],
    ["GET http://gateway:80/v1/models?kind=all HTTP/1.1", { method: "GET", path: "/v1/models", query: "kind=all" }],
    ["GET HTTPS://gateway HTTP/1.1", { method: "GET", path: "/", query: "" }],
    ["GET http://gateway?a HTTP/1.1", { method: "GET", path: "/", query: "a" }],
    ["OPTIONS * HTTP/1.1", { method: "OPTIONS", path: "*", query: "" }],
    ["M-SEARCH /a%20b HTTP/1.1", { method: "M-SEARCH", path: "/a%20b", query: "" }],
  ])("%s", (line, expected) => {
    expect(head(line, "host: x")).toMatchObject(expected);
  });

  test.each([
    "GET /",
    "GET  / HTTP/1.1",
    "GET / HTTP/1.1 ",
    "GET /a b HTTP/1.1",
    " GET / HTTP/1.1",
    "GET\t/ HTTP/1.1",
    "G(T / HTTP/1.1",
    "GET /\u00e9 HTTP/1.1",
    "GET a HTTP/1.1",
    "GET * HTTP/1.1",
    "CONNECT gateway:443 HTTP/1.1",
    "GET ftp://gateway/ HTTP/1.1",
    "GET http:///a HTTP/1.1",
    "GET / HTTP/2.0",
    "GET / HTTP/0.9",
    "GET / HTTP/1.10",
    "GET / http/1.1",
    "PRI * HTTP/2.0",
    "",
  ])("%j is none", (line) => {
    expect(() => head(line, "host: x")).toThrow(MalformedMessage);
  });
});

describe("how the body is delimited", () => {
  test.each([
    [[], 0],
    [["content-length: 0"], 0],
    [["Content-Length:  17 "], 17],
    [["content-length: 17", "CONTENT-LENGTH: 17"], 17],
    [["transfer-encoding: chunked"], "chunked"],
    [["Transfer-Encoding: Chunked "], "chunked"],
  ] as const)("%j", (headers, framing) => {
    expect(get(...headers).framing).toBe(framing);
  });

  test.each([
    [["content-length: 17", "content-length: 18"]],
    [["content-length: 17, 17"]],
    [["content-length: +17"]],
    [["content-length: -1"]],
    [["content-length: 0x11"]],
    [["content-length: 1 7"]],
    [["content-length:"]],
    [["content-length: 9999999999999999"]],
    [["content-length: 17", "transfer-encoding: chunked"]],
    [["transfer-encoding: gzip, chunked"]],
    [["transfer-encoding: chunked, identity"]],
    [["transfer-encoding: chunked", "transfer-encoding: chunked"]],
    [["transfer-encoding: identity"]],
    [["transfer-encoding: xchunked"]],
    [["transfer-encoding: \u000bchunked"]],
    [["transfer-encoding: chunked\u00a0"]],
    [["content-length: 17\u00a0"]],
    [["transfer-encoding:"]],
    [["transfer-encoding : chunked"]],
    [[" transfer-encoding: chunked"]],
    [["x: y", "\tcontent-length: 17"]],
    [["x: y\ncontent-length: 17"]],
    [["x: y\rcontent-length: 17"]],
    [["x: a\u0000b"]],
    [["x: a\u007fb"]],
    [[": y"]],
    [["x y: z"]],
    [["no colon"]],
    [["host: y"]],
    [["expect: 200-ok"]],
  ])("%j is refused", (headers) => {
    expect(() => get(...headers)).toThrow(MalformedMessage);
  });

  test("an HTTP/1.0 request with chunks is refused", () => {
    expect(() => head("POST / HTTP/1.0", "transfer-encoding: chunked")).toThrow(MalformedMessage);
  });
});

test.each([
  ["HTTP/1.1", [], true],
  ["HTTP/1.1", ["connection: close"], false],
  ["HTTP/1.1", ["Connection: TE, Close"], false],
  ["HTTP/1.1", ["connection: keep-alive"], true],
  ["HTTP/1.1", ["connection: upgrade", "connection: close"], false],
  ["HTTP/1.0", [], false],
  ["HTTP/1.0", ["connection: keep-alive"], true],
  ["HTTP/1.0", ["connection: keep-alive, close"], false],
])("%s with %j: another request may follow: %p", (version, headers, keeps_alive) => {
  expect(head(`GET / ${version}`, "host: x", ...headers).keeps_alive).toBe(keeps_alive);
});

test("a client waits for a 100 where it asks for one and speaks HTTP/1.1", () => {
  expect(get("Expect: 100-Continue").expects_continue).toBe(true);
  expect(get().expects_continue).toBe(false);
  expect(head("POST / HTTP/1.0", "expect: 100-continue").expects_continue).toBe(false);
});

test("headers are found by name in any case, and repeated headers are joined", () => {
  const found = get(
    "Authorization: Bearer  a ",
    "X-Api-Key:b",
    "x-tag: one",
    "X-Tag:\ttwo ",
    "x-empty:",
    "x-api-key: c",
  );
  expect(found.get("authorization")).toBe("Bearer  a");
  expect(found.get("x-api-key")).toBe("b, c");
  expect(found.get("X-TAG")).toBe("one, two");
  expect(found.get("x-empty")).toBe("");
  expect(found.get("idempotency-key")).toBeNull();
  expect(found.get("x-other")).toBeNull();
});

test("HTTP/1.1 needs a Host, HTTP/1.0 none", () => {
  expect(() => head("GET / HTTP/1.1")).toThrow("it has 0 Host headers, not one");
  expect(head("GET / HTTP/1.0").path).toBe("/");
});

test("200 headers are read, and no more", () => {
  const headers = Array.from({ length: 199 }, (_, index) => `x-${index}: a`);
  expect(get(...headers).get("x-198")).toBe("a");
  expect(() => get(...headers, "one: more")).toThrow(TooManyHeaders);
});

describe("a head that equals the one before but for the body's length", () => {
  const KEY = "authorization: Bearer k";
  const before = head("POST /v1/messages HTTP/1.1", "host: x", "content-length: 17", KEY);
  const next = (...headers: string[]) => ["POST /v1/messages HTTP/1.1", "host: x", ...headers].join("\r\n");

  test.each([
    [["content-length: 17", KEY], 17],
    [["content-length: 4", KEY], 4],
    [["content-length:  20480 ", KEY], 20480],
  ])("%j: only the length is parsed again", (headers, length) => {
    const again = before.again(next(...headers));
    expect(again).toMatchObject({ method: "POST", path: "/v1/messages", framing: length, keeps_alive: true });
    expect([again?.get("authorization"), again?.get("content-length"), again?.get("host")]).toEqual([
      ...["Bearer k", String(length), "x"],
    ]);
  });

  test("has its own body's length, whatever the heads before had", () => {
    const lengths = [17, 4, 17, 4, 4, 20480, 17];
    let last: RequestHead | null = before;
    for (const length of lengths) {
      last = last?.again(next(`content-length: ${length}`, KEY)) ?? null;
      expect(last?.framing).toBe(length);
    }
  });

  test("keeps what a caller remembered with the first head", () => {
    const key = { credential: "k" };
    before.remembered = key;
    expect(before.again(next("content-length: 4", KEY))?.remembered).toBe(key);
  });

  test.each([
    [["content-length: 17", "authorization: Bearer l"]],
    [["content-length: 17", KEY, "x-a: b"]],
    [["content-length: 17"]],
    [["content-length: 5\r\nx-a: b", KEY]],
    [["content-length: 5\r\ncontent-length: 5", KEY]],
    [["content-length: 5\r\ntransfer-encoding: chunked", KEY]],
    [["content-length: 5, 5", KEY]],
    [["content-length: ", KEY]],
    [["content-length: -1", KEY]],
    [["content-length: 1234567890123456", KEY]],
    [["transfer-encoding: chunked", KEY]],
    [["Content-Length: 17", KEY]],
  ])("%j: is parsed as a new head", (headers) => {
    expect(before.again(next(...headers))).toBeNull();
  });

  const LINES = ["content-length: 5", "content-length: 17", "content-length:5 ", "content-length: x", "x-a: b"];
  const MORE = ["transfer-encoding: chunked", "connection: close", "content-length: 5", "x-request-id: r", "host: x"];
  // Few values, so that heads repeat.
  const some = fc.tuple(fc.constantFrom(...LINES), fc.constantFrom([], [], ...MORE.map((line) => [line])));

  test("a head that is recognized has the content that parsing it would give", () => {
    let known = 0;
    fc.assert(
      fc.property(fc.array(some, { minLength: 2, maxLength: 6 }), (heads) => {
        let last: RequestHead | null = null;
        for (const text of heads.map(([line, more]) => next(line, ...more))) {
          const again: RequestHead | null = last === null ? null : (last as RequestHead).again(text);
          const read = readOrNull(text);
          if (again !== null) {
            known += 1;
            expect(shown(again)).toEqual(shown(read));
          }
          last = again ?? read;
        }
      }),
      { numRuns: 2000 },
    );
    expect(known).toBeGreaterThan(50);
  });
});

function readOrNull(text: string): RequestHead | null {
  try {
    return RequestHead.read(text);
  } catch {
    return null;
  }
}

function shown(head: RequestHead | null): unknown {
  if (head === null) return null;
  const { method, path, query, framing, is_1_0, keeps_alive, expects_continue } = head;
  const names = ["host", "authorization", "x-request-id", "x-a", "transfer-encoding", "connection"];
  return {
    method,
    path,
    query,
    framing,
    is_1_0,
    keeps_alive,
    expects_continue,
    values: names.map((name) => head.get(name)),
  };
}
