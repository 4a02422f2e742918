import { describe, expect, test } from "bun:test";
import { marginRange, markupWords } from "./price-words.ts";

describe("the margins of a model", () => {
  const margin = (micro_per_mtok: number, percent: number | null) => ({ micro_per_mtok, decimal: "", percent });
  const route = (...classes: ReturnType<typeof margin>[]) => {
    const [input = margin(0, 0), output = margin(0, 0)] = classes;
    const row = { above_input_tokens: 0, input, output, cache_read: margin(0, null), cache_write: margin(0, null) };
    return { vendor: "acme", upstream_model: "m", weight: 1, cost: null, cost_from: null, margins: [row] };
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

test.each([
  ["0", 0, 0, "at cost"],
  ["20", 0, 0, "plus 20%"],
  ["12.5", 50_000, 50_000, "plus 12.5% and 0.05 a million tokens"],
  ["0", 50_000, 100_000, "plus 0.05 (input) or 0.1 (output) a million tokens"],
])("a markup of %s percent, %d and %d reads: %s %s", (percent, input, output, words) => {
  const amount = (micro_per_mtok: number) => ({ micro_per_mtok, decimal: String(micro_per_mtok / 1_000_000) });
  expect(markupWords({ percent, add_input: amount(input), add_output: amount(output) })).toBe(words);
});
