import { describe, expect, test } from "bun:test";
import { MalformedMessage } from "../grammar/malformed-message.ts";
import { RequestHead, TooManyHeaders } from "./request-head.ts";

function head(...lines: string[]): RequestHead {
  return new RequestHead(lines.join("\r\n"));
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
    "Anthropic-Version: 2023-06-01",
    "anthropic-beta: one",
    "Anthropic-Beta: two",
  );
  expect(found.get("authorization")).toBe("Bearer  a");
  expect(found.get("x-api-key")).toBe("b, c");
  expect(found.get("X-TAG")).toBe("one, two");
  expect(found.get("anthropic-version")).toBe("2023-06-01");
  expect(found.get("anthropic-beta")).toBe("one, two");
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
