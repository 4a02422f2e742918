import { expect, test } from "bun:test";
import { readOptions } from "./options.ts";
import { TARGET_NAMES } from "./targets/target-names.ts";

test("without arguments both databases and all targets are tried for half a minute", () => {
  const { seed, ...options } = readOptions([]);
  expect(options).toEqual({
    minutes: 0.5,
    databases: ["sqlite", "postgres"],
    lanes: 1,
    case_number: null,
    most: Number.POSITIVE_INFINITY,
    targets: TARGET_NAMES,
  });
  expect(Number.isSafeInteger(seed)).toBe(true);
});

test("one case is played on one database, without targets", () => {
  const options = readOptions(["--case", "0", "--seed", "7"]);
  expect(options).toMatchObject({ seed: 7, case_number: 0, databases: ["sqlite"], targets: [] });
});

test.each([
  [["--minutes", "0"], "--minutes"],
  [["--minutes", "many"], "--minutes"],
  [["--database", "oracle"], "--database"],
  [["--seed=-1"], "--seed"],
  [["--lanes", "0"], "--lanes"],
  [["--case", "x"], "--case"],
  [["--most", "0"], "--most"],
  [["--targets", "sse,nothing"], "--targets"],
])("%j is refused with what is allowed", (args, option) => {
  expect(() => readOptions(args)).toThrow(new RegExp(`${option} .*allowed`));
});
