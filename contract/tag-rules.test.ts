import { expect, test } from "bun:test";
import { splitTag, tagNameProblem, tagTexts, tagValue, tagValueProblem } from "./tag-rules.ts";

const NAMES: readonly [name: string, is_allowed: boolean][] = [
  ["team", true],
  ["a", true],
  ["cost-center_2.eu", true],
  ["constructor", true],
  ["x".repeat(40), true],
  ["x".repeat(41), false],
  ["", false],
  ["Team", false],
  ["1team", false],
  ["_team", false],
  ["__proto__", false],
  ["team name", false],
  ["team=x", false],
  ["team\n", false],
  ["équipe", false],
];

test.each([...NAMES])("the name %j: allowed %p", (name, is_allowed) => {
  expect(tagNameProblem(name) === null).toBe(is_allowed);
  if (!is_allowed) expect(tagNameProblem(name)).toContain("1 to 40 characters of a-z 0-9 _ . -");
});

const VALUES: readonly [value: string, is_allowed: boolean][] = [
  ["search", true],
  ["a=b, c/d; é 東京", true],
  ["x".repeat(100), true],
  ["😀".repeat(100), true],
  ["x".repeat(101), false],
  ["😀".repeat(101), false],
  ["", false],
  ["two\nlines", false],
  ["tab\t", false],
  ["nul\u0000", false],
  ["c1\u0085", false],
  ["half \ud83d", false],
];

test.each([...VALUES])("the value %j: allowed %p", (value, is_allowed) => {
  expect(tagValueProblem(value) === null).toBe(is_allowed);
  if (!is_allowed) expect(tagValueProblem(value)).toContain("1 to 100 characters without control characters");
});

test("a tag is split at its first equals sign, and shown in the order of names", () => {
  expect(splitTag("team=a=b")).toEqual({ name: "team", value: "a=b" });
  expect(splitTag("team=")).toEqual({ name: "team", value: "" });
  expect(splitTag("team")).toBeNull();
  expect(tagTexts({ team: "search", env: "prod" })).toEqual(["env=prod", "team=search"]);
});

test("a key has only the tags that it was given", () => {
  expect(tagValue({ team: "search" }, "team")).toBe("search");
  expect(tagValue({ team: "search" }, "constructor")).toBe("");
  expect(tagValue(undefined, "team")).toBe("");
});
