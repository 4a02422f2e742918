import { GatewayError } from "../../../src/core/errors.ts";
import { MalformedMessage } from "../../../src/wire/grammar/malformed-message.ts";
import type { RequestHead } from "../../../src/wire/server/request-head.ts";
import { decodeText, RequestParser } from "../../../src/wire/server/request-parser.ts";
import { HTTP_WORDS } from "../inputs/odd-values.ts";
import { type ReferenceRequest, referenceRequests } from "./reference-http.ts";
import { Broken, expectSame, type FuzzTarget, piecesOf } from "./target.ts";

export const httpRequests: FuzzTarget = {
  name: "http-requests",
  promise: "requests are the same in pieces of any size, and are those that a plain strict reader finds",
  words: HTTP_WORDS,
  seeds,
  run,
};

const JSON_BODY = '{"model":"acme/echo","messages":[{"role":"user","content":"é😀"}]}';

function seeds(): Buffer[] {
  const head = (...lines: string[]): string => `${lines.join("\r\n")}\r\n\r\n`;
  const post = "POST /v1/chat/completions HTTP/1.1";
  const length = `content-length: ${Buffer.byteLength(JSON_BODY)}`;
  const texts = [
    head("GET /healthz HTTP/1.1", "host: x"),
    head(
      "GET http://x/v1/models?kind=chat HTTP/1.1",
      "host: x",
      "authorization: Bearer a",
      "x-api-key: b",
      "connection: close",
    ),
    `${head(post, "Host: x", "Content-Length: 5")}hello${head("OPTIONS * HTTP/1.1", "host: x")}`,
    head(post, "host: x", length, "content-type: application/json", "x-request-id: r", "idempotency-key: k") +
      JSON_BODY,
    head(post, "host: x", length, "content-type: multipart/form-data; boundary=b") + JSON_BODY,
    `${head(post, "host: x", "transfer-encoding: chunked")}5\r\nhello\r\n1;a="b"\r\n!\r\n0\r\nx-trailer: 1\r\n\r\n`,
    head(post, "host: x", "Transfer-Encoding: Chunked", "Expect: 100-Continue") +
      "a\r\n0123456789\r\n00\r\n\r\n\r\n" +
      head("GET / HTTP/1.1", "host: y"),
    `${head("POST /v1/messages HTTP/1.0", "connection: keep-alive", "content-length: 2", "content-length: 2")}{}`,
    head("GET / HTTP/1.1", "host: x", "upgrade: websocket", "connection: upgrade", "content-encoding: gzip"),
  ];
  return texts.map((text) => Buffer.from(text, "utf8"));
}

interface Read {
  readonly head: RequestHead;
  /** The body as text where all of it came with the head. */
  readonly text: string | null;
  readonly pieces: Buffer[];
}

interface Reading {
  readonly requests: Read[];
  readonly refused: boolean;
}

function run(input: Buffer): void {
  const whole = read([Buffer.from(input)]);
  const pieces = read(piecesOf(input));
  expectSame("the requests of the whole and of the pieces", whole.requests.map(shown), pieces.requests.map(shown));
  const reference = referenceRequests(input.toString("latin1"));
  expectSame("the requests and the reference's", whole.requests.map(shown), reference.requests.map(expected));
  if (reference.rest === "malformed" && !whole.refused)
    throw new Broken("what follows is malformed, and is not refused");
  if (reference.rest === "nothing" && whole.refused) throw new Broken("nothing follows, and it is refused");
}

/** Feeds a parser as a connection does: what follows a request is fed once more. */
function read(pieces: readonly Buffer[]): Reading {
  const requests: Read[] = [];
  let current: Read | null = null;
  const parser = new RequestParser({
    head: (head, text) => {
      current = { head, text, pieces: [] };
    },
    piece: (data) => void current?.pieces.push(Buffer.from(data)),
    end: () => {
      if (current !== null) requests.push(current);
      current = null;
    },
  });
  try {
    for (const piece of pieces) for (let rest: Buffer | null = piece; rest !== null; ) rest = parser.feed(rest);
    return { requests, refused: false };
  } catch (thrown) {
    const is_refusal =
      thrown instanceof MalformedMessage || (thrown instanceof GatewayError && thrown.row.status === 431);
    if (!is_refusal) throw thrown;
    return { requests, refused: true };
  }
}

const NAMES = [
  "authorization",
  "x-api-key",
  "x-request-id",
  "idempotency-key",
  "content-encoding",
  "connection",
  "expect",
  "x",
];

function shown({ head, text, pieces }: Read): unknown {
  const bytes = Buffer.concat(pieces);
  return {
    method: head.method,
    target: head.query === "" ? head.path : `${head.path}?${head.query}`,
    headers: NAMES.map((name) => folded(name, head.get(name))),
    body: text ?? decodeText(bytes, 0, bytes.length),
  };
}

function expected({ method, target, headers, body }: ReferenceRequest): unknown {
  const origin_form = target.replace(/^https?:\/\/[^/?#]+/i, "");
  // A query that is empty is none.
  const path = origin_form.replace(/^([^?]*)\?$/, "$1");
  const bytes = Buffer.from(body, "latin1");
  return {
    method,
    target: path.startsWith("/") || path === "*" ? path : `/${path}`,
    headers: NAMES.map((name) => folded(name, headers.get(name) ?? null)),
    body: decodeText(bytes, 0, bytes.length),
  };
}

/** Some values are kept in small letters, in which they mean the same. */
function folded(name: string, value: string | null): string | null {
  return name === "content-encoding" ? (value?.toLowerCase() ?? null) : value;
}
