import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Micro, micro } from "../core/money/money.ts";
import { costOf, type Price } from "../core/money/price.ts";
import { NO_USAGE } from "../core/money/usage.ts";
import { grantOutput } from "./books/grant-output.ts";
import {
  type HoldProspects,
  type HoldRequest,
  type HoldSize,
  holdFor,
  LARGEST_OUTPUT_TOKENS,
  SEEN_OUTPUT_TOKENS,
} from "./hold.ts";

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
const REQUEST = {
  ...{ input_bound_tokens: 1000, output_cap: 500 as number | null, choices: 1 },
  ...{ is_seen: false, takes_cap: true, model: MODEL },
};

type Sized = HoldRequest & HoldProspects;

function held(request: Sized): HoldSize {
  return holdFor(request, request);
}

function sized(fields: Partial<Sized>, at: Price, model: Sized["model"] = MODEL): HoldSize {
  return held({ ...REQUEST, routes: [{ model, price: at }], model, ...fields });
}

describe("a hold", () => {
  test("covers the input's bound and the client's cap, and may not shrink", () => {
    expect(sized({}, price(1_000_000, 2_000_000))).toEqual({
      hold_micro: micro(1000 + 2 * 500),
      allowance: null,
      bound_tokens: 1000,
      held_output_tokens: 500,
      covers_output: true,
    });
  });

  const uncapped = [
    { what: "4,096 tokens of output that can be seen", seen: true, max: 32_000, held: SEEN_OUTPUT_TOKENS },
    { what: "the model's maximum where that is smaller", seen: true, max: 100, held: 100 },
    { what: "4,096 seen tokens where the maximum is not known", seen: true, max: null, held: SEEN_OUTPUT_TOKENS },
    { what: "the model's maximum where output cannot be seen", seen: false, max: 32_000, held: 32_000 },
    { what: "the whole context where no maximum is known", seen: false, max: null, held: 200_000 },
  ];
  test.each(uncapped)("covers $what when the client gave no cap", ({ seen, max, held }) => {
    const model = { ...MODEL, max_completion_tokens: max };
    const size = sized({ output_cap: null, is_seen: seen }, price(0, 1_000_000), model);
    expect(size).toMatchObject({ held_output_tokens: held, hold_micro: micro(held), covers_output: !seen });
    expect(size.allowance !== null).toBe(!seen);
  });

  test("covers the largest output of today where neither maximum nor context is known", () => {
    const model = { context_length: null, max_completion_tokens: null };
    expect(sized({ output_cap: null }, price(0, 1_000_000), model).held_output_tokens).toBe(LARGEST_OUTPUT_TOKENS);
  });

  test("does not trust in a cap that a vendor does not take: it covers the model's maximum, whole", () => {
    const size = sized({ takes_cap: false }, price(0, 1_000_000));
    expect(size).toMatchObject({ hold_micro: micro(32_000), allowance: null, covers_output: true });
  });

  test("covers each of several answers", () => {
    const size = sized({ choices: 3 }, price(0, 1_000_000));
    expect(size).toMatchObject({ held_output_tokens: 1500, hold_micro: micro(1500) });
    expect(sized({ choices: 3, output_cap: null }, price(0, 1_000_000))).toMatchObject({
      hold_micro: micro(96_000),
      allowance: { least_tokens: 3 * 1024, most_tokens: 96_000 },
    });
  });

  test("counts no more input than the model can read", () => {
    const size = sized({ input_bound_tokens: 10 ** 9 }, price(1_000_000, 0));
    expect(size).toMatchObject({ bound_tokens: 200_000, hold_micro: micro(200_000) });
  });

  test("covers a fallback that reads and writes more than the requested model", () => {
    const large = { context_length: 1_000_000, max_completion_tokens: 64_000 };
    const routes = [
      { model: MODEL, price: price(1_000_000, 1_000_000) },
      { model: large, price: price(1_000_000, 1_000_000) },
    ];
    const size = held({ ...REQUEST, input_bound_tokens: 10 ** 9, output_cap: null, routes });
    expect(size.hold_micro).toBe(micro(1_064_000));
    expect(size.bound_tokens).toBe(200_000);
  });

  test("leaves room for the input within the context where it shrinks", () => {
    const most = (input_bound_tokens: number) =>
      sized({ output_cap: null, input_bound_tokens }, price(0, 1_000_000)).allowance?.most_tokens;
    expect([most(1000), most(380_000), most(10 ** 9)]).toEqual([32_000, 10_000, 1024]);
  });
});

