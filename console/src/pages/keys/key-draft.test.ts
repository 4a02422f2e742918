import { expect, test } from "bun:test";
import type { Key } from "../../../../contract/keys.ts";
import { newAliasRow } from "./alias-rows.ts";
import { changesOf, draftOf, fieldsOf, NEW_DRAFT } from "./key-draft.ts";

const KEY: Key = {
  id: "key_1",
  account: "acct_1",
  project: null,
  name: "CI",
  tags: {},
  status: "active",
  hint: "abcd",
  aliases: [{ name: "fast", model: "acme/swift" }],
  prefix_aliases: [{ prefix: "gpt-", model: "acme/deep" }],
  models: ["acme/*"],
  rpm: 60,
  tpm: null,
  concurrent: 4,
  budget: { amount_micro: 12_500_000, window: "week" },
  old_secret_until: null,
  expires_at: "2027-01-01T00:00:00.000Z",
  created_at: "2026-11-21T00:00:00.000Z",
  last_used_at: null,
  playground: false,
  barred: false,
  ceilings: { models: null, rpm: null, tpm: null, concurrent: null, budget: null, expires_at: null },
};

test("a new key sends only the fields that were filled in", () => {
  expect(fieldsOf(NEW_DRAFT)).toEqual({
    name: "",
    aliases: [],
    prefix_aliases: [],
    models: null,
    rpm: null,
    tpm: null,
    concurrent: null,
    budget: null,
    model_limits: null,
    cache: null,
    expires_at: null,
  });
});

test("saving a key without an edit changes nothing", () => {
  expect(changesOf(KEY, draftOf(KEY))).toEqual({});
});

test("only edited fields are written", () => {
  const draft = draftOf(KEY);
  expect(changesOf(KEY, { ...draft, rpm: "", budget: "12,75" })).toEqual({
    rpm: null,
    budget: { amount: "12.75", window: "week" },
  });
  expect(changesOf(KEY, { ...draft, cache: " 10m" })).toEqual({ cache: "10m" });
  expect(changesOf({ ...KEY, cache: "10m" }, { ...draft, cache: "" })).toEqual({ cache: null });
  expect(changesOf(KEY, { ...draft, confined: false })).toEqual({ models: null });
  expect(changesOf(KEY, { ...draft, aliases: [...draft.aliases, newAliasRow("o-*", "acme/deep")] })).toEqual({
    prefix_aliases: [
      { prefix: "gpt-", model: "acme/deep" },
      { prefix: "o-", model: "acme/deep" },
    ],
  });
});

test("a budget that may mean two amounts is sent as it is, and the gateway refuses it", () => {
  expect(fieldsOf({ ...NEW_DRAFT, budget: "1,000" }).budget).toEqual({ amount: "1,000", window: "month" });
});
