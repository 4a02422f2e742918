import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isHalfJson } from "./half-json.ts";

describe("half of JSON", () => {
  test.each(["{", "[", '"', '{"q":', '{"q":"a', '{"q":"a\\"', '{"q":"\\\\\\', '[1,{"a":2}', '{"a":"}"'])(
    "%s is",
    (text) => expect(isHalfJson(text)).toBe(true),
  );
  test.each(["", "hello", "{}", '{"a":1}{"b":2}', "null", "12", '"a\\\\"', '"\\""', '["]"]', "}", '{"a":1}}'])(
    "%s is not",
    (text) => expect(isHalfJson(text)).toBe(false),
  );

  test("is every beginning of an object, and no whole one (500 objects)", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, cut) => {
        const text = JSON.stringify(value);
        expect(isHalfJson(text)).toBe(false);
        expect(isHalfJson(text.slice(0, 1 + (cut % (text.length - 1))))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
