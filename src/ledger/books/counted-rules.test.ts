import { expect, test } from "bun:test";
import type { AppliedRule } from "../../core/people/limit-rules.ts";
import { countedOf, readCountedRules, readRules } from "./counted-rules.ts";

const NONE = { rpm: null, tpm: null, concurrent: null, budget: null } as const;

function ruleOf([rule, value]: readonly [string, string]): AppliedRule {
  return { rule, value, ...NONE };
}

const RULES = [
  ["key_1 model openai/*", ""],
  ["key_1 model *", ""],
  ["account model *", ""],
  ["proj_1 tag customer", "acme"],
  ["account tag customer", 'a "b" c\n d'],
  ["account tag region", "eu"],
  ["gateway tag customer", "__proto__"],
  ["one", ""],
] as const;

test("a request's row names its rules and their values, what they begin with once", () => {
  const { text, ids } = countedOf("acct_1", RULES.map(ruleOf));
  expect(text.match(/key_1/g)).toHaveLength(1);
  expect(readRules(text)).toEqual(RULES.map((rule) => [...rule]));
  expect(readCountedRules("acct_1", text)).toEqual({ ids, text });
  expect(readCountedRules("acct_1", null)).toBeNull();
});

test("rules of any names come back", () => {
  const words = ["", " ", "a", "a b", " a", "a ", "__proto__", "1", "2 3"];
  const rules = words.flatMap((rule) => ["", "v", " "].map((value) => ruleOf([rule, value])));
  const { text } = countedOf("acct_1", rules);
  const read = readRules(text).map(([rule, value]) => JSON.stringify([rule, value]));
  expect(read.toSorted()).toEqual(rules.map(({ rule, value }) => JSON.stringify([rule, value])).toSorted());
});
