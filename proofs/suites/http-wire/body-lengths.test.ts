import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chat } from "../failures/support/styles.ts";
import { CANARY, chunked, headOf, request } from "./support/requests.ts";
import { AUTHORIZATION, startWireScene, type WireScene } from "./support/wire-scene.ts";

/**
 * The end of a body. A length that two servers could read differently is refused and ends the connection: one server
 * would take for a body what the other answers as a request (request smuggling).
 */

const LIMIT_BYTES = 192 * 1024;
const BODY = JSON.stringify(chat.body("acme/echo"));
const LENGTH = `content-length: ${BODY.length}`;
const CHUNKED = "transfer-encoding: chunked";

let wire: WireScene;

beforeAll(async () => {
  wire = await startWireScene({ limits: { body: `${LIMIT_BYTES / 1024}KiB` } });
});

afterAll(async () => {
  await wire[Symbol.asyncDispose]();
});

function head(...headers: readonly string[]): string {
  return headOf("POST /v1/chat/completions HTTP/1.1", "host: x", AUTHORIZATION + wire.key.key, ...headers);
}

const inChunks = (): string => chunked(BODY).toString("latin1");
/** A chunked body that is sound up to the given text, which takes the place of a chunk's size. */
const afterChunk = (text: string): string => `${head(CHUNKED)}${BODY.length.toString(16)}\r\n${BODY}\r\n${text}`;
/** The only chunk, its size and its extension as given. */
const sized = (size: string): string => `${head(CHUNKED)}${size}\r\n${BODY}\r\n0\r\n\r\n`;
const SIZE = BODY.length.toString(16);

describe("a body's length", () => {
  test.each([
    ["in decimal digits", () => head(LENGTH) + BODY],
    ["with zeros in front", () => head(`content-length: 000${BODY.length}`) + BODY],
    ["with spaces and tabs around it", () => head(`content-length: \t ${BODY.length} \t`) + BODY],
    ["in chunks", () => head(CHUNKED) + inChunks()],
    ["in chunks, spelled in capitals", () => head("TRANSFER-ENCODING: CHUNKED") + inChunks()],
    ["in chunks, whose sizes are in capitals with zeros in front", () => sized(`000${SIZE.toUpperCase()}`)],
    ["in chunks, with a trailer behind", () => `${afterChunk("0")}\r\nx-trailer: 1\r\nx-other: 2\r\n\r\n`],
    ["in chunks, with a length in the trailer", () => `${afterChunk("0")}\r\ncontent-length: 400\r\n\r\n`],
    ["in chunks, the last of many zeros", () => `${afterChunk("0000")}\r\n\r\n`],
  ])("%s is read, and what follows is the next request", async (_name, text) => {
    using client = await wire.open();
    client.send(text()).send(CANARY).send(text());
    await client.answer(2);
    expect(client.statuses).toEqual([200, 200, 200]);
    expect(client.answers[0]?.text).toContain("Say one two three.");
    expect(client.answers[1]?.text).toContain("openapi");
    expect(client.answers[2]?.text).toContain("Say one two three.");
  });

  test.each([
    ["an extension", () => sized(`${SIZE};a=b`)],
    ["an extension in quotes", () => sized(`${SIZE};a="b;c"`)],
    ["an extension without a value", () => sized(`${SIZE};a`)],
    ["two equal lengths", () => head(LENGTH, LENGTH) + BODY],
    ["two equal lengths, one with a zero in front", () => head(LENGTH, `content-length: 0${BODY.length}`) + BODY],
  ])("with %s is read or refused, and what follows is a request or nothing", async (_name, text) => {
    using client = await wire.open();
    client.send(text()).send(CANARY);
    const first = await client.answer();
    if (first.status === 200) return expect((await client.answer(1)).text).toContain("openapi");
    expect(first.status).toBe(400);
    expect(await client.ended()).toHaveLength(1);
  });

  test("of zero is an empty body, and so is a missing length", async () => {
    using client = await wire.open();
    client
      .send(head("content-length: 0"))
      .send(head())
      .send(`${head(CHUNKED)}0\r\n\r\n`)
      .send(CANARY);
    await client.answer(3);
    expect(client.statuses).toEqual([400, 400, 400, 200]);
    for (const { text } of client.answers.slice(0, 3)) expect(text).toContain('"code":"invalid_json"');
  });
});

