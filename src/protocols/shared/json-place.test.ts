import { expect, test } from "bun:test";
import fc from "fast-check";
import { codeOf } from "../../../proofs/support/decisions.ts";
import { itemsOf, type JsonPlace, membersOf, placePath } from "./json-place.ts";
import { arrayText, numberText, objectText, valueText } from "./json-text.ts";

const placeOf = (text: string): JsonPlace => ({ text, value: JSON.parse(text), steps: [] });
/** Every code unit, halves of pairs too, and the keys that objects treat in their own way. */
const key = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 5 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom("__proto__", "constructor", "0", "10", "9"),
);

test("an object that is written member by member is read in that order", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(key, fc.jsonValue()), { selector: ([name]) => name }), (members) => {
      const text = objectText(members.map(([name, value]) => [name, JSON.stringify(value)]));
      const read = [...membersOf(placeOf(text))];
      expect(read.map(([name, { text: value }]) => [name, value])).toEqual(
        members.map(([name, value]) => [name, JSON.stringify(value)]),
      );
      for (const [, { text: value_text, value }] of read) expect(value).toEqual(JSON.parse(value_text));
    }),
    { numRuns: 500 },
  );
});

test("items are found at their indexes", () => {
  const [first, second] = itemsOf({ ...placeOf('[ {"a":1} , [] ]'), steps: ["questions"] });
  expect(first).toEqual({ text: '{"a":1}', value: { a: 1 }, steps: ["questions", 0] });
  expect(placePath(second as JsonPlace)).toBe("questions[1]");
});

test("a repeated key is refused with the caller's code, or as invalid JSON", () => {
  const place = placeOf('{"a":1,"\\u0061":2}');
  expect(codeOf(() => membersOf(place))).toBe("invalid_json");
  expect(() => membersOf(place, ({ steps }) => new Error(`twice: ${steps.join()}`))).toThrow("twice: a");
});

test("texts of values are JSON, and null values are left out", () => {
  expect(
    objectText([
      ["a", valueText("\ud800")],
      ["b", valueText(null)],
      ["c", arrayText([valueText(true), "1"])],
    ]),
  ).toBe('{"a":"\\ud800","c":[true,1]}');
  expect([0.5, 1e-7, 1e21].map(numberText)).toEqual(["0.5", "1e-7", "1e+21"]);
  for (const number of [Number.NaN, Number.POSITIVE_INFINITY]) expect(() => numberText(number)).toThrow(RangeError);
});
