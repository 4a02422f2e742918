import { expect, test } from "bun:test";
import { readTimes } from "./measured.ts";

test.each([
  ["npm said this\n0m0.00s 0m0.01s\n0m1.25s 0m0.75s\n", 2],
  ["0m0.000s 0m0.010s\n2m1.500s 0m0.500s", 122],
])("what programs took is in the last line of %j", (printed, seconds) => {
  expect(readTimes(printed)).toBe(seconds);
});

test("what has no times is refused", () => {
  expect(() => readTimes("added 3 packages")).toThrow("added 3 packages");
});
