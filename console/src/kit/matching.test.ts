import { expect, test } from "bun:test";
import { matching } from "./matching.ts";

const models = [
  { value: "acme/swift-1", label: "Swift 1", note: "Acme AI" },
  { value: "other/bright", label: "Bright", note: "likes swift answers" },
  { value: "acme/deep", label: "Deep thought", note: "Acme AI" },
];

const found = (typed: string) => matching(models, typed).map(({ value }) => value);

test("every word must occur somewhere, in any order and case", () => {
  expect(found("acme DEEP")).toEqual(["acme/deep"]);
  expect(found("deep acme")).toEqual(["acme/deep"]);
  expect(found("acme bright")).toEqual([]);
});

test("options that begin with the typed text come first; without a text, all keep their order", () => {
  expect(found("swift")).toEqual(["acme/swift-1", "other/bright"]);
  expect(found("bright")).toEqual(["other/bright"]);
  expect(found("")).toEqual(models.map(({ value }) => value));
});

test("an option that is found by its label alone is not found by the words beside it", () => {
  const all = { value: "all", label: "All accounts", note: "usage of the whole gateway", by_label: true };
  expect(matching([all], "all ACCOUNTS")).toEqual([all]);
  expect(matching([all], "usage")).toEqual([]);
});