const AMBIGUOUS: readonly (readonly [name: string, text: () => string])[] = [
  ["a length and chunks", () => head(`content-length: ${inChunks().length}`, CHUNKED) + inChunks()],
  ["chunks and a length that is too short", () => head(CHUNKED, "content-length: 4") + inChunks()],
  ["chunks and a length of zero", () => head(CHUNKED, "content-length: 0") + inChunks()],
  ["no body but for those who read the chunks", () => `${head("content-length: 5", CHUNKED)}0\r\n\r\n`],
  ["a length and an encoding in capitals", () => head(LENGTH, "Transfer-Encoding: CHUNKED") + BODY],
  ["two lengths, the second too short", () => head(LENGTH, "content-length: 4") + BODY],
  ["two lengths, the first too short", () => head("Content-Length: 4", LENGTH) + BODY],
];

const LENGTHS: readonly (readonly [name: string, value: () => string])[] = [
  ["a list", () => `${BODY.length}, 4`],
  ["a list of one", () => `${BODY.length},`],
  ["a list of the same", () => `${BODY.length}, ${BODY.length}`],
  ["a list without spaces", () => `${BODY.length},${BODY.length}`],
  ["a sign", () => `+${BODY.length}`],
  ["a negative number", () => `-${BODY.length}`],
  ["a negative zero", () => "-0"],
  ["a hexadecimal number", () => `0x${BODY.length.toString(16)}`],
  ["hexadecimal digits", () => "9a"],
  ["a fraction", () => `${BODY.length}.0`],
  ["an exponent", () => "1e2"],
  ["digits with a space inside", () => `${Math.floor(BODY.length / 10)} ${BODY.length % 10}`],
  ["digits with a tab inside", () => "1\t0"],
  ["an underscore", () => "1_0"],
  ["a quoted number", () => `"${BODY.length}"`],
  ["nothing", () => ""],
  ["a word", () => "chunked"],
  ["a parameter", () => `${BODY.length};a=b`],
  ["digits beyond ASCII", () => Buffer.from("１２").toString("latin1")],
  ["a vertical tab before it", () => `\v${BODY.length}`],
  ["a zero byte behind it", () => `${BODY.length}\0`],
  ["a non-breaking space behind it", () => `${BODY.length}\xa0`],
];

const ENCODINGS: readonly (readonly [name: string, line: string])[] = [
  ["an unknown one", "transfer-encoding: xchunked"],
  ["one that begins like it", "transfer-encoding: chunkedx"],
  ["identity", "transfer-encoding: identity"],
  ["gzip", "transfer-encoding: gzip"],
  ["gzip before chunks", "transfer-encoding: gzip, chunked"],
  ["chunks before identity", "transfer-encoding: chunked, identity"],
  ["identity before chunks", "transfer-encoding: identity, chunked"],
  ["chunks twice in a list", "transfer-encoding: chunked, chunked"],
  ["chunks twice in two headers", "transfer-encoding: chunked\r\ntransfer-encoding: chunked"],
  ["chunks in a second header", "transfer-encoding: identity\r\ntransfer-encoding: chunked"],
  ["chunks in a first header", "transfer-encoding: chunked\r\ntransfer-encoding: x"],
  ["chunks and nothing", "transfer-encoding: chunked\r\ntransfer-encoding:"],
  ["nothing", "transfer-encoding:"],
  ["nothing but a comma", "transfer-encoding: ,"],
  ["a list that ends in a comma", "transfer-encoding: chunked,"],
  ["a list that begins with a comma", "transfer-encoding: ,chunked"],
  ["a parameter", "transfer-encoding: chunked;q=1"],
  ["quotes", 'transfer-encoding: "chunked"'],
  ["a space before the colon", "transfer-encoding : chunked"],
  ["a tab before the colon", "transfer-encoding\t: chunked"],
  ["a vertical tab before the value", "transfer-encoding: \vchunked"],
  ["a form feed before the value", "transfer-encoding: \fchunked"],
  ["a zero byte before the value", "transfer-encoding: \0chunked"],
  ["a zero byte behind the value", "transfer-encoding: chunked\0"],
  ["a zero byte in the name", "transfer-encoding\0: chunked"],
  ["a continuation", "transfer-encoding:\r\n chunked"],
  ["a continuation by a tab", "transfer-encoding:\r\n\tchunked"],
  ["a header that another one hides", "x-a: b\ntransfer-encoding: chunked"],
  ["a carriage return that hides it", "x-a: b\rtransfer-encoding: chunked"],
  ["a space in front of the name", " transfer-encoding: chunked"],
  ["a byte beyond ASCII behind the value", "transfer-encoding: chunked\xa0"],
  [
    "a Kelvin sign for its k",
    "transfer-encoding: chun\u212Aed".replace("\u212A", Buffer.from("\u212A").toString("latin1")),
  ],
];

