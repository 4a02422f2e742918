import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { budgetForEffort, effortForBudget, nearestEffort, REQUEST_EFFORTS } from "./effort.ts";

describe("a level that the model lacks", () => {
  const cases: [asked: string, supported: string[], sent: string | null][] = [
    ["high", ["low", "medium", "high"], "high"],
    ["xhigh", ["low", "medium", "high"], "high"],
    ["minimal", ["low", "medium", "high"], "low"],
    ["none", ["low", "medium", "high"], "low"],
    ["medium", ["low", "high"], "low"],
    ["minimal", ["none", "low"], "none"],
    ["low", ["high"], "high"],
    ["default", ["default", "low"], "default"],
    ["high", ["default"], null],
    ["high", [], null],
    ["max", ["low", "xhigh"], "xhigh"],
    ["boundless", ["low", "max"], "max"],
  ];
  test.each(cases)("%s on a model with %p is sent as %p", (asked, supported, sent) => {
    expect(nearestEffort(asked, supported)).toBe(sent);
  });

  test("is never replaced by a higher one while there is a lower one", () => {
    const order = [...REQUEST_EFFORTS];
    fc.assert(
      fc.property(fc.constantFrom(...order), fc.subarray(order, { minLength: 1 }), (asked, supported) => {
        const sent = nearestEffort(asked, supported) as (typeof order)[number];
        const lower = supported.filter((level) => order.indexOf(level) <= order.indexOf(asked));
        expect(supported).toContain(sent);
        if (lower.length > 0) expect(order.indexOf(sent)).toBeLessThanOrEqual(order.indexOf(asked));
      }),
    );
  });
});

describe("a thinking budget", () => {
  test("grows with the level and never passes the largest", () => {
    const budgets = REQUEST_EFFORTS.map((effort) => budgetForEffort(effort, 32000));
    expect(budgets).toEqual([...budgets].sort((a, b) => a - b));
    expect(budgets.at(0)).toBe(0);
    expect(budgets.at(-1)).toBeLessThanOrEqual(32000);
  });

  test("is turned into its level and back", () => {
    for (const effort of REQUEST_EFFORTS) {
      if (effort === "none") continue;
      expect(effortForBudget(budgetForEffort(effort, 32000), 32000)).toBe(effort);
    }
  });

  test("below every level is minimal", () => {
    expect(effortForBudget(1024, 128000)).toBe("minimal");
  });

  test("of an unknown level is the budget of high", () => {
    expect(budgetForEffort("default", 1000)).toBe(budgetForEffort("high", 1000));
  });
});
