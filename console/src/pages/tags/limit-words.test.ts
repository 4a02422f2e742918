import { expect, test } from "bun:test";
import { limitWords } from "./limit-words.ts";

const NONE = { rpm: null, tpm: null, concurrent: null, budget: null };

test.each([
  [NONE, ""],
  [{ ...NONE, budget: { amount_micro: 5_000_000, window: "day" as const } }, "$5.00 a day"],
  [
    { rpm: 1_000_000, tpm: 1, concurrent: 2, budget: { amount_micro: 1_234_567, window: "once" as const } },
    "$1.234567 once, 1,000,000 requests per minute, 1 token per minute, 2 concurrent requests",
  ],
  [{ ...NONE, concurrent: 1 }, "1 concurrent request"],
])("the limits %j are %j", (limits, words) => {
  expect(limitWords(limits, "USD")).toBe(words);
});
