import { expect, test } from "bun:test";
import { wordsIn } from "./words.ts";

test.each([
  ["", "anything", true],
  ["   ", "anything", true],
  ["claude", "Claude Haiku", true],
  [" HAIKU  claude ", "Claude Haiku", true],
  ["claude opus", "Claude Haiku", false],
  ["ai", "", false],
] as const)("%p is found in %p: %p", (typed, text, found) => {
  expect(wordsIn(typed)(text)).toBe(found);
});
