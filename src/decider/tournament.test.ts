import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ordersOf } from "./orders.ts";
import { MOST_CALLS, scoreByTournament } from "./tournament.ts";

describe("the orders of a listing", () => {
  test("are one order, two orders, or all cyclic orders", () => {
    expect(ordersOf(3, "none")).toEqual([[0, 1, 2]]);
    expect(ordersOf(3, "two")).toEqual([
      [0, 1, 2],
      [2, 1, 0],
    ]);
    expect(ordersOf(3, "all")).toEqual([
      [0, 1, 2],
      [1, 2, 0],
      [2, 0, 1],
    ]);
    expect(ordersOf(2, "all")).toEqual(ordersOf(2, "two"));
  });

  test("are evenly spaced where their number is limited, and never fewer than two", () => {
    expect(ordersOf(8, "all", 4).map(([first]) => first)).toEqual([0, 2, 4, 6]);
    expect(ordersOf(8, "all", 0).map(([first]) => first)).toEqual([0, 4]);
  });

  test("put each item into each place once", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 62 }), (count) => {
        const orders = ordersOf(count, "all");
        for (let place = 0; place < count; place++) {
          expect(new Set(orders.map((order) => order[place])).size).toBe(count);
        }
      }),
    );
  });
});

describe("a tournament", () => {
  test("gives every item the score of one call with all items, up to a common constant", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: -20, max: 20, noNaN: true }), { minLength: 2, maxLength: 255 }),
        fc.integer({ min: 3, max: 62 }),
        async (values, fit) => {
          const scores = await scoreByTournament(values.length, fit, "none", (groups) =>
            // Each call adds a constant of its own, as log-probabilities of different lists do.
            Promise.resolve(
              groups.map(({ items }, index) => items.map((item) => (values[item] ?? 0) - 7 * index - items.length)),
            ),
          );
          const shift = (scores[0] ?? 0) - (values[0] ?? 0);
          for (const [item, value] of values.entries()) expect((scores[item] ?? 0) - value).toBeCloseTo(shift, 9);
        },
      ),
    );
  });

  test("asks in groups that fit, of at least two items, and within the limit of calls", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 255 }), fc.integer({ min: 3, max: 62 }), async (count, fit) => {
        let calls = 0;
        let single_orders = 0;
        await scoreByTournament(count, fit, "all", (groups) => {
          calls += groups.flatMap(({ orders }) => orders).length;
          single_orders += groups.length;
          const sizes = groups.map(({ items }) => items.length);
          expect(Math.max(...sizes)).toBeLessThanOrEqual(fit);
          expect(Math.min(...sizes)).toBeGreaterThanOrEqual(2);
          expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
          return Promise.resolve(groups.map(({ items }) => items.map((item) => -item)));
        });
        expect(calls).toBeLessThanOrEqual(Math.max(MOST_CALLS, 2 * single_orders));
      }),
    );
  });
});
