import { expect, test } from "bun:test";
import type { Key } from "../../../../contract/keys.ts";
import type { Model } from "../../../../contract/models.ts";
import { allAliases, replaced } from "./all-aliases.ts";

const models = [
  { id: "acme/swift", kind: "chat" },
  { id: "acme/decider", kind: "decision" },
  { id: "other/deep", kind: "chat" },
] as Model[];

const key = {
  id: "key_1",
  models: ["acme/*"],
  aliases: [
    { name: "fast", model: "acme/swift" },
    { name: "yes-or-no", model: "acme/decider" },
    { name: "acme/swift", model: "acme/decider" },
    { name: "old", model: "acme/gone" },
    { name: "deep", model: "other/deep" },
  ],
  prefix_aliases: [{ prefix: "gpt-", model: "acme/swift" }],
} as unknown as Key;

test("each alias has the outcome of requests that use it", () => {
  expect(allAliases([key], models).map(({ name, standing }) => [name, standing])).toEqual([
    ["fast", "works"],
    ["yes-or-no", "decides"],
    ["acme/swift", "hidden"],
    ["old", "missing"],
    ["deep", "not-allowed"],
    ["gpt-*", "works"],
  ]);
});

test("every alias counts as working before the catalog is loaded", () => {
  expect(new Set(allAliases([key], []).map(({ standing }) => standing))).toEqual(new Set(["works"]));
});

test("an alias is added at the end, changed in its place, and removed", () => {
  const rows = [
    { name: "a", model: "x" },
    { name: "b", model: "y" },
  ];
  const c = { name: "c", model: "z" };
  expect(replaced(rows, null, c).map(({ name }) => name)).toEqual(["a", "b", "c"]);
  expect(replaced(rows, "a", c).map(({ name }) => name)).toEqual(["c", "b"]);
  expect(replaced(rows, "b", null).map(({ name }) => name)).toEqual(["a"]);
});
