import { expect, test } from "bun:test";
import fc from "fast-check";
import { ignoredValue } from "./ignored-value.ts";

test.each([
  [["top_k"], "top_k"],
  [["top_k", "messages.document"], "top_k, messages.document"],
  [["a\nb", "ü, 5", ""], "a?b, ?? 5, "],
  [["x".repeat(65)], `${"x".repeat(64)}...`],
])("names %p as %p", (names, value) => {
  expect(ignoredValue(names)).toBe(value);
});

test("ends with the number of further names", () => {
  const names = Array.from({ length: 5000 }, (_, at) => `k${at}`);
  expect(ignoredValue(names)).toEndWith("k39, (4960 more)");
});

test("is a short value that a header can carry, for any field names of the client", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), (names) => {
      const value = ignoredValue(names);
      expect(value).toMatch(/^[\x20-\x7e]*$/);
      expect(value.length).toBeLessThan(4096);
    }),
  );
});
