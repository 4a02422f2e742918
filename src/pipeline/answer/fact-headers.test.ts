import { expect, test } from "bun:test";
import fc from "fast-check";
import { CODE_POINT } from "../../../proofs/support/code-point.ts";
import { ignoredValue } from "./fact-headers.ts";

test.each([
  [["top_k"], "top_k"],
  [["top_k", "messages.document"], "top_k, messages.document"],
  [["漢"], "%E6%BC%A2"],
  [["a\nb", "ü, 5", "100%"], "a%0Ab, %C3%BC%2C%205, 100%25"],
  [["\ud800"], "%EF%BF%BD"],
  [["x".repeat(3000)], "+1"],
  [["x".repeat(3000), "top_k"], "top_k, +1"],
])("names %p as %p", (names, value) => {
  expect(ignoredValue(names)).toBe(value);
});

test("ends with the number of further names", () => {
  const names = Array.from({ length: 5000 }, (_, at) => `k${at}`);
  const told = ignoredValue(names).split(", ");
  expect(told.at(-1)).toBe(`+${5000 - (told.length - 1)}`);
  expect(told.slice(0, -1)).toEqual(names.slice(0, told.length - 1));
});

test("is a short value that a header can carry, for any field names of the client", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: CODE_POINT })), (names) => {
      const value = ignoredValue(names);
      expect(value).toMatch(/^[\x20-\x7e]*$/);
      expect(value.length).toBeLessThanOrEqual(2048);
    }),
  );
});

test("says each name so that it can be read back", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme", minLength: 1 }), { minLength: 1, maxLength: 20 }), (names) => {
      const told = ignoredValue(names).split(", ");
      const untold = /^\+\d+$/.exec(told.at(-1) ?? "") === null ? 0 : Number(told.at(-1));
      if (untold === 0) expect(told.map(decodeURIComponent)).toEqual(names);
      else expect(told.length - 1 + untold).toBe(names.length);
    }),
  );
});
