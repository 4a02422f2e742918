import { expect, test } from "bun:test";
import type { Capabilities } from "../../core/catalog/catalog.ts";
import type { PartPrices, Price } from "../../core/money/price.ts";
import { isSeen, streamsAll } from "./seen-output.ts";

const PLAIN: Capabilities = { streaming: true, tools: true, json: true, vision: false, thinking: false };
const PRICE: Price = {
  ...{ version: "v", from_ms: 0, tiers: [] },
  ...{ input_micro_per_mtok: 1, output_micro_per_mtok: 1, cache_read_micro_per_mtok: 1, cache_write_micro_per_mtok: 1 },
};
const REASONS: Capabilities = { ...PLAIN, thinking: true, reasoning: { effort: ["low", "high"] } };
const STOPS: Capabilities = { ...PLAIN, thinking: true, reasoning: { effort: ["none", "low", "high"] } };
const SEARCH = [{ place: "tools[0]", what: "a search", calls: { web_search: 10 }, unpriced: "refuse" as const }];
const TIER = [
  { place: "service_tier", what: "a tier", asks: { service_tier: "flex" }, unpriced: "leave-out" as const },
];

interface Case {
  readonly what: string;
  readonly stream?: boolean;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly charged?: typeof SEARCH | typeof TIER;
  readonly models?: readonly Capabilities[];
  readonly unsaid?: true;
  readonly parts?: PartPrices;
  readonly modalities?: readonly string[];
  readonly seen: boolean;
}

const CASES: readonly Case[] = [
  { what: "streamed text", seen: true },
  { what: "text that is not streamed", stream: false, seen: false },
  { what: "a model that reasons", models: [REASONS], seen: false },
  { what: "a fallback that reasons", models: [PLAIN, REASONS], seen: false },
  { what: "a model that is told not to reason", models: [STOPS], body: { reasoning_effort: "none" }, seen: true },
  {
    what: "a model that is told not to reason, in responses",
    models: [PLAIN, STOPS],
    body: { reasoning: { effort: "none" } },
    seen: true,
  },
  { what: "a model that cannot stop reasoning", models: [REASONS], body: { reasoning_effort: "none" }, seen: false },
  { what: "less reasoning", models: [STOPS], body: { reasoning_effort: "low" }, seen: false },
  { what: "images among the output", modalities: ["text", "image"], seen: false },
  { what: "a model of which nothing is said", unsaid: true, seen: false },
  {
    what: "a model of which nothing is said, told not to reason",
    unsaid: true,
    body: { reasoning_effort: "none" },
    seen: false,
  },
  { what: "a price of images that are made", parts: { output_image: 1 }, seen: false },
  { what: "a price of reasoning alone", parts: { output_reasoning: 1 }, seen: true },
  { what: "a tool that the vendor calls", charged: SEARCH, seen: false },
  { what: "a service tier", charged: TIER, seen: true },
];

test.each(CASES)("$what: seen is $seen", (each) => {
  const { stream = true, body = {}, charged = [], models = [PLAIN], modalities = ["text"], seen } = each;
  const { unsaid, parts } = each;
  const prices = [{ ...PRICE, ...(parts !== undefined && { parts_micro_per_mtok: parts }) }];
  const routes = models.map((capabilities) => ({
    model: { capabilities, output_modalities: modalities, prices, ...(unsaid && { thinking_unsaid: unsaid }) },
  }));
  const streams_all = routes.every(({ model }) => streamsAll(model));
  expect(isSeen({ stream, body, charged }, { streams_all, routes })).toBe(seen);
});
