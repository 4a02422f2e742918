import { expect, test } from "bun:test";
import fc from "fast-check";
import { RetryBudget } from "./retry-budget.ts";

test("a few retries are always available, even without other requests", () => {
  const budget = new RetryBudget(() => 0);
  budget.countRequest();
  expect([1, 2, 3, 4].map(() => budget.takeRetry())).toEqual([true, true, true, false]);
});

test("a vendor that always fails gets at most a fifth more calls", () => {
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

test("a vendor that fails for a long time gets at most a fifth more calls", () => {
  const clock = { now_ms: 0 };
  const budget = new RetryBudget(() => clock.now_ms);
  const calls = { requests: 0, retries: 0 };
  for (; calls.requests < 10_000; clock.now_ms += 20) {
    calls.requests += 1;
    budget.countRequest();
    if (budget.takeRetry()) calls.retries += 1;
  }
  expect(calls.retries).toBeLessThanOrEqual(calls.requests * 0.2);
  expect(calls.retries).toBeGreaterThan(calls.requests * 0.15);
});

test("the budget recovers with time", () => {
  const clock = { now_ms: 0 };
  const budget = new RetryBudget(() => clock.now_ms);
  while (budget.takeRetry());
  clock.now_ms = 20_000;
  expect(budget.takeRetry()).toBe(true);
});
