import { expect, test } from "bun:test";
import { isTagValue } from "../../core/people/tag-values.ts";
import { endUserOf } from "./end-user.ts";

const long = "a".repeat(101);

test.each([
  ["nobody", {}, null],
  ["an empty id", { user: "" }, null],
  ["an id that is no text", { user: 5, safety_identifier: { id: 1 } }, null],
  ["the user", { user: "u" }, "u"],
  ["the safety identifier before the user", { user: "u", safety_identifier: "s" }, "s"],
  ["the metadata's user last", { metadata: { user_id: "m" } }, "m"],
  ["metadata that is a list", { metadata: ["user_id"] }, null],
])("a body that names %s", (_, body, expected) => {
  expect(endUserOf(body)).toBe(expected);
});

test.each([long, "two\nlines", "(other)", "\ud800", "x".repeat(2_000_000)])(
  "an id that is no value of a tag becomes one, which counts apart and stays the same when it is read again",
  (id) => {
    const value = endUserOf({ user: id }) ?? "";
    expect(isTagValue(value)).toBe(true);
    expect(endUserOf({ user: value })).toBe(value);
    expect(endUserOf({ user: `${id}.` })).not.toBe(value);
  },
);
