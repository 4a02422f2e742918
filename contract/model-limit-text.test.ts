import { expect, test } from "bun:test";
import { modelLimitText, readModelLimit } from "./model-limit-text.ts";

test.each([
  ["openai/*:rpm=60,budget=5/day", { models: "openai/*", rpm: 60, budget: { amount: "5.00", window: "day" } }],
  ["acme/swift:free:tpm=7, concurrent=2", { models: "acme/swift:free", tpm: 7, concurrent: 2 }],
  ["*:budget=0.5/once", { models: "*", budget: { amount: "0.50", window: "once" } }],
] as const)("%s is a limit by model", (text, limit) => {
  expect(readModelLimit(text)).toEqual(limit);
});

test.each([
  ["openai/*", "PATTERN:LIMIT"],
  ["openai/*:", "PATTERN:LIMIT"],
  ["openai/*:rps=6", "PATTERN:LIMIT"],
  ["openai/*:rpm=0", "whole number"],
  ["openai/*:rpm=1,rpm=2", "rpm is twice"],
  ["openai/*:budget=5", "AMOUNT/day"],
  ["openai/*:budget=five/day", "amount"],
])("%s is none, and it is said how one is written", (text, sentence) => {
  expect(readModelLimit(text)).toEqual({ problem: expect.stringContaining(sentence) });
});

test("a limit is shown as it is typed", () => {
  const budget = { amount_micro: 5_000_000, window: "day" } as const;
  expect(modelLimitText({ models: "openai/*", rpm: 60, tpm: null, concurrent: 3, budget })).toBe(
    "openai/*:rpm=60,concurrent=3,budget=5.00/day",
  );
});
