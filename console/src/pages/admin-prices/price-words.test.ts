import { describe, expect, test } from "bun:test";
import { marginRange } from "./price-words.ts";

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
