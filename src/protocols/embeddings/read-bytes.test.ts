import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { targetFor } from "../../../proofs/support/target.ts";
import { embeddings } from "./client.ts";
import { relayEmbeddings } from "./relay.ts";
import { embeddingsToGemini } from "./to-gemini.ts";

const HEADERS = { get: () => null };

const readBytes = (text: string) => embeddings.readBytes?.(Buffer.from(text)) ?? null;
const readText = (text: string) => embeddings.readRequest(text, HEADERS);

/** All that is made of a request: what is held for it, what an estimate counts, and what goes to either vendor. */
function madeOf(request: ReturnType<typeof readText>) {
  const { model, input_bound_tokens, text, body } = request;
  const relayed = relayEmbeddings.prepare(request, targetFor("chat-completions"), HEADERS);
  const translated = embeddingsToGemini.prepare(request, targetFor("gemini"), HEADERS);
  return {
    ...{ model, input_bound_tokens, text, body: JSON.parse(JSON.stringify(body)) },
    counted: request.collectInput?.(100),
    relayed: { body: relayed.body, ignored: relayed.ignored },
    translated: { body: translated.body, ignored: translated.ignored },
  };
}

const text = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.string({ minLength: 1, unit: "grapheme" }),
  fc.constant('a "b" \\ \n'),
);
const more = fc.record(
  {
    dimensions: fc.option(fc.integer({ min: 1, max: 9 })),
    encoding_format: fc.constantFrom("float", "base64", null),
    user: fc.string(),
    metadata: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }),
  },
  { requiredKeys: [] },
);

test("a body of bytes is what it is as text, in whichever order its members come", () => {
  const asked = fc.record({
    ...{ input: fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 6 })), more },
    ...{ seed: fc.integer(), model: fc.constantFrom("m", "upstream-1", "größer") },
  });
  let read = 0;
  fc.assert(
    fc.property(asked, ({ input, more, seed, model }) => {
      const members = Object.entries({ model, input, ...more });
      const at = Math.abs(seed) % members.length;
      const written = JSON.stringify(Object.fromEntries([...members.slice(at), ...members.slice(0, at)]));
      const request = readBytes(written);
      if (request === null) return;
      read += 1;
      expect(madeOf(request)).toEqual(madeOf(readText(written)));
    }),
    { numRuns: 500 },
  );
  expect(read).toBeGreaterThan(200);
});

test("spaces between the parts are kept", () => {
  const written = '{ "input" : [ "a" , "b" ] , "model" : "m" }  ';
  const request = readBytes(written);
  expect(request === null ? null : madeOf(request)).toEqual(madeOf(readText(written)));
});

test("any bytes that are read so are JSON, and say the same as JSON", () => {
  const written = JSON.stringify({ model: "m", input: ['one "two"', "three\\"], user: "u" });
  const harmed = fc.record({ at: fc.nat(written.length - 1), byte: fc.nat(255), cut: fc.boolean() });
  fc.assert(
    fc.property(fc.array(harmed, { minLength: 1, maxLength: 3 }), (harms) => {
      const bytes = Buffer.from(written);
      for (const { at, byte } of harms) bytes[at] = byte;
      const request = embeddings.readBytes?.(bytes) ?? null;
      if (request === null) return;
      expect(JSON.parse(JSON.stringify(request.body))).toEqual(JSON.parse(bytes.toString()));
    }),
    { numRuns: 3000 },
  );
});

describe("is left to be read as text", () => {
  const around = (input: string, rest = ""): string => `{"model":"m","input":${input}${rest}}`;
  test.each([
    ["tokens", around("[1,2]")],
    ["a list of no text", around("[]")],
    ["an empty text", around('["a",""]')],
    ["a list with another thing in it", around('["a",1]')],
    ["a list that ends in a comma", around('["a",]')],
    ["characters by their numbers", around('"\\u0041"')],
    ["an escape that is none", around('"\\x"')],
    ["a control", around('"a\tb"')],
    ["a control at its end", `${around('"a"')}\n`],
    ["a text without an end", '{"model":"m","input":"a'],
    ["a member twice", around('"a"', ',"input":"b"')],
    ["a member twice, spelled otherwise", around('"a"', ',"inp\\u0075t":"b"')],
    ["a model twice", around('"a"', ',"model":"b"')],
    ["no model", '{"input":"a"}'],
    ["a wrong member", around('"a"', ',"dimensions":0')],
    ["more than one value", `${around('"a"')}{}`],
    ["a list before the input", '{"model":"m","x":[1],"input":"a"}'],
    ["no input", '{"model":"m"}'],
    ["nothing", ""],
    ["much around the input", around('"a"', `,"user":"${"u".repeat(5000)}"`)],
    ["many escapes", around(JSON.stringify("\n".repeat(3000)))],
    ["more inputs than a request may have", around(JSON.stringify(Array(2049).fill("a")))],
  ])("%s", (_, written) => {
    expect(readBytes(written)).toBeNull();
  });

  test("bytes that are no UTF-8", () => {
    const bytes = Buffer.from(around('"aé"'));
    bytes[bytes.indexOf(0xc3)] = 0xff;
    expect(embeddings.readBytes?.(bytes) ?? null).toBeNull();
  });
});
