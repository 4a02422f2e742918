import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { messages } from "../failures/support/styles.ts";
import { CANARY, cut, headOf, request } from "./support/requests.ts";
import { startWireScene, type WireScene } from "./support/wire-scene.ts";

/** Request lines and headers: which are accepted, and which are refused with an answer and a closed connection. */

const HEAD_LIMIT_BYTES = 16 * 1024;
const MOST_HEADERS = 200;

let wire: WireScene;

beforeAll(async () => {
  wire = await startWireScene();
});

afterAll(async () => {
  await wire[Symbol.asyncDispose]();
});

/** A request with the row's request line and an otherwise sound head. */
const line = (text: string): string => headOf(text, "host: x");
const field = (text: string): string => headOf("GET /healthz HTTP/1.1", "host: x", text, "x-last: 1");

describe("a request line", () => {
  test.each([
    ["in origin form", line("GET /healthz HTTP/1.1"), 200],
    ["with a query", line("GET /healthz?a=b&c=/d?e HTTP/1.1"), 200],
    ["with an empty query", line("GET /healthz? HTTP/1.1"), 200],
    ["in absolute form", line("GET http://elsewhere/healthz HTTP/1.1"), 200],
    ["in absolute form with a port and a query", line("GET http://elsewhere:81/healthz?a=b HTTP/1.1"), 200],
    ["in absolute form, its scheme in capitals", line("GET HTTP://elsewhere/healthz HTTP/1.1"), 200],
    ["in absolute form without a path", line("GET http://elsewhere HTTP/1.1"), 404],
    ["in absolute form with a query alone", line("GET http://elsewhere?/healthz HTTP/1.1"), 404],
    ["that asks what the server can do", line("OPTIONS * HTTP/1.1"), 404],
    ["after an empty line", `\r\n${line("GET /healthz HTTP/1.1")}`, 200],
    ["after two empty lines", `\r\n\r\n${line("GET /healthz HTTP/1.1")}`, 200],
    ["whose path begins with two slashes", line("GET //healthz HTTP/1.1"), 404],
    ["whose path looks like a URL", line("GET /http://x/healthz HTTP/1.1"), 404],
    ["whose method is spelled in small letters", line("get /healthz HTTP/1.1"), 405],
    ["whose method nobody knows", line("BREW /healthz HTTP/1.1"), 405],
    ["whose method has every sign that one may have", line("!#$%&'*+-.^_`|~09 /healthz HTTP/1.1"), 405],
  ])("%s is read", async (_name, text, status) => {
    using client = await wire.open();
    client.send(text);
    expect((await client.answer()).status).toBe(status);
    client.send(request());
    expect((await client.answer(1)).status).toBe(200);
  });

  test.concurrent.each([
    ["two spaces before the target", "GET  /healthz HTTP/1.1"],
    ["two spaces before the version", "GET /healthz  HTTP/1.1"],
    ["a space in front", " GET /healthz HTTP/1.1"],
    ["a space behind", "GET /healthz HTTP/1.1 "],
    ["a tab for a space", "GET\t/healthz HTTP/1.1"],
    ["a vertical tab for a space", "GET /healthz\vHTTP/1.1"],
    ["a space in the target", "GET /health z HTTP/1.1"],
    ["no version", "GET /healthz"],
    ["no target", "GET HTTP/1.1"],
    ["no method", "/healthz HTTP/1.1"],
    ["an empty method", " /healthz HTTP/1.1"],
    ["nothing but a word", "GET"],
    ["a method that is no token", "GE(T /healthz HTTP/1.1"],
    ["a method with a colon", "GET: /healthz HTTP/1.1"],
    ["a method with a zero byte", "GE\0T /healthz HTTP/1.1"],
    ["a method beyond ASCII", "G\xcbT /healthz HTTP/1.1"],
    ["a target without a slash", "GET healthz HTTP/1.1"],
    ["a target that is a question mark", "GET ?/healthz HTTP/1.1"],
    ["an asterisk, but for OPTIONS", "GET * HTTP/1.1"],
    ["an authority", "CONNECT x:80 HTTP/1.1"],
    ["another scheme", "GET ftp://x/healthz HTTP/1.1"],
    ["a scheme and no host", "GET http:///healthz HTTP/1.1"],
    ["a scheme and a path", "GET http:/healthz HTTP/1.1"],
    ["a zero byte in the target", "GET /health\0z HTTP/1.1"],
    ["a control character in the target", "GET /health\x1fz HTTP/1.1"],
    ["a DEL in the target", "GET /health\x7fz HTTP/1.1"],
    ["a bare carriage return in it", "GET /healthz\rHTTP/1.1"],
    ["a bare carriage return at its end", "GET /healthz HTTP/1.1\r\r\n"],
    ["a bare line feed at its end", "GET /healthz HTTP/1.1\nx-a: b"],
    ["the start of a TLS handshake", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03abc"],
    ["many empty lines before it", `${"\r\n".repeat(1000)}GET /healthz HTTP/1.1`],
    ["a bare line feed before it", "\nGET /healthz HTTP/1.1"],
    ["a bare carriage return before it", "\rGET /healthz HTTP/1.1"],
  ])("with %s is refused", async (_name, text) => {
    await wire.expectRefused(line(text), [400]);
  });

  test.concurrent.each([
    ["0.9", "HTTP/0.9"],
    ["2.0", "HTTP/2.0"],
    ["3", "HTTP/3"],
    ["1.2", "HTTP/1.2"],
    ["1.10", "HTTP/1.10"],
    ["01.1", "HTTP/01.1"],
    ["1", "HTTP/1"],
    ["1,1", "HTTP/1,1"],
    ["none at all", "HTTP/"],
    ["of a name in small letters", "http/1.1"],
    ["of another protocol", "RTSP/1.0"],
    ["of letters", "HTTP/x.y"],
    ["with a sign", "HTTP/+1.1"],
  ])("with a version %s is refused", async (_name, version) => {
    await wire.expectRefused(line(`GET /healthz ${version}`), [400]);
  });

  test("of HTTP/2 with prior knowledge is refused once", async () => {
    await wire.expectRefused("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00", [400]);
  });
});

describe("a header", () => {
  const idOf = (id: string): string => headOf("GET /healthz HTTP/1.1", "host: x", id);

  test.each([
    ["with a name in any case", idOf("X-Request-ID: mine"), "mine"],
    ["without a space behind its colon", idOf("x-request-id:mine"), "mine"],
    ["with spaces and tabs around its value", idOf("x-request-id: \t mine \t "), "mine"],
    ["that is empty, beside others", idOf("x-empty:\r\nx-request-id: mine"), "mine"],
    ["that has a tab inside and bytes beyond ASCII", idOf("x-a: b\tc\xe9\xff\r\nx-request-id: mine"), "mine"],
    ["whose name has every sign that one may have", idOf("!#$%&'*+-.^_`|~09aZ: b\r\nx-request-id: mine"), "mine"],
    ["whose value looks like a header", idOf("x-a: x-request-id: other\r\nx-request-id: mine"), "mine"],
  ])("%s is read", async (_name, text, shown) => {
    using client = await wire.open();
    client.send(text);
    const { status, headers } = await client.answer();
    expect([status, headers.get("x-request-id")]).toEqual([200, shown]);
  });

  test("that comes twice has both values joined, so that a repeated id is not valid", async () => {
    using client = await wire.open();
    client.send(idOf("x-request-id: one\r\nX-Request-Id: two"));
    expect((await client.answer()).headers.get("x-request-id")).toMatch(/^req_/);
  });

  test("that comes twice reaches the vendor as a list in its order", async () => {
    using client = await wire.open();
    const headers = ["anthropic-beta: one", "Anthropic-Beta: two,three"];
    client.send(wire.call("acme/echo", { style: messages, headers }));
    expect((await client.answer()).status).toBe(200);
    expect(wire.scene.simulator.log.last?.headers["anthropic-beta"]).toBe("one, two,three");
  });

  test.concurrent.each([
    ["a space before its colon", "x-a : b"],
    ["a tab before its colon", "x-a\t: b"],
    ["no colon", "x-a"],
    ["no name", ": b"],
    ["a space in its name", "x a: b"],
    ["a parenthesis in its name", "x(a: b"],
    ["a zero byte in its name", "x\0a: b"],
    ["a byte beyond ASCII in its name", "x\xe9: b"],
    ["a continuation after a space", "x-a: b\r\n c"],
    ["a continuation after a tab", "x-a: b\r\n\tc"],
    ["a continuation of nothing but a space", "x-a: b\r\n "],
    ["a bare line feed in it", "x-a: b\nc"],
    ["a bare line feed before another header", "x-a: b\nx-c: d"],
    ["a bare line feed that ends the head", "x-a: b\n\nGET /openapi.json HTTP/1.1"],
    ["a bare carriage return in it", "x-a: b\rc"],
    ["a bare carriage return before another header", "x-a: b\rx-c: d"],
    ["a bare carriage return that ends the head", "x-a: b\r\r\n"],
    ["a zero byte in its value", "x-a: b\0c"],
    ["a zero byte at its end", "x-a: b\0"],
    ["a control character in its value", "x-a: b\x01c"],
    ["a vertical tab in its value", "x-a: b\vc"],
    ["a form feed around its value", "x-a: \fb"],
    ["an escape in its value", "x-a: b\x1bc"],
    ["a DEL in its value", "x-a: b\x7fc"],
    ["a second host", "host: x"],
    ["a second, other host", "Host: y"],
  ])("with %s is refused", async (_name, text) => {
    await wire.expectRefused(field(text), [400]);
  });

  test.concurrent.each([
    ["begins with a space", headOf("GET /healthz HTTP/1.1", " host: x", "x-a: b")],
    ["begins with a continuation", headOf("GET /healthz HTTP/1.1", "\tcontinued", "host: x")],
    ["has no host", headOf("GET /healthz HTTP/1.1", "x-a: b")],
    ["has no header", headOf("GET /healthz HTTP/1.1")],
    ["ends its lines with line feeds", "GET /healthz HTTP/1.1\nhost: x\n\n"],
  ])("a head that %s is refused", async (_name, text) => {
    await wire.expectRefused(text, [400]);
  });

  test("named host is not required of HTTP/1.0", async () => {
    using client = await wire.open();
    client.send(headOf("GET /healthz HTTP/1.0"));
    expect((await client.ended()).map(({ status }) => status)).toEqual([200]);
  });

  test.each([['"><script>'], ["a b"], ["a/b"], ["a@b"], ["[::1"], ["x:port"], [""], ["\xe9"], [`${"a".repeat(5000)}`]])(
    "named host, %j, breaks no address that is made from it",
    async (host) => {
      using client = await wire.open();
      client.send(headOf("GET /openapi.json HTTP/1.1", `host: ${host}`));
      expect([200, 400]).toContain((await client.answer()).status);
    },
  );
});

describe("a head's size", () => {
  /** A head of exactly `bytes` bytes, without the empty line at its end. */
  function headOfSize(bytes: number): string {
    const rest = headOf("GET /healthz HTTP/1.1", "host: x", "x-a: ").length - "\r\n\r\n".length;
    return headOf("GET /healthz HTTP/1.1", "host: x", `x-a: ${"a".repeat(bytes - rest)}`);
  }

  const manyHeaders = (count: number): string =>
    headOf("GET /healthz HTTP/1.1", "host: x", ...Array.from({ length: count - 1 }, (_, n) => `x-${n}: a`));

  test("may be 16 KiB, in few or in many headers, and in pieces", async () => {
    using client = await wire.open();
    const largest = Buffer.from(headOfSize(HEAD_LIMIT_BYTES));
    client.send(largest).send(manyHeaders(MOST_HEADERS)).send(CANARY);
    for (let missing = 1; missing <= 5; missing += 1) await client.sendPieces(cut(largest, [largest.length - missing]));
    await client.answer(7);
    expect(client.statuses).toEqual(client.statuses.map(() => 200));
  });

  test.concurrent.each([
    ["a byte more", headOfSize(HEAD_LIMIT_BYTES + 1)],
    ["a large header", headOfSize(40_000)],
    ["a header of a megabyte", headOfSize(1_000_000)],
    ["a header too many", manyHeaders(MOST_HEADERS + 1)],
    ["2,000 headers", manyHeaders(2000)],
    ["a long target", line(`GET /${"a".repeat(HEAD_LIMIT_BYTES)} HTTP/1.1`)],
    ["a long method", line(`${"A".repeat(HEAD_LIMIT_BYTES)} / HTTP/1.1`)],
    ["a header that never ends", `GET /healthz HTTP/1.1\r\nhost: x\r\nx-a: ${"a".repeat(HEAD_LIMIT_BYTES)}`],
    ["a request line that never ends", `GET /${"a".repeat(HEAD_LIMIT_BYTES)}`],
    ["headers that never end", `GET /healthz HTTP/1.1\r\nhost: x\r\n${"a: b\r\n".repeat(HEAD_LIMIT_BYTES / 6)}`],
    ["a word that never ends", "A".repeat(HEAD_LIMIT_BYTES + 1)],
  ])("beyond it, by %s, is 431", async (_name, text) => {
    const answer = await wire.expectRefused(text, [431]);
    expect(answer.text).toContain('"code":"headers_too_large"');
  });

  test("counts for each head separately, wherever the pieces are cut", async () => {
    using client = await wire.open();
    const bytes = Buffer.from(headOfSize(15_000).repeat(4));
    await client.sendPieces(cut(bytes, [10_000, 20_000, 30_000, 40_000, 50_000]));
    await client.answer(3);
    expect(client.statuses).toEqual([200, 200, 200, 200]);
  });

  test("is counted while it trickles", async () => {
    using client = await wire.open();
    client.send("GET /healthz HTTP/1.1\r\nhost: x\r\n");
    for (let sent = 0; sent <= HEAD_LIMIT_BYTES && client.ending === null; sent += 512) {
      await client.sendPieces([Buffer.from(`x-${sent}: ${"a".repeat(500)}\r\n`)]);
    }
    const [answer] = await client.ended();
    expect(answer?.status).toBe(431);
  });
});

test("no request, hold or fault is left at the end", async () => {
  await wire.expectAtRest();
});