const prices = fc.array(
  fc.tuple(fc.nat(50_000_000), fc.nat(50_000_000)).map(([input, output]) => price(input, output)),
  { minLength: 1, maxLength: 4 },
);
const amounts = fc.bigInt({ min: 0n, max: 10n ** 9n }).map(micro);

describe("whatever any model of the chain charges for a request within the bounds", () => {
  test("is covered by its hold", () => {
    fc.assert(
      fc.property(prices, fc.nat(200_000), fc.nat(32_000), fc.nat(), (prices, input, output, pick) => {
        const routes = prices.map((each) => ({ model: MODEL, price: each }));
        const { hold_micro } = held({ ...REQUEST, input_bound_tokens: input, output_cap: output, routes });
        const answered = prices[pick % prices.length] ?? price(0, 0);
        return costOf({ ...NO_USAGE, input_tokens: input, output_tokens: output }, answered) <= hold_micro;
      }),
    );
  });

  test("is covered by what was granted of it, which is never more than what was spendable", () => {
    const asked = fc.record({ input: fc.nat(200_000), choices: fc.integer({ min: 1, max: 4 }) });
    fc.assert(
      fc.property(prices, asked, amounts, fc.nat(), (prices, { input, choices }, spendable, pick) => {
        const routes = prices.map((each) => ({ model: MODEL, price: each }));
        const request = { ...REQUEST, input_bound_tokens: input, output_cap: null, choices, routes };
        const { allowance, hold_micro } = held(request);
        if (allowance === null) throw new Error("a request without a cap has an allowance");
        const granted = grantOutput(allowance, spendable);
        if (granted === null) return grantedLess(allowance.least_tokens, hold_micro, spendable);
        const answered = prices[pick % prices.length] ?? price(0, 0);
        const usage = { ...NO_USAGE, input_tokens: input, output_tokens: granted.output_tokens };
        expect(granted.output_tokens).toBeGreaterThanOrEqual(allowance.least_tokens);
        expect(granted.output_tokens).toBeLessThanOrEqual(allowance.most_tokens);
        expect(granted.hold_micro <= spendable).toBe(true);
        expect(costOf(usage, answered) <= granted.hold_micro).toBe(true);
      }),
    );
  });
});

/** A request that is granted nothing could not have been paid whole. */
function grantedLess(least_tokens: number, hold_micro: Micro, spendable: Micro): void {
  expect(least_tokens).toBeGreaterThan(0);
  expect(hold_micro + 2n > spendable).toBe(true);
}

test("a grant takes half of what is spendable, and all of it where half does not pay for 1,024 tokens", () => {
  const allowance = {
    ...{ base_micro: micro(100), output_micro_per_mtok: 1_000_000 },
    ...{ least_tokens: 1024, most_tokens: 32_000 },
  };
  const granted = (spendable: number) => grantOutput(allowance, micro(spendable));
  expect(granted(10_000)).toEqual({ hold_micro: micro(5000), output_tokens: 4900 });
  expect(granted(2000)).toEqual({ hold_micro: micro(1124), output_tokens: 1024 });
  expect(granted(1124)).toEqual({ hold_micro: micro(1124), output_tokens: 1024 });
  expect(granted(1123)).toBeNull();
  expect(granted(10 ** 9)?.output_tokens).toBe(32_000);
});
