import { expect, describe as group, test } from "bun:test";
import { describe, isObject, plainNumber, plainText } from "./json.ts";

group("a value in the words of an error message", () => {
  test.each<[unknown, string]>([
    [null, "null"],
    [undefined, "nothing"],
    [[1, 2], "an array"],
    [{ role: "user" }, "an object"],
    ["robot", 'the string "robot"'],
    ['a "quote"', 'the string "a \\"quote\\""'],
    ["x".repeat(40), `the string "${"x".repeat(40)}"`],
    ["x".repeat(41), "a string"],
    [-0.5, "the number -0.5"],
    [true, "the boolean true"],
  ])("%j is %s", (value, words) => {
    expect(describe(value)).toBe(words);
  });
});

group("a JSON object", () => {
  test("is not null, an array, a text or another value", () => {
    expect(isObject({})).toBe(true);
    for (const other of [null, [], "{}", 1, true, undefined]) expect(isObject(other)).toBe(false);
  });
});

test.each([
  ["a", "a"],
  [7, "7"],
  [null, "null"],
  [undefined, "undefined"],
  [true, "true"],
  [["custom"], "an array"],
  [{ toString: 1, valueOf: 1 }, "an object"],
])("the text of %p is %p", (value, text) => {
  expect(plainText(value)).toBe(text);
});

test.each([
  [3, 3],
  ["3", 3],
  [null, 0],
  [true, 1],
  ["three", Number.NaN],
  [[3], Number.NaN],
  [[{ toString: 1 }], Number.NaN],
  [{ valueOf: 1 }, Number.NaN],
])("the number of %p is %p", (value, number) => {
  expect(plainNumber(value)).toBe(number);
});