const CHUNKS: readonly (readonly [name: string, text: () => string])[] = [
  ["a size with a prefix", () => sized(`0x${SIZE}`)],
  ["a size with a sign", () => sized(`+${SIZE}`)],
  ["a negative size", () => sized("-1")],
  ["a negative zero", () => sized("-0")],
  ["a size with a space in front", () => sized(` ${SIZE}`)],
  ["a size with a space behind", () => sized(`${SIZE} `)],
  ["a size with a tab behind", () => sized(`${SIZE}\t`)],
  ["a size with a space inside", () => sized(`${SIZE[0]} ${SIZE.slice(1)}`)],
  ["a size with an underscore", () => sized(`0_${SIZE}`)],
  ["a size with a zero byte", () => sized(`${SIZE}\0`)],
  ["an empty size", () => sized("")],
  ["an extension and no size", () => sized(";a=b")],
  ["a size that is no number", () => sized("xyz")],
  ["a size of digits beyond ASCII", () => sized(Buffer.from("５").toString("latin1"))],
  ["a size that ends in h", () => sized(`${SIZE}h`)],
  ["a size in a list", () => sized(`${SIZE},${SIZE}`)],
  ["a size beyond numbers", () => sized("FFFFFFFFFFFFFFFFF")],
  ["a size that is zero to 64 bits", () => sized("10000000000000000")],
  ["a size that is right to 64 bits", () => sized(`1000000000000${SIZE.padStart(4, "0")}`)],
  ["a size that is right to 32 bits", () => sized(`1${SIZE.padStart(8, "0")}`) + " ".repeat(LIMIT_BYTES)],
  ["a size that is negative to 64 bits", () => sized("FFFFFFFFFFFFFFFE")],
  ["a size beyond exact numbers", () => sized("20000000000001")],
  ["a size of endless zeros", () => sized(`${"0".repeat(20_000)}${SIZE}`)],
  ["an endless extension", () => sized(`${SIZE};a=${"b".repeat(40_000)}`)],
  ["an extension with a bare line feed", () => sized(`${SIZE};a\n${SIZE}`)],
  ["an extension with a bare carriage return", () => sized(`${SIZE};a\r${SIZE}`)],
  ["an extension with a zero byte", () => sized(`${SIZE};\0`)],
  ["a size that ends in a bare line feed", () => `${head(CHUNKED)}${SIZE}\n${BODY}\r\n0\r\n\r\n`],
  ["a size that ends in a bare carriage return", () => `${head(CHUNKED)}${SIZE}\r${BODY}\r\n0\r\n\r\n`],
  ["a size that ends in two carriage returns", () => `${head(CHUNKED)}${SIZE}\r\r\n${BODY}\r\n0\r\n\r\n`],
  ["a chunk longer than its size", () => `${head(CHUNKED)}1\r\n${BODY}\r\n0\r\n\r\n`],
  ["a chunk that ends in nothing", () => `${head(CHUNKED)}${SIZE}\r\n${BODY}0\r\n\r\n`],
  ["a chunk that ends in a bare line feed", () => `${head(CHUNKED)}${SIZE}\r\n${BODY}\n0\r\n\r\n`],
  ["a chunk that ends in a bare carriage return", () => `${head(CHUNKED)}${SIZE}\r\n${BODY}\r0\r\n\r\n`],
  ["a chunk that ends in two line ends", () => afterChunk("\r\n0\r\n\r\n")],
  ["a chunk that ends in two spaces", () => `${head(CHUNKED)}${SIZE}\r\n${BODY}  0\r\n\r\n`],
  ["a last chunk that ends in a bare line feed", () => afterChunk("0\n\r\n")],
  ["an end that is a bare line feed", () => afterChunk("0\r\n\n")],
  ["an end that is two bare line feeds", () => afterChunk("0\n\n")],
  ["an end that is a bare carriage return", () => afterChunk("0\r\n\r\r\n")],
  ["line feeds throughout", () => head(CHUNKED) + inChunks().replaceAll("\r\n", "\n")],
  ["a trailer without a colon", () => afterChunk("0\r\ntrailer\r\n\r\n")],
  ["a trailer with a space before its colon", () => afterChunk("0\r\nx-a : b\r\n\r\n")],
  ["a trailer that is continued", () => afterChunk("0\r\nx-a: b\r\n c\r\n\r\n")],
  ["a trailer with a bare line feed", () => afterChunk("0\r\nx-a: b\nx-c: d\r\n\r\n")],
  ["a trailer with a zero byte", () => afterChunk("0\r\nx-a: \0\r\n\r\n")],
  ["a request for a trailer", () => afterChunk("0\r\nGET /openapi.json HTTP/1.1\r\n\r\n")],
  ["a trailer that never ends", () => afterChunk(`0\r\nx-a: ${"a".repeat(64_000)}`)],
  ["trailers that never end", () => afterChunk(`0\r\n${"x-a: b\r\n".repeat(10_000)}`)],
];

