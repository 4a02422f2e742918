import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { hasPlainChoices } from "./inspect-chunk.ts";

const isBegun = (index: number) => index === 0 || index === 3;

function isPlain(value: string): boolean {
  const start = '{"choices"';
  return hasPlainChoices(Buffer.from(`${start}:${value},"x":{"index":0,"delta":{}}}`), start.length, isBegun);
}

describe("choices need no parsing", () => {
  test.each([
    ['[{"index":0,"delta":{"content":"a"},"logprobs":null,"finish_reason":null}]'],
    ['[{"delta":{"content":"a","role":"assistant"},"index":3}]'],
    ['[ { "index" : 0 , "delta" : { } } ]'],
    ['[{"index":0,"delta":{"content":"\\"]}\\\\"},"x":[1,{"index":9}]},{"index":3,"delta":{"tool_calls":null}}]'],
    ['[{"index":0,"delta":{"reasoning_details":[{"index":7,"text":"a"}]}}]'],
  ])("%s", (value) => expect(isPlain(value)).toBe(true));
});

describe("choices are parsed, for what clients read is missing or says more", () => {
  test.each([
    ["[]"],
    ["null"],
    ["[null]"],
    ['[[{"index":0,"delta":{}}]]'],
    ['[{"delta":{"content":"a"}}]'],
    ['[{"index":0}]'],
    ['[{"index":0,"delta":null}]'],
    ['[{"index":1,"delta":{}}]'],
    ['[{"index":30,"delta":{}}]'],
    ['[{"index":-3,"delta":{}}]'],
    ['[{"index":"0","delta":{}}]'],
    ['[{"index":0.5,"delta":{}}]'],
    ['[{"x":{"index":0,"delta":{}}}]'],
    ['[{"delta":{"reasoning_details":[{"index":0}]}}]'],
    ['[{"index":0,"delta":{}},{"delta":{}}]'],
    ['[{"index":0,"delta":{},"finish_reason":"stop"}]'],
    ['[{"index":0,"delta":{},"message":{"content":"a"}}]'],
    ['[{"index":0,"delta":{"tool_calls":[]}}]'],
    ['[{"index":0,"delta":{"content":"a","role":{"a":1}}}]'],
    ['[{"index":0,"delta":{"content":"a","role":"model"}}]'],
    ['[{"index":0,"delta":{"\\u0074ool_calls":[]}}]'],
    ['[{"index":0,"delta":{"content":"a"}'],
    ['[{"index":0,"delta":{"content":"a'],
  ])("%s", (value) => expect(isPlain(value)).toBe(false));
});

test("exactly those of good JSON whose own members say so", () => {
  const odd = fc.constantFrom<unknown>(null, 0, 3, 5, "", 'a"\\', { index: 0, delta: {} }, [{ tool_calls: [] }], {});
  const members = (names: readonly string[], value: fc.Arbitrary<unknown>) =>
    fc
      .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 4 })
      .map((list) => Object.fromEntries(list) as object);
  const delta = members(["content", "tool_calls", "index"], odd);
  const choice = members(["index", "delta", "finish_reason", "x"], fc.oneof(odd, delta)) as fc.Arbitrary<
    Record<string, unknown>
  >;
  fc.assert(
    fc.property(fc.array(choice, { minLength: 1, maxLength: 2 }), fc.constantFrom(0, 1), (choices, blanks) => {
      const text = JSON.stringify(choices, null, blanks).replaceAll(/\n */g, " ");
      const expected = choices.every(({ index, delta: own, finish_reason }) => {
        if (typeof index !== "number" || !isBegun(index) || (finish_reason ?? null) !== null) return false;
        if (typeof own !== "object" || own === null || Array.isArray(own)) return false;
        return ((own as Record<string, unknown>).tool_calls ?? null) === null;
      });
      expect(isPlain(text)).toBe(expected);
    }),
    { numRuns: 2000 },
  );
});
