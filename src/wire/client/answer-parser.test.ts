import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MalformedMessage } from "../grammar/malformed-message.ts";
import type { AnswerHead } from "./answer-head.ts";
import { AnswerParser } from "./answer-parser.ts";

interface Read {
  readonly heads: AnswerHead[];
  body: string;
  /** For each finished answer, whether it ended clean. */
  readonly ends: boolean[];
  malformed: string | null;
}

/** Feeds an answer in pieces of this size, then closes the connection. */
function read(wire: string | Buffer, piece_bytes: number, closes = false): Read {
  const found: Read = { heads: [], body: "", ends: [], malformed: null };
  const parser = new AnswerParser({
    head: (head, body) => {
      found.heads.push(head);
      found.body += Buffer.from(body?.takeWhole() ?? "").toString("latin1");
    },
    piece: (data) => {
      found.body += Buffer.from(data).toString("latin1");
    },
    end: (is_clean) => void found.ends.push(is_clean),
  });
  const bytes = typeof wire === "string" ? Buffer.from(wire, "latin1") : wire;
  try {
    for (let at = 0; at < bytes.length && found.ends.length === 0; at += piece_bytes)
      parser.feed(Buffer.from(bytes.subarray(at, at + piece_bytes)));
    if (closes) parser.close();
  } catch (thrown) {
    if (!(thrown instanceof MalformedMessage)) throw thrown;
    found.malformed = thrown.message;
  }
  return found;
}

const SIZES = [1, 7, 1_000_000] as const;
const HEAD = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;