describe("an ambiguous request gets one refusal, and nothing behind it is answered:", () => {
  test.concurrent.each(AMBIGUOUS)("%s", async (_name, text) => {
    await wire.expectRefused(text(), [400]);
  });

  test.concurrent.each(LENGTHS)("a length that is %s", async (_name, value) => {
    await wire.expectRefused(head(`content-length: ${value()}`) + BODY, [400]);
  });

  test.concurrent.each(ENCODINGS)("an encoding that is, or has, %s", async (_name, line) => {
    await wire.expectRefused(head(line) + inChunks(), [400]);
  });

  test.concurrent.each(ENCODINGS)("a length, and an encoding that is, or has, %s", async (_name, line) => {
    await wire.expectRefused(head(LENGTH, line) + BODY, [400]);
    await wire.expectRefused(head(line, LENGTH) + BODY, [400]);
  });

  test.concurrent.each(CHUNKS)("chunks with %s", async (_name, text) => {
    await wire.expectRefused(text(), [400, 413, 431]);
  });

  test.concurrent.each([
    ["chunks", () => CHUNKED, inChunks],
    ["chunks and a length", () => `${CHUNKED}\r\n${LENGTH}`, () => BODY],
  ])("%s in HTTP/1.0", async (_name, headers, body) => {
    const lines = ["POST /v1/chat/completions HTTP/1.0", "host: x", AUTHORIZATION + wire.key.key, headers()];
    await wire.expectRefused(headOf(...lines) + body(), [400]);
    await wire.expectRefused(headOf(...lines, "connection: keep-alive") + body(), [400]);
  });

  test.concurrent.each([
    ["beyond exact numbers", "9007199254740993"],
    ["beyond 64 bits", "18446744073709551617"],
    ["right to 32 bits", String(2 ** 32 + BODY.length)],
    ["of a thousand digits", "9".repeat(1000)],
  ])("a length %s", async (_name, length) => {
    await wire.expectRefused(head(`content-length: ${length}`) + BODY, [400, 413]);
  });
});

