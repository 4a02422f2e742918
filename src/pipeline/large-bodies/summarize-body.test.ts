import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Price } from "../../core/money/price.ts";
import { PART_NAMES } from "../../core/money/price-classes.ts";
import { RARE_WORDS, rareCosts } from "../../ledger/rare-costs.ts";
import { isSeen } from "../plan/seen-output.ts";
import { continuesStored } from "../request/collect-text.ts";
import { usageBounds } from "../usage/believed-usage.ts";
import { rareCostWords, summarizeBody } from "./summarize-body.ts";

const word = fc.oneof(fc.constantFrom(...RARE_WORDS, "hi", "漢", '"'), fc.string({ maxLength: 5 }));
const effort = fc.constantFrom("none", "low", null, 3);
const tool = fc.record(
  { type: fc.constantFrom("function", "web_search", "computer_20250124", "x", 3) },
  { requiredKeys: [] },
);
const body = fc.record(
  {
    messages: fc.constant([]),
    input: word,
    reasoning_effort: effort,
    reasoning: fc.oneof(fc.record({ effort }), effort),
    previous_response_id: fc.constantFrom("resp_1", null),
    conversation: fc.constantFrom("conv_1", { id: "conv_1" }, null),
    prompt: fc.constantFrom({ id: "pmpt_1" }, null),
    mcp_servers: fc.constantFrom([], null),
    tools: fc.array(tool, { maxLength: 3 }),
    text: fc.array(word, { maxLength: 4 }).map((words) => words.join(" ")),
  },
  { requiredKeys: [] },
);
const price: Price = {
  ...{ version: "1", from_ms: 0, input_micro_per_mtok: 1, output_micro_per_mtok: 1, tiers: [] },
  ...{ cache_read_micro_per_mtok: 1, cache_write_micro_per_mtok: 1 },
  parts_micro_per_mtok: Object.fromEntries(PART_NAMES.map((name) => [name, 2])),
};
const model = {
  capabilities: { thinking: true, reasoning: { effort: ["none"] } },
  output_modalities: ["text"],
  prices: [price],
} as never;

test("a request is judged by the summary of its body as by the whole body", () => {
  fc.assert(
    fc.property(body, (whole) => {
      const text = JSON.stringify(whole);
      const asked = { choices: 1, input_bound_tokens: text.length, stream: true };
      const request = { ...asked, text, body: whole };
      const summary = { ...asked, text: rareCostWords(text), body: summarizeBody(whole) };
      expect(rareCosts(price, summary)).toEqual(rareCosts(price, request));
      expect(usageBounds(summary, 100)).toEqual(usageBounds(request, 100));
      expect(continuesStored(summary.body)).toBe(continuesStored(request.body));
      const routes = { streams_all: false, routes: [{ model }] };
      expect(isSeen(summary, routes)).toBe(isSeen(request, routes));
    }),
  );
});

test("the summary has nothing of a body's size", () => {
  const large = "x".repeat(100_000);
  const whole = {
    messages: [large],
    conversation: large,
    tools: [{ type: large }],
    reasoning: { effort: large },
    images: [large],
  };
  expect(JSON.stringify(summarizeBody(whole)).length).toBeLessThan(200);
  expect(rareCostWords(`${large} audio image "1h"`)).toBe('audio image 1h"');
});
