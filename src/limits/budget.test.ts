import { describe, expect, test } from "bun:test";
import { MAX_MICRO, micro } from "../core/money/money.ts";
import { raisedBudget, remainingBudget } from "./budget.ts";

describe("the rest of a budget", () => {
  const cases = [
    { amount: 100, spent: 0, held: 0, left: 100 },
    { amount: 100, spent: 30, held: 20, left: 50 },
    { amount: 100, spent: 80, held: 20, left: 0 },
    { amount: 100, spent: 90, held: 20, left: 0 },
    { amount: 0, spent: 0, held: 0, left: 0 },
  ];
  for (const { amount, spent, held, left } of cases) {
    test(`of ${amount}, with ${spent} spent and ${held} held, is ${left}`, () => {
      expect(remainingBudget(micro(amount), { spent_micro: micro(spent), held_micro: micro(held) })).toBe(micro(left));
    });
  }
});

test("a raise is added until its time, not at it, and never beyond what a column holds", () => {
  const raise = { raise_micro: micro(50), raise_until_ms: 1000 };
  expect(raisedBudget(micro(100), raise, 999)).toBe(micro(150));
  expect(raisedBudget(micro(100), raise, 1000)).toBe(micro(100));
  expect(raisedBudget(MAX_MICRO, raise, 0)).toBe(MAX_MICRO);
});
