import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { targetFor } from "../../../proofs/support/target.ts";
import { embeddings } from "./client.ts";
import { relayEmbeddings } from "./relay.ts";
import { cutVectors, vectorIn } from "./vectors.ts";

const HEADERS = { get: () => null };

function sent(body: object, unsupported_fields: readonly string[]): { body: unknown; ignored: readonly string[] } {
  const request = embeddings.readRequest(JSON.stringify({ model: "m", input: "x", ...body }), HEADERS);
  const target = targetFor("chat-completions", { quirks: { unsupported_fields } });
  const exchange = relayEmbeddings.prepare(request, target, HEADERS);
  return { body: JSON.parse(exchange.body), ignored: exchange.ignored };
}

describe("what a vendor does not take", () => {
  test("as its form is written by us: it is left out, and nobody needs to know", () => {
    expect(sent({ encoding_format: "base64" }, ["encoding_format"])).toEqual({
      body: { model: "upstream-1", input: "x" },
      ignored: [],
    });
  });

  test("is named where it is left out", () => {
    expect(sent({ user: "u", dimensions: null }, ["user", "dimensions"])).toEqual({
      body: { model: "upstream-1", input: "x" },
      ignored: ["user"],
    });
  });

  test("is refused where the vectors would be others", () => {
    expect(() => sent({ dimensions: 8 }, ["dimensions"])).toThrow("'dimensions' is given");
  });

  test("stays, with all that we do not know, where the vendor takes it", () => {
    const body = { input_type: "query", dimensions: 8, user: "u" };
    expect(sent(body, [])).toEqual({ body: { model: "upstream-1", input: "x", ...body }, ignored: [] });
  });
});

const vector = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }));

test("vectors are cut out of any answer as they stand in it, and what is left is JSON with their numbers", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(vector, fc.base64String())), fc.nat(3), fc.jsonValue(), (vectors, indent, more) => {
      const answer = {
        embedding: "embedding",
        more,
        data: vectors.map((embedding) => ({ object: "embedding", embedding })),
      };
      fc.pre(!JSON.stringify(more).includes('"embedding"'));
      const cut = cutVectors(JSON.stringify({ ...answer, embedding: undefined }, null, indent), "embedding");
      expect(cut?.vectors.map((each) => JSON.parse(each))).toEqual(JSON.parse(JSON.stringify(vectors)));
      const rest = JSON.parse(cut?.rest ?? "") as { data: { embedding: number }[] };
      expect(rest.data.map(({ embedding }) => embedding)).toEqual(vectors.map((_, index) => index));
    }),
  );
});

test.each([
  '{"float": [[1], ["a"]]}',
  '{"float": [[1], 2]}',
  '{"float": [1',
  '{"float": "a\\"b"}',
  '{"float": "AA AA"}',
  '{"float": "AA\nAA"}',
  '{"float": "Zoë="}',
  '{"float": {}}',
  '{"float": [[1] [2]]}',
])("%s holds what is no vector", (text) => {
  expect(cutVectors(text, "float")).toBeNull();
});

test("a list of vectors is cut apart, in either form", () => {
  expect(cutVectors('{"float":[ [1, 2] ,\n[3] ], "id": 1}', "float")).toEqual({
    vectors: ["[1, 2]", "[3]"],
    rest: '{"float":[0,1], "id": 1}',
  });
});

test("both forms are the same 32-bit floats", () => {
  fc.assert(
    fc.property(fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }), (numbers) => {
      const text = JSON.stringify(numbers);
      const coded = vectorIn("base64", text);
      expect(JSON.parse(vectorIn("float", coded))).toEqual(JSON.parse(text));
      expect(vectorIn("float", text)).toBe(text);
    }),
  );
});
