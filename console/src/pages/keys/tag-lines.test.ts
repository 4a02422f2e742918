import { expect, test } from "bun:test";
import { readTagLines, tagChanges, tagLines } from "./tag-lines.ts";

test("tags are read as they are shown", () => {
  const tags = { env: "prod", team: "a=b c" };
  expect(tagLines(tags)).toBe("env=prod\nteam=a=b c");
  expect(readTagLines(`\n ${tagLines(tags)}\n\n`)).toEqual({ tags, problem: null });
});

test.each([
  ["team", "no equals sign"],
  ["Team=x", "a-z 0-9"],
  ["team=", "1 to 100 characters"],
  ["team=x\nteam=y", "there twice"],
])("%j is no list of tags", (text, says) => {
  expect(readTagLines(text).problem).toContain(says);
});

test("only what differs is changed", () => {
  expect(tagChanges({ team: "a", env: "x", keep: "k" }, { team: "b", keep: "k", constructor: "c" })).toEqual({
    env: null,
    team: "b",
    constructor: "c",
  });
});
