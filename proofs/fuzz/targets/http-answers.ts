import type { AnswerHead } from "../../../src/wire/client/answer-head.ts";
import { AnswerParser } from "../../../src/wire/client/answer-parser.ts";
import { MalformedMessage } from "../../../src/wire/grammar/malformed-message.ts";
import { HTTP_WORDS } from "../inputs/odd-values.ts";
import { expectSame, type FuzzTarget, piecesOf } from "./target.ts";

export const httpAnswers: FuzzTarget = {
  name: "http-answers",
  promise: "a vendor's answer is the same in pieces of any size, up to its end or to the fault",
  words: [...HTTP_WORDS, "HTTP/1.1 200 OK\r\n", "HTTP/1.1 103 X\r\n", "HTTP/1.1 204 X\r\n", "HTTP/1.1 101 X\r\n"],
  seeds,
  run,
};

function seeds(): Buffer[] {
  const texts = [
    "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello",
    "HTTP/1.1 200\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1 \r\n!\r\n0\r\nx: y\r\n\r\n",
    "HTTP/1.1 103 Early\r\nlink: x\r\n\r\nHTTP/1.1 100 C\r\n\r\nHTTP/1.1 429 Slow\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n",
    "HTTP/1.0 200 OK\r\ncontent-encoding: gzip, br\r\n\r\nuntil the end",
    "HTTP/1.1 204 No\r\nconnection: keep-alive\r\n\r\n",
    "HTTP/1.1 304 No\r\ncontent-length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\nconnection: Close\r\n\r\n0\r\n\r\n",
  ];
  return texts.map((text) => Buffer.from(text, "latin1"));
}

function run(input: Buffer): void {
  expectSame("the answer of the whole and of the pieces", read([Buffer.from(input)]), read(piecesOf(input)));
}

/** The first answer, as a connection reads it: whatever follows it ends the connection. */
function read(pieces: readonly Buffer[]): unknown {
  let head: AnswerHead | null = null;
  const body: Buffer[] = [];
  let is_over = false;
  const parser = new AnswerParser({
    head: (found, arrived) => {
      head = found;
      const whole = arrived?.takeWhole() ?? null;
      if (whole !== null) body.push(Buffer.from(whole));
    },
    piece: (data) => void body.push(Buffer.from(data)),
    end: () => {
      is_over = true;
    },
  });
  const shown = (ending: string): unknown => ({
    status: (head as AnswerHead | null)?.status,
    keeps_alive: (head as AnswerHead | null)?.keeps_alive,
    coding: (head as AnswerHead | null)?.content_encoding,
    retry_after: (head as AnswerHead | null)?.get("retry-after"),
    body: Buffer.concat(body).toString("latin1"),
    ending,
  });
  try {
    for (const piece of pieces) {
      parser.feed(piece);
      if (is_over) return shown("over");
    }
    parser.close();
    return shown("closed");
  } catch (thrown) {
    if (!(thrown instanceof MalformedMessage)) throw thrown;
    // A faulty answer has no end: what of its body came before the fault depends on the pieces, and only its head is the same.
    return head === null ? "malformed" : { status: (head as AnswerHead).status, ending: "malformed" };
  }
}
