import { expect, test } from "bun:test";
import { ApiError } from "../../api/api-error.ts";
import { aliasesOf, aliasRows, completeRows, newAliasRow, rowError } from "./alias-rows.ts";

const ALIASES = {
  aliases: [{ name: "fast", model: "acme/swift" }],
  prefix_aliases: [{ prefix: "claude-", model: "acme/deep" }],
};

test("a name that ends in * is a prefix alias, when read and when written", () => {
  expect(aliasRows(ALIASES).map(({ name, model }) => [name, model])).toEqual([
    ["fast", "acme/swift"],
    ["claude-*", "acme/deep"],
  ]);
  expect(aliasesOf(aliasRows(ALIASES))).toEqual(ALIASES);
});

test("empty rows are left out", () => {
  expect(aliasesOf([newAliasRow(), newAliasRow(" fast ", "acme/swift")])).toEqual({
    aliases: [{ name: "fast", model: "acme/swift" }],
    prefix_aliases: [],
  });
});

test("a half-filled row can be saved, which the gateway refuses, but not resolved", () => {
  const rows = [newAliasRow("fast"), newAliasRow("no spaces", "a/b"), newAliasRow("gpt-*", "a/b")];
  expect(completeRows(rows).map(({ name }) => name)).toEqual(["gpt-*"]);
  expect(aliasesOf(rows).aliases).toHaveLength(2);
});

test("a refusal finds its row, even behind empty rows", () => {
  const rows = [newAliasRow("gpt-*", "a/b"), newAliasRow(), newAliasRow("fast", "a/b"), newAliasRow("o-*", "a/gone")];
  const refusal = (param: string) => new ApiError("no", { status: 400, code: "invalid_request", param });
  expect(rowError(rows, refusal("prefix_aliases[1].model"))).toMatchObject({ id: rows[3]?.id, field: "model" });
  expect(rowError(rows, refusal("aliases[0]"))).toMatchObject({ id: rows[2]?.id, field: "name", message: "no" });
  expect(rowError(rows, refusal("rpm"))).toBeNull();
  expect(rowError(rows, new Error("no"))).toBeNull();
});
