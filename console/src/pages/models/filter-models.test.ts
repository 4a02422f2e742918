import { expect, test } from "bun:test";
import type { Model } from "../../../../contract/models.ts";
import { filterModels, vendorsOf } from "./filter-models.ts";

const PRICE = { input_micro_per_mtok: 3_000_000, output_micro_per_mtok: 15_000_000 };

function model(id: string, more: Partial<Model> = {}): Model {
  const [vendor = ""] = id.split("/");
  const cache = { cache_read_micro_per_mtok: 0, cache_write_micro_per_mtok: 0 };
  return {
    id,
    object: "model",
    display_name: id,
    kind: "chat",
    owned_by: vendor,
    created: 0,
    context_length: 128_000,
    max_completion_tokens: null,
    input_modalities: ["text"],
    output_modalities: ["text"],
    capabilities: { streaming: true, tools: false, json: false, vision: false, thinking: false },
    price: { version: "1", ...PRICE, ...cache, tiers: [] },
    prices: [],
    vendor: { id: vendor, name: vendor.toUpperCase() },
    endpoints: ["chat.completions", "responses", "messages"],
    decided_with: null,
    vendors: [vendor],
    fallbacks: [],
    ...more,
  };
}

const MODELS = [
  model("acme/small", { context_length: 32_000 }),
  model("acme/thinker", {
    capabilities: { streaming: true, tools: true, json: false, vision: false, thinking: true },
  }),
  model("bolt/decider", { kind: "decision", endpoints: ["decisions", "systemone"], context_length: null }),
];

test.each([
  ["everything without filters", {}, ["acme/small", "acme/thinker", "bolt/decider"]],
  ["every word, anywhere in id, name and vendor", { q: "ACME thin" }, ["acme/thinker"]],
  ["a kind", { kind: "decision" }, ["bolt/decider"]],
  ["a vendor", { vendor: "acme" }, ["acme/small", "acme/thinker"]],
  ["an endpoint", { endpoint: "systemone" }, ["bolt/decider"]],
  ["all of several capabilities", { can: "tools,thinking" }, ["acme/thinker"]],
  ["a capability that there is not, not at all", { can: "flying" }, ["acme/small", "acme/thinker", "bolt/decider"]],
  ["a price", { price: "2.5" }, []],
  ["a price that just fits", { price: "3" }, ["acme/small", "acme/thinker", "bolt/decider"]],
  ["a context; unknown ones do not pass", { context: "100000" }, ["acme/thinker"]],
])("filters by %s", (_, filters, ids) => {
  expect(filterModels(MODELS, filters).map(({ id }) => id)).toEqual(ids);
});

test("each vendor is offered once, by name", () => {
  expect(vendorsOf(MODELS)).toEqual([
    { value: "acme", label: "ACME" },
    { value: "bolt", label: "BOLT" },
  ]);
});