/** Well-formed answers, with what the parser reads from them. They end by themselves unless `closes` is set. */
const GOOD: Record<string, { wire: string; body: string; keeps_alive?: boolean; status?: number; closes?: true }> = {
  "a body with a length": { wire: `${HEAD}Content-Length: 5\r\n\r\nhello`, body: "hello" },
  "an empty body": { wire: `${HEAD}content-length: 0\r\n\r\n`, body: "" },
  "two equal lengths": { wire: `${HEAD}Content-Length: 2\r\ncontent-length:2\r\n\r\nok`, body: "ok" },
  "a length with leading zeros": { wire: `${HEAD}Content-Length: 0002\r\n\r\nok`, body: "ok" },
  "a length between blanks, its name in mixed case": { wire: `${HEAD}cONTENT-Length:\t 2 \t\r\n\r\nok`, body: "ok" },
  "another header with a name of the same length": {
    wire: `${HEAD}Xontent-Length: 9\r\nContent.Length: 9\r\nContent-Length: 2\r\n\r\nok`,
    body: "ok",
  },
  "no reason": { wire: "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", body: "ok" },
  "an empty reason": { wire: "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok", body: "ok" },
  "an error status": { wire: "HTTP/1.1 529 Too busy\r\nContent-Length: 2\r\n\r\nno", body: "no", status: 529 },
  "no headers at all": { wire: "HTTP/1.1 200 OK\r\n\r\nall", body: "all", closes: true },
  "interim answers before the final answer": {
    wire: `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: </x>\r\nContent-Length: 9\r\n\r\n${HEAD}Content-Length: 2\r\n\r\nok`,
    body: "ok",
  },
  "a body in chunks": { wire: `${CHUNKED}5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n`, body: "hello!" },
  "chunk sizes in upper and lower case, with leading zeros": {
    wire: `${CHUNKED}00A\r\n0123456789\r\n0b\r\n0123456789a\r\n000\r\n\r\n`,
    body: "01234567890123456789a",
  },
  "chunks with extensions": { wire: `${CHUNKED}2;a=b;c="d;e"\r\nok\r\n1 ;x\r\n!\r\n0;last\r\n\r\n`, body: "ok!" },
  trailers: { wire: `${CHUNKED}2\r\nok\r\n0\r\nX-Cost: 3\r\nX-More:\r\n\r\n`, body: "ok" },
  "line breaks in the data": { wire: `${CHUNKED}6\r\n\r\n0\r\n\r\r\n0\r\n\r\n`, body: "\r\n0\r\n\r" },
  "the coding identity": { wire: `${HEAD}Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nok`, body: "ok" },
  "chunks and a length: chunks win, and the connection ends": {
    wire: `${HEAD}Content-Length: 99\r\nTransfer-Encoding: CHUNKED\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    body: "ok",
    keeps_alive: false,
  },
  "a body that ends with the connection": { wire: `${HEAD}X: y\r\n\r\nhello`, body: "hello", closes: true },
  "an answer with connection: close": {
    wire: `${HEAD}Connection: foo, Close\r\nContent-Length: 2\r\n\r\nok`,
    body: "ok",
    keeps_alive: false,
  },
  "two headers about the connection": {
    wire: `${HEAD}Connection: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok`,
    body: "ok",
    keeps_alive: false,
  },
  "HTTP/1.0": { wire: "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", body: "ok", keeps_alive: false },
  "HTTP/1.0 that keeps the connection": {
    wire: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
    body: "ok",
  },
  "status 204 with a length": {
    wire: "HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n",
    ...{ body: "", status: 204, keeps_alive: false },
  },
  "status 304 with chunks": {
    wire: "HTTP/1.1 304 No\r\nTransfer-Encoding: chunked\r\n\r\n",
    ...{ body: "", status: 304, keeps_alive: false },
  },
};

/** Malformed answers, with a part of the error's message. */
const BAD: Record<string, { wire: string; says: string }> = {
  "two different lengths": {
    wire: `${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`,
    says: "two content-lengths, 2 and 3",
  },
  "a list of lengths": { wire: `${HEAD}Content-Length: 2, 2\r\n\r\nok`, says: 'content-length is "2, 2"' },
  "two lengths in a line": { wire: `${HEAD}Content-Length: 2 2\r\n\r\nok`, says: 'content-length is "2 2"' },
  "a length with a sign": { wire: `${HEAD}Content-Length: +2\r\n\r\nok`, says: '"+2"' },
  "a negative length": { wire: `${HEAD}Content-Length: -2\r\n\r\nok`, says: '"-2"' },
  "a length in hex": { wire: `${HEAD}Content-Length: 0x2\r\n\r\nok`, says: '"0x2"' },
  "an empty length": { wire: `${HEAD}Content-Length:\r\n\r\nok`, says: '""' },
  "a length that is too large for a number": {
    wire: `${HEAD}Content-Length: 99999999999999999999\r\n\r\n`,
    says: "content-length",
  },
  "another coding": {
    wire: `${HEAD}Transfer-Encoding: gzip, chunked\r\n\r\n`,
    says: 'transfer-encoding is "gzip, chunked"',
  },
  "chunked twice": {
    wire: `${HEAD}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n`,
    says: "transfer-encoding",
  },
  "HTTP/2": { wire: "HTTP/2.0 200 OK\r\n\r\n", says: 'begins with "HTTP/2.0 200 OK"' },
  "another protocol": { wire: "SSH-2.0-OpenSSH\r\n\r\n", says: "SSH" },
  "a status of four digits": { wire: "HTTP/1.1 2000 OK\r\n\r\n", says: "begins with" },
  "a status of two digits": { wire: "HTTP/1.1 20 OK\r\n\r\n", says: "begins with" },
  "a status beyond 599": { wire: "HTTP/1.1 600 OK\r\n\r\n", says: "begins with" },
  "an empty line first": { wire: `\r\n${HEAD}Content-Length: 2\r\n\r\nok`, says: "begins with" },
  "bare line feeds": { wire: "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", says: "does not end with CR LF" },
  "a bare line feed in a header": { wire: `${HEAD}A: b\nc: d\r\n\r\n`, says: "does not end with CR LF" },
  "a bare carriage return in a header": {
    wire: `${HEAD}A: b\rc: d\r\nContent-Length: 0\r\n\r\n`,
    says: "does not end with CR LF",
  },
  "a NUL": { wire: `${HEAD}A: b\0c\r\n\r\n`, says: "NUL" },
  "a folded header": { wire: `${HEAD}A: b\r\n c\r\n\r\n`, says: 'no header: " c"' },
  "a space before the colon": { wire: `${HEAD}Content-Length : 2\r\n\r\nok`, says: "no header" },
  "a header without a colon": { wire: `${HEAD}Content-Length\r\n\r\n`, says: "no header" },
  "a header without a name": { wire: `${HEAD}: x\r\n\r\n`, says: "no header" },
  "a switch of protocols": { wire: "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", says: "changes to a protocol" },
  "a head without end": { wire: `${HEAD}A: ${"x".repeat(70_000)}`, says: "more than 65536 bytes" },
  "a head that is too long": { wire: `${HEAD}A: ${"x".repeat(70_000)}\r\n\r\n`, says: "more than 65536 bytes" },
  "a chunk without a size": { wire: `${CHUNKED}\r\nok`, says: "without a size" },
  "a chunk size with a sign": { wire: `${CHUNKED}-2\r\nok`, says: "without a size" },
  "a chunk size with a prefix": { wire: `${CHUNKED}0x2\r\nok`, says: "no hexadecimal number" },
  "a chunk that is too large": { wire: `${CHUNKED}fffffffffffffffff\r\n`, says: "too large" },
  "a chunk size of endless zeros": { wire: `${CHUNKED}${"0".repeat(5000)}`, says: "more than 4096 bytes" },
  "an endless extension": { wire: `${CHUNKED}2;${"x".repeat(5000)}`, says: "more than 4096 bytes" },
  "a bare line feed after a size": { wire: `${CHUNKED}2\nok`, says: "no hexadecimal number" },
  "a bare line feed in an extension": { wire: `${CHUNKED}2;a\nok`, says: "does not end with CR LF" },
  "a carriage return in an extension": { wire: `${CHUNKED}2;a\rb\r\nok`, says: "does not end with CR LF" },
  "data longer than its chunk": { wire: `${CHUNKED}2\r\nokay\r\n0\r\n\r\n`, says: "does not end with CR LF" },
  "an endless trailer": { wire: `${CHUNKED}0\r\nX: ${"x".repeat(5000)}`, says: "more than 4096 bytes" },
  "trailers without end": { wire: `${CHUNKED}0\r\n${"a: b\r\n".repeat(101)}`, says: "too many trailers" },
};

/** Well-formed beginnings of answers that are not complete. */
const CUT: Record<string, string> = {
  nothing: "",
  "a part of a head": "HTTP/1.1 200 OK\r\nContent-",
  "an interim answer alone": "HTTP/1.1 100 Continue\r\n\r\n",
  "a part of a body": `${HEAD}Content-Length: 5\r\n\r\nhell`,
  "a part of a chunk": `${CHUNKED}5\r\nhell`,
  "chunks without the last": `${CHUNKED}5\r\nhello\r\n`,
  "the last chunk without the end of the trailers": `${CHUNKED}5\r\nhello\r\n0\r\n`,
};

describe.each(SIZES)("in pieces of %d bytes", (size) => {
  test.each(Object.entries(GOOD))("%s", (_, { wire, body, keeps_alive = true, status = 200, closes = false }) => {
    const found = read(wire, size, closes);
    expect(found.malformed).toBeNull();
    expect({ body: found.body, ends: found.ends }).toEqual({ body, ends: [!closes] });
    expect(found.heads.map((head) => head.status)).toEqual([status]);
    expect(found.heads[0]?.keeps_alive).toBe(keeps_alive);
  });

  test.each(Object.entries(BAD))("%s is refused", (_, { wire, says }) => {
    const { malformed, ends } = read(wire, size);
    expect(malformed).toContain(says);
    expect(ends).toEqual([]);
  });

  test.each(Object.entries(CUT))("%s is incomplete, and broken when the connection closes", (_, wire) => {
    expect(read(wire, size)).toMatchObject({ malformed: null, ends: [] });
    expect(read(wire, size, true).malformed).toMatch(/there is none|breaks off/);
  });
});

test("bytes after an answer make its end unclean", () => {
  expect(read(`${HEAD}Content-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n`, 1000)).toMatchObject({
    body: "ok",
    ends: [false],
  });
  expect(read(`${CHUNKED}0\r\n\r\nx`, 1000).ends).toEqual([false]);
});

test("chunks that arrive together are handed on in one piece", () => {
  const pieces: string[] = [];
  const parser = new AnswerParser({ head() {}, piece: (data) => void pieces.push(data.toString()), end() {} });
  parser.feed(Buffer.from(`${CHUNKED}1\r\na\r\n3;x\r\nbcd\r\n4\r\nef`));
  parser.feed(Buffer.from("gh\r\n1\r\ni\r\n"));
  parser.feed(Buffer.from("1\r\nj\r\n0\r\n\r\n"));
  expect(pieces).toEqual(["abcdef", "ghi", "j"]);
});

test("a parser reads several answers one after the other", () => {
  const bodies: string[] = [];
  const parser = new AnswerParser({
    head: (_, body) => void (body && bodies.push(String(body.takeWhole()))),
    piece: (data) => void bodies.push(data.toString()),
    end() {},
  });
  for (const wire of [
    `${CHUNKED}2\r\nab\r\n0\r\nX: y\r\n\r\n`,
    `${HEAD}Content-Length: 2\r\n\r\ncd`,
    `${CHUNKED}2\r\nef\r\n0\r\n\r\n`,
  ])
    parser.feed(Buffer.from(wire));
  expect(bodies).toEqual(["ab", "cd", "ef"]);
});

test("headers are found in any case, joined, and decoded as latin1", () => {
  const [head] = read(
    `${HEAD}A: 1\r\nX-Name:\t caf\xe9 \r\na: 2\r\nContent-Encoding: GZIP\r\nContent-Encoding: br\r\n\r\n`,
    7,
  ).heads;
  expect([head?.get("A"), head?.get("x-name"), head?.get("missing")]).toEqual(["1, 2", "café", null]);
  expect(head?.content_encoding).toBe("gzip, br");
});

const chunk = fc.record({
  data: fc.uint8Array({ minLength: 1, maxLength: 9000 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
  extension: fc.constantFrom("", ";a", ' ;a="b c"', ";x=y;z"),
  upper: fc.boolean(),
});

test("a body does not depend on its chunks, nor on how its bytes were cut", () => {
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 6 }), fc.array(fc.nat(20_000), { maxLength: 12 }), (chunks, cuts) => {
      const sizeOf = (data: string, upper: boolean) => {
        const size = data.length.toString(16);
        return upper ? size.toUpperCase() : size;
      };
      const frames = chunks.map(({ data, extension, upper }) => `${sizeOf(data, upper)}${extension}\r\n${data}\r\n`);
      const wire = Buffer.from(`${CHUNKED}${frames.join("")}0\r\n\r\n`, "latin1");
      let body = "";
      const ends: boolean[] = [];
      const parser = new AnswerParser({
        head() {},
        piece: (data) => {
          body += data.toString("latin1");
        },
        end: (is_clean) => void ends.push(is_clean),
      });
      const places = [...new Set([0, ...cuts.filter((cut) => cut < wire.length), wire.length])].sort((a, b) => a - b);
      for (const [index, place] of places.slice(1).entries())
        parser.feed(Buffer.from(wire.subarray(places[index], place)));
      expect(body).toBe(chunks.map(({ data }) => data).join(""));
      expect(ends).toEqual([true]);
    }),
  );
});

test("any bytes are an answer, the beginning of an answer, or malformed, however they are cut", () => {
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc
      .tuple(fc.constantFrom(...Object.values(GOOD).map(({ wire }) => wire)), fc.nat(200), fc.nat(255))
      .map(([wire, at, byte]) => {
        const bytes = Buffer.from(wire, "latin1");
        bytes[at % bytes.length] = byte;
        return bytes;
      }),
  );
  const twoFaults = Buffer.from("HTTP/1.1 200 OK\0\nX: y\r\n\r\nhello", "latin1");
  fc.assert(
    fc.property(noise, fc.constantFrom(...SIZES), (bytes, size) => {
      const whole = read(bytes, 1_000_000);
      const cut = read(bytes, size);
      // Cut into pieces, the reading ends with the piece in which the answer ends: the bytes after it are not parsed. Of two faults in a head, the
      // one that is named depends on the cut.
      const shape = ({ heads, body, ends, malformed }: Read) => ({
        heads: heads.length,
        body,
        ends: ends.length,
        is_malformed: malformed !== null,
      });
      expect(shape(cut)).toEqual(shape(whole));
    }),
    { examples: [[twoFaults, 1]] },
  );
});
