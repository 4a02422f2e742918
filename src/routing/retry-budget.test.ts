import { expect, test } from "bun:test";
import fc from "fast-check";
import { RetryBudget } from "./retry-budget.ts";

test("a few retries are always there, however quiet it is", () => {
  const budget = new RetryBudget(() => 0);
  budget.countRequest();
  expect([1, 2, 3, 4].map(() => budget.takeRetry())).toEqual([true, true, true, false]);
});

test("a vendor that fails everything is asked at most a fifth more often", () => {
  fc.assert(
    fc.property(fc.integer({ min: 20, max: 2000 }), (requests) => {
      const budget = new RetryBudget(() => 0);
      let calls = 0;
      for (let request = 0; request < requests; request += 1) {
        budget.countRequest();
        calls += budget.takeRetry() ? 2 : 1;
      }
      expect(calls).toBeLessThanOrEqual(requests * 1.2);
    }),
  );
});

test("the budget comes back with time", () => {
  const clock = { now_ms: 0 };
  const budget = new RetryBudget(() => clock.now_ms);
  while (budget.takeRetry());
  clock.now_ms = 10_000;
  expect(budget.takeRetry()).toBe(true);
});
