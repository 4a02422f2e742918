import { expect, test } from "bun:test";
import { tagAsked, tagNote, usageTagAsked } from "./tag-words.ts";

test.each([
  ["team=search", { name: "team", value: "search" }],
  ["team=", { name: "team", value: "" }],
  ["run=a=b, c", { name: "run", value: "a=b, c" }],
  ["(other)=(other)", null],
  ["team", null],
  ["Team=x", null],
  ["=x", null],
  [`team=${"x".repeat(201)}`, null],
  [undefined, null],
])("%j asks for %j", (text, tag) => {
  expect(tagAsked(text)).toEqual(tag);
});

test("usage counts names together that nobody can carry", () => {
  expect(usageTagAsked("(other)=(other)")).toEqual({ name: "(other)", value: "(other)" });
  expect(usageTagAsked("team=search")).toEqual({ name: "team", value: "search" });
  expect(usageTagAsked("Team=search")).toBeNull();
});

test("an unfinished tag gets a note on how to write it, and an empty value a note on rows without the tag", () => {
  const note = (text: string | undefined) => tagNote(text, tagAsked(text), "Keys");
  expect(note("tea")).toContain("name=value");
  expect(note("team=")).toStartWith("Keys without the tag team.");
  expect([note("team=search"), note(""), note(undefined)]).toEqual([null, null, null]);
  expect(tagNote("team=search", tagAsked("team=search"), "Requests")).toContain("team=search themselves");
});
