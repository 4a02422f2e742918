import { expect, test } from "bun:test";
import fc from "fast-check";
import { axisBetween, axisSteps, daysBetween, seriesColour } from "./scale.ts";

test("an axis covers its highest value in few round steps", () => {
  expect(axisSteps(0)).toEqual([0, 1]);
  expect(axisSteps(37)).toEqual([0, 10, 20, 30, 40]);
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e15, noNaN: true }), (most) => {
      const steps = axisSteps(most);
      expect(steps[0]).toBe(0);
      expect(steps.at(-1) ?? 0).toBeGreaterThanOrEqual(most * (1 - 1e-6));
      expect(steps.length).toBeGreaterThan(2);
      expect(steps.length).toBeLessThan(7);
    }),
  );
});

test("an axis with something below zero has zero among its steps and covers both ends", () => {
  expect(axisBetween(0, 37)).toEqual(axisSteps(37));
  expect(axisBetween(-5, 37)).toEqual([-10, 0, 10, 20, 30, 40]);
  expect(axisBetween(-37, 0)).toEqual([-40, -30, -20, -10, 0]);
  const amount = fc.double({ min: 1e-3, max: 1e12, noNaN: true });
  fc.assert(
    fc.property(amount, amount, (below, most) => {
      const steps = axisBetween(-below, most);
      expect(steps).toContain(0);
      // Less than a millionth of the axis is not seen.
      const unseen = (below + most) * 1e-6;
      expect(steps[0] ?? 0).toBeLessThanOrEqual(unseen - below);
      expect(steps.at(-1) ?? 0).toBeGreaterThanOrEqual(most - unseen);
      expect(steps.length).toBeLessThan(13);
    }),
  );
});

test("days are counted over the ends of months and through changes of the clock", () => {
  expect(daysBetween("2026-02-27", "2026-03-02")).toEqual(["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"]);
  expect(daysBetween("2026-10-24", "2026-10-26")).toHaveLength(3);
  expect(daysBetween("2026-10-26", "2026-10-24")).toEqual([]);
});

test("from the ninth series on there is one colour", () => {
  expect(seriesColour(0)).not.toBe(seriesColour(1));
  expect(seriesColour(7)).toBe(seriesColour(20));
});
