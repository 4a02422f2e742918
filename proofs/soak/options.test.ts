import { expect, test } from "bun:test";
import { readOptions } from "./options.ts";

test("without arguments a minute is soaked on the embedded database", () => {
  const { seed, ...options } = readOptions([]);
  expect(options).toEqual({ minutes: 1, database: "sqlite", callers: 10, workers: 1, svg: null });
  expect(Number.isSafeInteger(seed)).toBe(true);
});

test.each([
  [["--minutes", "0"], "--minutes"],
  [["--minutes", "an hour"], "--minutes"],
  [["--database", "both"], "--database"],
  [["--seed", "1.5"], "--seed"],
  [["--callers", "0"], "--callers"],
  [["--callers", "501"], "--callers"],
  [["--workers", "65"], "--workers"],
])("%j is refused with what is allowed", (args, option) => {
  expect(() => readOptions(args)).toThrow(new RegExp(`${option} .*allowed`));
});
