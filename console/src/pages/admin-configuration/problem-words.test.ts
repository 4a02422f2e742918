import { expect, test } from "bun:test";
import { problemsAt, problemWords } from "./problem-words.ts";

const problem = (path: string) => ({ path, found: "x", allowed: "y", message: `${path} x` });

test("a problem is known by its place in the element, also where the id has dots", () => {
  const found = problemsAt("model", "openai/gpt-5.4", [
    problem("models.openai/gpt-5.4.price.input"),
    problem("models.a/b"),
  ]);
  expect([...found.keys()]).toEqual(["price.input", "models.a/b"]);
  expect([...problemsAt("limits", "default", [problem("limits.default_key.rpm")]).keys()]).toEqual(["default_key.rpm"]);
});

test.each([
  [{ found: "nothing", allowed: "a price" }, "Enter a price."],
  [{ found: '"soon"', allowed: "a day such as 2027-01-01" }, "Allowed: a day such as 2027-01-01."],
])("%j is told at its field as %s", (told, words) => {
  expect(problemWords(told)).toBe(words);
});
