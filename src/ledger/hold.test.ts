import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { micro } from "../core/money.ts";
import { costOf, type Price } from "../core/price.ts";
import { NO_USAGE } from "../core/usage.ts";
import { ASSUMED_OUTPUT_TOKENS, holdFor } from "./hold.ts";

function price(input: number, output: number): Price {
  return {
    version: `${input}/${output}`,
    from_ms: 0,
    input_micro_per_mtok: input,
    output_micro_per_mtok: output,
    cache_read_micro_per_mtok: input,
    cache_write_micro_per_mtok: input,
    tiers: [],
  };
}

const MODEL = { context_length: 200_000, max_completion_tokens: 32_000 };
const REQUEST = { input_bound_tokens: 1000, output_cap: 500, choices: 1, model: MODEL };

describe("a hold", () => {
  test("covers the input's bound and the client's cap, to which it is closed", () => {
    expect(holdFor({ ...REQUEST, prices: [price(1_000_000, 2_000_000)] })).toEqual({
      hold_micro: micro(1000 + 2 * 500),
      bound_tokens: 1000,
      held_output_tokens: 500,
      covers_cap: true,
    });
  });

  const assumed = [
    { what: "4,096 tokens of output", max: 32_000, held: ASSUMED_OUTPUT_TOKENS },
    { what: "the model's maximum where that is smaller", max: 100, held: 100 },
    { what: "4,096 where the model's maximum is not known", max: null, held: ASSUMED_OUTPUT_TOKENS },
  ];
  for (const { what, max, held } of assumed) {
    test(`assumes ${what} when the client gave no cap, and may have to grow`, () => {
      const model = { ...MODEL, max_completion_tokens: max };
      const size = holdFor({ ...REQUEST, output_cap: null, model, prices: [price(0, 1_000_000)] });
      expect(size).toMatchObject({ held_output_tokens: held, hold_micro: micro(held), covers_cap: false });
    });
  }

  test("covers each of several answers", () => {
    const size = holdFor({ ...REQUEST, choices: 3, prices: [price(0, 1_000_000)] });
    expect(size).toMatchObject({ held_output_tokens: 1500, hold_micro: micro(1500) });
  });

  test("counts no more input than the model can read", () => {
    const size = holdFor({ ...REQUEST, input_bound_tokens: 10 ** 9, prices: [price(1_000_000, 0)] });
    expect(size).toMatchObject({ bound_tokens: 200_000, hold_micro: micro(200_000) });
  });

  test("covers whatever any model of the chain charges for a request within the bounds", () => {
    const prices = fc.array(
      fc.tuple(fc.nat(50_000_000), fc.nat(50_000_000)).map(([input, output]) => price(input, output)),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(prices, fc.nat(200_000), fc.nat(32_000), fc.nat(), (prices, input, output, pick) => {
        const { hold_micro } = holdFor({ ...REQUEST, input_bound_tokens: input, output_cap: output, prices });
        const answered = prices[pick % prices.length] ?? price(0, 0);
        return costOf({ ...NO_USAGE, input_tokens: input, output_tokens: output }, answered) <= hold_micro;
      }),
    );
  });
});
