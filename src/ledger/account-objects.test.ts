import { describe, expect, test } from "bun:test";
import { MAX_MICRO, micro } from "../core/money/money.ts";
import { NO_UNITS } from "../core/money/price-classes.ts";
import { creditsObject, usageObject } from "./account-objects.ts";

const totals = (cost: number) => ({
  cost_micro: micro(cost),
  prompt_tokens: 3,
  completion_tokens: 4,
  request_count: 2,
  success_count: 1,
  ...NO_UNITS,
});

const SUMS = { hits: 2, misses: 1, saved_micro: 7n };

describe("GET /v1/usage", () => {
  test("has three windows with exact sums", () => {
    const shown = usageObject({ daily: totals(1), weekly: totals(2), monthly: totals(3) }, "EUR", SUMS);
    const counts = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, request_count: 2, success_count: 1 };
    expect(shown).toEqual({
      currency: "EUR",
      daily: { cost_micro: 1, ...counts },
      weekly: { cost_micro: 2, ...counts },
      monthly: { cost_micro: 3, ...counts },
      cache: { hits: 2, misses: 1, saved_micro: 7 },
    });
  });
});

describe("GET /v1/credits", () => {
  test("shows what can be spent and what is held, apart", () => {
    const account = { balance_micro: MAX_MICRO, held_micro: micro(5) };
    expect(creditsObject(account, "USD")).toEqual({
      currency: "USD",
      balance_micro: 9_007_199_254_740_991,
      uncollected_micro: 5,
    });
  });

  test("is zeros without a wallet", () => {
    expect(creditsObject(null, "USD")).toEqual({ currency: "USD", balance_micro: 0, uncollected_micro: 0 });
  });
});
