import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { targetFor } from "../../../proofs/support/target.ts";
import { bytesOf } from "../../core/answer/sent-body.ts";
import { COST_MARK, withCost } from "../../core/answer/shown-cost.ts";
import { micro } from "../../core/money/money.ts";
import { embeddings } from "./client.ts";
import { relayEmbeddings } from "./relay.ts";

const HEADERS = { get: () => null };

/** Cuts bytes at these places. */
function cut(text: string, places: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text);
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}

function exchangeFor(inputs: number, encoding_format: string) {
  const input = Array.from({ length: inputs }, (_, index) => `text ${index}`);
  const request = embeddings.readRequest(JSON.stringify({ model: "m", input, encoding_format }), HEADERS);
  return relayEmbeddings.prepare(request, targetFor("chat-completions"), HEADERS);
}

/** What a client of a batch gets of this answer that came in pieces: read as such, and read whole. */
function readBoth(text: string, places: readonly number[], inputs: number) {
  const exchange = exchangeFor(inputs, "base64");
  const shown = (read: ReturnType<typeof exchange.readWhole>) => {
    const body = withCost(read.bodyWith?.(null, COST_MARK) ?? read.body, micro(7));
    return { usage: read.usage, body: JSON.parse(bytesOf(body).toString()) };
  };
  const in_pieces = exchange.readPieces?.(cut(text, places)) ?? null;
  return { in_pieces: in_pieces === null ? null : shown(in_pieces), whole: shown(exchange.readWhole(text)) };
}

const usage = { prompt_tokens: 12, total_tokens: 12 };
const coded = (length: number, at: number) => Buffer.alloc(length, at + 1).toString("base64");

function answerOf(vectors: readonly string[], order: readonly string[], indent: number): string {
  const data = vectors.map((embedding, index) => {
    const item: Record<string, unknown> = { object: "embedding", index, embedding };
    return Object.fromEntries(order.map((name) => [name, item[name]]));
  });
  return JSON.stringify({ object: "list", data, model: "größer-1", usage, id: "x" }, null, indent);
}

test("an answer in pieces is what it is read whole, wherever it was cut and however it is laid out", () => {
  const laid_out = fc.record({
    count: fc.integer({ min: 1, max: 12 }),
    bytes: fc.nat(300),
    names: fc.shuffledSubarray(["object", "index", "embedding"], { minLength: 3 }),
    indent: fc.nat(2),
    places: fc.array(fc.nat(5000), { maxLength: 12 }),
  });
  fc.assert(
    fc.property(laid_out, ({ count, bytes, names, indent, places }) => {
      const vectors = Array.from({ length: count }, (_, each) => coded(bytes, each));
      const { in_pieces, whole } = readBoth(answerOf(vectors, names, indent), places, count);
      expect(in_pieces).toEqual(whole);
    }),
  );
});

test("its bytes are not copied", () => {
  const pieces = cut(answerOf([coded(999, 0), coded(999, 1)], ["object", "index", "embedding"], 0), [900, 1500]);
  const body = exchangeFor(2, "base64").readPieces?.(pieces)?.body as readonly (string | Buffer)[];
  const bytes = body.filter((part): part is Buffer => typeof part !== "string");
  expect(bytes.map(({ buffer }) => buffer)).toEqual(pieces.map(({ buffer }) => buffer));
});

describe("it is read whole where", () => {
  const vectors = [coded(30, 0), coded(30, 1), coded(30, 2)] as const;
  const plain = answerOf(vectors, ["object", "index", "embedding"], 0);
  test.each([
    ["the client wants numbers", plain, 3, "float"],
    ["vectors are missing", plain, 4, "base64"],
    [
      "the vectors come in another order",
      plain.replace(/"index":(\d)/g, (_, at) => `"index":${2 - Number(at)}`),
      3,
      "base64",
    ],
    ["an item has more than the client gets", plain.replace('"index":1', '"index":1,"text":"a"'), 3, "base64"],
    ["an item lacks what the client gets", plain.replace('"index":1,', ""), 3, "base64"],
    [
      "an item is called otherwise",
      plain.replace('{"object":"embedding","index":2', '{"object":"vector","index":2'),
      3,
      "base64",
    ],
    ["the vectors are of several lengths", plain.replace(vectors[1], coded(33, 1)), 3, "base64"],
    ["the first is no base64", plain.replace(vectors[0], "-".repeat(40)), 3, "base64"],
    ["a vector has an escape", plain.replace(vectors[2], `\\u0041${vectors[2].slice(6)}`), 3, "base64"],
    ["a vector has a letter of two bytes", plain.replace(vectors[2], `é${vectors[2].slice(2)}`), 3, "base64"],
    ["it breaks off", plain.slice(0, -4), 3, "base64"],
    ["it breaks off in a vector", plain.slice(0, 90), 3, "base64"],
    [
      "the vendor sends numbers",
      '{"object":"list","data":[{"object":"embedding","index":0,"embedding":[1,2]}]}',
      1,
      "base64",
    ],
    ["it is an error", '{"error":{"message":"no"}}', 1, "base64"],
    ["much stands behind the vectors", plain.replace(/}$/, `,"more":"${"x".repeat(9000)}"}`), 3, "base64"],
  ])("%s", (_, text, inputs, form) => {
    expect(exchangeFor(inputs, form).readPieces?.(cut(text, [40, 60, 100]))).toBeNull();
  });
});
