import { describe, expect, test } from "bun:test";
import { micro } from "../core/money.ts";
import { remainingBudget } from "./budget.ts";

describe("what is left of a budget", () => {
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
