import { describe, expect, test } from "bun:test";
import { formatExact, marginRange } from "./price-words.ts";

describe("a price", () => {
  test.each([
    [3_000_000, "$3.00"],
    [1_255_000, "$1.255"],
    [1, "$0.000001"],
    [0, "$0.00"],
    [-250_000, "-$0.25"],
    [123_456_789_012_345, "$123,456,789.012345"],
  ])("of %d micro units is %p to the last decimal", (micro, text) => {
    expect(formatExact(micro, "USD", "en-US")).toBe(text);
  });
});

describe("the margins of a model", () => {
  const margin = (micro_per_mtok: number, percent: number | null) => ({ micro_per_mtok, decimal: "", percent });
  const route = (...classes: ReturnType<typeof margin>[]) => {
    const [input = margin(0, 0), output = margin(0, 0)] = classes;
    const row = { above_input_tokens: 0, input, output, cache_read: margin(0, null), cache_write: margin(0, null) };
    return { vendor: "acme", upstream_model: "m", weight: 1, cost: null, margins: [row] };
  };

  test("range from the least margin of any route to the greatest", () => {
    const routes = [route(margin(1, 10), margin(1, 20)), route(margin(-1, -5), margin(1, 7))];
    expect(marginRange({ routes })).toEqual({ least: -5, most: 20 });
  });

  test("are -100 % where a class that costs money is sold for nothing", () => {
    expect(marginRange({ routes: [route(margin(-1, null), margin(1, 20))] })).toEqual({ least: -100, most: 20 });
  });

  test("are unknown where no cost is known", () => {
    expect(marginRange({ routes: [] })).toBeNull();
    expect(marginRange({ routes: [{ ...route(), margins: null }] })).toBeNull();
  });
});
