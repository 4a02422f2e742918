import { describe, expect, test } from "bun:test";
import { arrivalsMs, Draw } from "./draw.ts";

describe("random arrivals", () => {
  const times = arrivalsMs(100, 20_000, 7);
  const gaps = [...times].map((time, index) => time - (times[index - 1] ?? 0));

  test("come in order, at the rate on average", () => {
    expect(Math.min(...gaps)).toBeGreaterThan(0);
    expect((times.at(-1) ?? 0) / times.length).toBeCloseTo(10, 0);
  });

  test("are as far apart as those of independent clients: a gap outlasts the average with probability 1/e", () => {
    expect(gaps.filter((gap) => gap > 10).length / gaps.length).toBeCloseTo(1 / Math.E, 1);
    expect(gaps.filter((gap) => gap > 30).length / gaps.length).toBeCloseTo(Math.E ** -3, 1);
  });

  test("are the same for equal seeds, and others for another", () => {
    expect(arrivalsMs(100, 20_000, 7)).toEqual(times);
    expect(arrivalsMs(100, 20_000, 8)).not.toEqual(times);
  });
});

test("a draw below a count reaches every number below it, and no other", () => {
  const draw = new Draw(3);
  expect(new Set(Array.from({ length: 500 }, () => draw.below(5)))).toEqual(new Set([0, 1, 2, 3, 4]));
});