describe("the body of a request that is answered without its body", () => {
  const body = CANARY;
  const refused: readonly (readonly [name: string, first: string, status: number])[] = [
    ["an unknown path", "POST /nowhere HTTP/1.1\r\nhost: x", 404],
    ["a path that takes no POST", "POST /healthz HTTP/1.1\r\nhost: x", 405],
    ["a method that the path does not take", "PUT /v1/chat/completions HTTP/1.1\r\nhost: x", 405],
    ["no key", "POST /v1/chat/completions HTTP/1.1\r\nhost: x", 401],
    ["no key, on messages", "POST /v1/messages HTTP/1.1\r\nhost: x", 401],
    ["a wrong key", "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ck-no-such-key", 401],
    ["a GET", "GET /healthz HTTP/1.1\r\nhost: x", 200],
    ["a GET of the catalogue without a key", "GET /v1/models HTTP/1.1\r\nhost: x", 401],
    ["a DELETE", "DELETE /v1/models HTTP/1.1\r\nhost: x", 405],
  ];

  /** Expects the status, and that a request behind the body is answered or the connection ends. */
  async function expectNothingRead(bytes: string | Uint8Array, status: number): Promise<void> {
    using client = await wire.open();
    client.send(bytes);
    const first = await client.answer();
    expect(first.status).toBe(status);
    client.send(request({ headers: ["x-request-id: behind"] }));
    if (first.headers.get("connection") === "close") {
      expect(await client.ended()).toHaveLength(1);
      return;
    }
    const second = await client.answer(1);
    expect([second.status, second.headers.get("x-request-id")]).toEqual([200, "behind"]);
    expect(client.answers).toHaveLength(2);
  }

  test.concurrent.each(refused)("is not read as a request: %s, with a length", async (_name, first, status) => {
    await expectNothingRead(`${first}\r\ncontent-length: ${body.length}\r\n\r\n${body}`, status);
  });

  test.concurrent.each(refused)("is not read as a request: %s, in chunks", async (_name, first, status) => {
    await expectNothingRead(`${first}\r\n${CHUNKED}\r\n\r\n${chunked(body)}`, status);
  });

  test.concurrent.each(refused)("is no request: %s, after the answer", async (_name, first, status) => {
    using client = await wire.open();
    client.send(`${first}\r\ncontent-length: ${body.length}\r\n\r\n`);
    const closes = (await client.answer()).headers.get("connection") === "close";
    await client.sendPieces([body.subarray(0, 10), body.subarray(10), request({ headers: ["x-request-id: behind"] })]);
    if (closes) expect(await client.ended()).toHaveLength(1);
    else expect((await client.answer(1)).headers.get("x-request-id")).toBe("behind");
    expect(client.answers[0]?.status).toBe(status);
  });

  test.concurrent.each(refused)("may be of 3 MB: %s", async (_name, first, status) => {
    const large = Buffer.alloc(3_000_000, CANARY);
    const text = `${first}\r\ncontent-length: ${large.length}\r\n\r\n`;
    await expectNothingRead(Buffer.concat([Buffer.from(text), large]), status);
  });

  test.concurrent.each(refused.slice(0, 4))("may be broken: %s, in chunks", async (_name, first, status) => {
    using client = await wire.open();
    client.send(`${first}\r\n${CHUNKED}\r\n\r\n5\r\nabc\r\nGET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n`);
    expect((await client.answer()).status).toBe(status);
    client.send(CANARY).send(CANARY);
    const answers = await client.ended();
    for (const { text } of answers) expect(text).not.toContain("openapi");
  });
});

test("no request, hold or fault is left at the end", async () => {
  await wire.expectAtRest();
});
