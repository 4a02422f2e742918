import { describe, expect, test } from "bun:test";
import { readDecisionUsage } from "./decision-answer.ts";

const counts = (input_tokens: number, cache_read_tokens = 0, cache_write_tokens = 0) => ({
  ...{ input_tokens, cache_read_tokens, cache_write_tokens },
  ...{ output_tokens: 0, reasoning_tokens: 0 },
});
const told = (more: object) => ({ input_tokens: 5000, output_tokens: 0, total_tokens: 5000, ...more });

describe("a decision's usage is read in disjoint classes", () => {
  test.each([
    ["no details", {}, counts(5000)],
    ["null details", { input_tokens_details: null, output_tokens_details: null }, counts(5000)],
    ["cached tokens", { input_tokens_details: { cached_tokens: 3000 } }, counts(2000, 3000)],
    ["written tokens", { input_tokens_details: { cache_write_tokens: 1000 } }, counts(4000, 0, 1000)],
    ["both", { input_tokens_details: { cached_tokens: 3000, cache_write_tokens: 1000 } }, counts(1000, 3000, 1000)],
    ["all of it cached", { input_tokens_details: { cached_tokens: 5000 } }, counts(0, 5000)],
    ["null counts", { input_tokens_details: { cached_tokens: null, cache_write_tokens: null } }, counts(5000)],
    ["an output", { output_tokens: 9, output_tokens_details: { reasoning_tokens: 9, image_tokens: 2 } }, counts(5000)],
    [
      "an unknown count",
      { compute_tokens: 12, input_tokens_details: { warm_tokens: 4 } },
      { ...counts(5000), extra: { unpriced: ["compute_tokens", "warm_tokens"] } },
    ],
    [
      "tokens of images",
      { input_tokens_details: { image_tokens: 765 } },
      { ...counts(5000), extra: { parts: { input_image: 765 } } },
    ],
    [
      "a vendor's search",
      { server_tool_use: { web_search_requests: 2 } },
      { ...counts(5000), extra: { calls: { web_search: 2 } } },
    ],
  ])("with %s", (_what, more, usage) => {
    expect(readDecisionUsage(told(more))).toEqual({ usage, rejected_usage: null });
  });
});

describe("a usage that cannot be believed is none, and is kept for the log", () => {
  test.each([
    ["no input", { input_tokens: 0 }],
    ["a text as count", { input_tokens: "5000" }],
    ["a fraction", { input_tokens: 0.5 }],
    ["more cached than there was", { input_tokens_details: { cached_tokens: 5001 } }],
    [
      "more cached and written than there was",
      { input_tokens_details: { cached_tokens: 3000, cache_write_tokens: 2001 } },
    ],
    ["a negative count", { input_tokens_details: { cached_tokens: -1 } }],
    ["a count that is text", { input_tokens_details: { cache_write_tokens: "7" } }],
    ["more tokens of images than there was", { input_tokens_details: { image_tokens: 5001 } }],
  ])("%s", (_what, more) => {
    const usage = told(more);
    expect(readDecisionUsage(usage)).toEqual({ usage: null, rejected_usage: usage });
  });

  test.each([[undefined], [null], ["5"], [[]]])("but %p is no usage at all", (value) => {
    expect(readDecisionUsage(value)).toEqual({ usage: null, rejected_usage: null });
  });
});
