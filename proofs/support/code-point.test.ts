import { expect, test } from "bun:test";
import fc from "fast-check";
import { CODE_POINT } from "./code-point.ts";

test("each is one code point of well-formed text, and reads back as what it was drawn from", () => {
  fc.assert(
    fc.property(CODE_POINT, (text) => {
      expect([...text]).toHaveLength(1);
      expect(text.isWellFormed()).toBe(true);
      expect(CODE_POINT.canShrinkWithoutContext(text)).toBe(true);
    }),
  );
});

test.each(["\u0000", "\ud7ff", "\ue000", "\u{10ffff}"])("%j is one of them", (text) => {
  expect(CODE_POINT.canShrinkWithoutContext(text)).toBe(true);
});

test.each(["", "ab", "\ud800", "\udfff", 7])("%j is not", (value) => {
  expect(CODE_POINT.canShrinkWithoutContext(value as string)).toBe(false);
});
