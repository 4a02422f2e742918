import type { Draw } from "../../torture/draw.ts";
import { mutateBytes } from "../inputs/mutate-bytes.ts";
import { HTTP_WORDS } from "../inputs/odd-values.ts";
import { cutUp, type Framed } from "./frame-answer.ts";
import { headOf, inChunks } from "./http-parts.ts";
import type { Payload } from "./recorded-answers.ts";

/** A body as HTTP must not have it. */
export function frameOddly({ content_type, body }: Payload, status: number, draw: Draw): Framed {
  const typed = [`content-type: ${content_type}`];
  const oddly_typed = draw.chance(0.5) ? [] : ["content-type: \xff\xff"];
  const answer: Answer = { first: `HTTP/1.1 ${status} OK`, typed: draw.chance(0.8) ? typed : oddly_typed, body };
  const stray = Buffer.from(draw.one(STRAY));
  const make = draw.one([
    ...LENGTHS,
    ...HEADS,
    (answered: Answer) => Buffer.concat([wholeOf(answered), stray]),
    () => stray,
  ]);
  const { ending } = draw.weighted(ENDINGS);
  const framed = cutUp(make(answer, draw), ending, draw);
  // Bytes that come later, on a connection that was kept, must not become anybody's answer.
  const later = { bytes: stray, pause_ms: draw.one([1, 10, 40]) };
  return draw.chance(0.25) ? { ...framed, pieces: [...framed.pieces, later] } : framed;
}

interface Answer {
  readonly first: string;
  readonly typed: readonly string[];
  readonly body: Buffer;
}

type Make = (answer: Answer, draw: Draw) => Buffer;

const ENDINGS = [
  { weight: 6, ending: "keep" },
  { weight: 2, ending: "close" },
  { weight: 1, ending: "reset" },
  { weight: 1, ending: "stall" },
] as const;

const STRAY = [
  "\r\n",
  "x",
  "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}",
  "0\r\n\r\n",
  "HTTP/1.1 408 Timeout\r\nconnection: close\r\n\r\n",
];
const WRONG_LENGTHS = ["-1", "x", "9999999999999999", "1, 2"];
const WRONG_CODINGS = ["gzip", "br", "zstd", "gzip, gzip, gzip", "x"];

const CHUNKED = "transfer-encoding: chunked";

function lengthOf({ body }: Answer, more = 0): string {
  return `content-length: ${Math.max(0, body.length + more)}`;
}

/** The answer as it should be, but for what its headers say of its type. */
function wholeOf(answer: Answer): Buffer {
  return Buffer.concat([headOf(answer.first, ...answer.typed, lengthOf(answer)), answer.body]);
}

function withLines({ first, typed }: Answer, lines: readonly string[], body: Buffer): Buffer {
  return Buffer.concat([headOf(first, ...typed, ...lines), body]);
}

/** Bodies that end somewhere else than their heads say, or in two places. */
const LENGTHS: readonly Make[] = [
  (answer, draw) => withLines(answer, [lengthOf(answer, draw.whole(1, 50))], answer.body),
  (answer, draw) => withLines(answer, [lengthOf(answer, -draw.whole(1, 50))], answer.body),
  (answer, draw) => withLines(answer, [`content-length: ${draw.one(WRONG_LENGTHS)}`], answer.body),
  (answer, draw) => withLines(answer, [lengthOf(answer), CHUNKED], inChunks(answer.body, draw)),
  (answer, draw) => withLines(answer, [CHUNKED], mutateBytes(inChunks(answer.body, draw), draw, { words: HTTP_WORDS })),
  (answer, draw) => withLines(answer, [CHUNKED], inChunks(answer.body, draw).subarray(0, -5)),
  (answer, draw) => withLines(answer, ["transfer-encoding: gzip, chunked"], inChunks(answer.body, draw)),
  (answer, draw) => withLines(answer, [`content-encoding: ${draw.one(WRONG_CODINGS)}`, lengthOf(answer)], answer.body),
];

/** Heads that are none, or too many, or too large. */
const HEADS: readonly Make[] = [
  (answer, draw) => Buffer.concat([...interim(draw), wholeOf(answer)]),
  ({ body }) => Buffer.concat([headOf("HTTP/1.1 101 Switching Protocols", "upgrade: x"), body]),
  (answer, draw) => withLines(answer, [...manyHeaders(draw), lengthOf(answer)], answer.body),
  (answer, draw) => mutateBytes(wholeOf(answer), draw, { words: HTTP_WORDS }),
  (answer) => Buffer.from(wholeOf(answer).toString("latin1").replaceAll("\r\n", "\n"), "latin1"),
  (answer) => withLines(answer, [" folded: x", lengthOf(answer)], answer.body),
];

function interim(draw: Draw): Buffer[] {
  return Array.from({ length: draw.whole(2, 60) }, () => headOf(`HTTP/1.1 ${draw.one([100, 102, 103, 199])} X`));
}

function manyHeaders(draw: Draw): string[] {
  return Array.from({ length: draw.whole(50, 900) }, (_, at) => `x-${at}: ${"y".repeat(60)}`);
}
