import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isExactNumber, mayLoseDigits, parseExact, parseExactUnder } from "./exact-json.ts";

const digits = fc.stringMatching(/^[0-9]{1,24}$/);
const aNumber = fc
  .tuple(
    fc.constantFrom("", "-"),
    digits.map((text) => text.replace(/^0+(?=.)/, "")),
    fc.constantFrom("", ".5", ".50", ".0", ".000001", ".123456789012345678"),
    fc.constantFrom("", "", "e5", "E+400", "e-7"),
  )
  .map((parts) => parts.join(""));
const anyText = fc.oneof(
  aNumber,
  fc.array(aNumber).map((numbers) => `[${numbers.join(",")}]`),
  fc.tuple(aNumber, fc.string()).map(([number, text]) => `{"a":{"b":${number}},"c":${JSON.stringify(text)}}`),
);

describe("exact JSON", () => {
  test("is written as it was read, and only what plain parsing may change is parsed the slower way", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(JSON.stringify(parseExact(text))).toBe(text);
        if (!mayLoseDigits(text)) expect(JSON.stringify(JSON.parse(text))).toBe(text);
      }),
      { numRuns: 3000 },
    );
  });

  test.each(['{"id":"call_1e5","at":1700000000,"p":0.25,"n":-1,"s":"v1.0"}', "[0,10,100,0.5,-0.5,20000000]"])(
    "%s is parsed plainly",
    (text) => expect(mayLoseDigits(text)).toBeFalse(),
  );

  test("under some keys leaves all other numbers numbers, at any depth", () => {
    fc.assert(
      fc.property(aNumber, aNumber, (inside, outside) => {
        const text = `{"n":${outside},"list":[${outside},{"args":{"n":${inside},"deep":[${inside}]}}]}`;
        const parsed = parseExactUnder(new Set(["args"]), text) as { n: unknown; list: [unknown, { args: unknown }] };
        expect([parsed.n, parsed.list[0]]).toEqual([Number(outside), Number(outside)]);
        expect(JSON.stringify(parsed.list[1].args)).toBe(`{"n":${inside},"deep":[${inside}]}`);
      }),
    );
  });

  test("knows its numbers", () => {
    expect([parseExact("1.0"), 1, { rawJSON: "1" }, null].map(isExactNumber)).toEqual([true, false, false, false]);
  });
});
