import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type ModelPlace, ModelSwap } from "./swap-model.ts";

const swap = (text: string, envelope: ModelPlace = "top") =>
  new ModelSwap("acme/new", envelope).swap(Buffer.from(text)).toString();

describe("the model's name", () => {
  const cases: readonly (readonly [string, string, string, ModelPlace?])[] = [
    [
      "in a chunk",
      'data: {"id":"c","model":"old","choices":[]}\n\n',
      'data: {"id":"c","model":"acme/new","choices":[]}\n\n',
    ],
    ["in spaced JSON", '{"id": "c", "model" : "old"}', '{"id": "c", "model" : "acme/new"}'],
    ["that is empty or null", '{"model":""}', '{"model":"acme/new"}'],
    ["that is null", '{"model":null,"x":1}', '{"model":"acme/new","x":1}'],
    ["with quotes in it", '{"model":"a\\"b\\\\","x":1}', '{"model":"acme/new","x":1}'],
    [
      "behind a nested one",
      '{"choices":[{"model":"in"}],"model":"old"}',
      '{"choices":[{"model":"in"}],"model":"acme/new"}',
    ],
    ["behind a value of that text", '{"type":"model","model":"old"}', '{"type":"model","model":"acme/new"}'],
    [
      "in a response",
      '{"response":{"tools":[{"model":"t"}],"model":"old"}}',
      '{"response":{"tools":[{"model":"t"}],"model":"acme/new"}}',
      "response",
    ],
    [
      "in a message",
      'event: message_start\ndata: {"type":"message_start","message":{"model":"old"}}\n\n',
      'event: message_start\ndata: {"type":"message_start","message":{"model":"acme/new"}}\n\n',
      "message",
    ],
  ];
  for (const [name, before, after, envelope] of cases) {
    test(`${name} is swapped`, () => expect(swap(before, envelope)).toBe(after));
  }

  for (const text of [
    '{"text":"\\"model\\":\\"old\\""}',
    '{"a":{"model":"old"}}',
    '{"model":7}',
    "data: [DONE]\n\n",
    ": comment with model\n\n",
  ]) {
    test(`is not found in ${JSON.stringify(text)}`, () => expect(swap(text)).toBe(text));
  }

  test("is not looked for at the top level when the envelope is inside", () => {
    expect(swap('{"model":"top","other":{"model":"x"}}', "response")).toBe('{"model":"top","other":{"model":"x"}}');
  });

  test("is swapped in every chunk of a stream, with repeated or new beginnings", () => {
    const swapper = new ModelSwap("acme/new");
    for (const id of ["a", "a", "b", "b", "a"]) {
      const chunk = `data: {"id":"${id}","model":"old","choices":["${id}"]}\n\n`;
      expect(swapper.swap(Buffer.from(chunk)).toString()).toBe(chunk.replace("old", "acme/new"));
    }
  });

  test("is the only thing that changes in any JSON object", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.nat(8), (object, name, at) => {
        const entries = Object.entries(object).filter(([key]) => key !== "model");
        entries.splice(at, 0, ["model", name]);
        const text = JSON.stringify(Object.fromEntries(entries));
        const expected = JSON.stringify(
          Object.fromEntries(entries.map(([key, value]) => [key, key === "model" ? "acme/new" : value])),
        );
        expect(swap(text)).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });
});
