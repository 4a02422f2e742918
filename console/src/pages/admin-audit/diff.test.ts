import { describe, expect, test } from "bun:test";
import { changesOf, valueWords } from "./diff.ts";

const money = (micro: number) => `$${micro / 1_000_000}`;
const told = (before: Record<string, unknown> | null, after: Record<string, unknown> | null) =>
  changesOf({ before, after }).map(({ name, field, before: was, after: is }) => [
    name,
    valueWords(field, was, money),
    valueWords(field, is, money),
  ]);

describe("the changes of an audit entry", () => {
  test("are the changed fields and nothing else", () => {
    const key = { id: "key_1", name: "CI", rpm: null, aliases: [], created_ms: 1 };
    expect(told(key, { ...key, name: "Build", rpm: 1200 })).toEqual([
      ["name", "CI", "Build"],
      ["requests per minute", "none", "1,200"],
    ]);
  });

  test("are all fields of a new or a removed object, without the empty ones", () => {
    const account = { id: "acct_1", email: "a@example.com", name: "", balance_micro: 0, created_ms: 1 };
    expect(told(null, account)).toEqual([
      ["email", "none", "a@example.com"],
      ["balance", "none", "$0"],
    ]);
    expect(told(account, null).map(([name]) => name)).toEqual(["email", "balance"]);
  });

  test("of a credit are the balance and the entry's own fields", () => {
    const entry = { kind: "credit", amount_micro: 5_000_000, note: "gift" };
    expect(told({ balance_micro: 0 }, { balance_micro: 5_000_000, entry })).toEqual([
      ["balance", "$0", "$5"],
      ["kind", "none", "credit"],
      ["amount", "none", "$5"],
      ["note", "none", "gift"],
    ]);
  });
});

test.each([
  ["aliases", [{ name: "fast", model: "acme/swift" }], "fast → acme/swift"],
  ["prefix_aliases", [{ prefix: "gpt-", model: "acme/swift" }], "gpt-* → acme/swift"],
  ["budget", { amount_micro: 5_000_000, window: "day" }, "$5 a day"],
  ["models", ["acme/*", "other/*"], "acme/*, other/*"],
  ["has_password", true, "yes"],
  ["settings", { region: "east", port: 80 }, "region east, port 80"],
])("%s is said in words", (field, value, words) => {
  expect(valueWords(field, value, money)).toBe(words);
});
