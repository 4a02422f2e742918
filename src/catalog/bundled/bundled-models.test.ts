import { describe, expect, test } from "bun:test";
import type { ClassPrices, Price } from "../../core/money/price.ts";
import { loadConfiguration } from "../configuration/load-configuration.ts";
import { VENDOR_ROWS } from "../vendors/vendors.ts";
import { BUNDLED_VENDORS, bundledModels, bundledVendor, readBundled } from "./bundled-models.ts";
import { BUNDLED_DOCUMENTS } from "./data/documents.ts";

const every_variable = Object.fromEntries(
  VENDOR_ROWS.flatMap(({ api_key_env }) => api_key_env.map((name) => [name, "k"])),
);
const env = { ...every_variable, AZURE_RESOURCE_NAME: "acme" };
const configuration = loadConfiguration({ file_text: null, file_name: "camino.yaml", env });
const models = [...configuration.models.values()];

const MODALITIES = ["text", "image", "audio", "video", "pdf"];
const EFFORTS = ["minimal", "low", "medium", "high", "xhigh", "max"];
/** MiniMax publishes the same price of a cache write for its fast models as for the usual ones. */
const CHEAP_WRITES = /^minimax\/.*-highspeed$/;

describe("the bundled catalog", () => {
  test("has documents for vendors of the table only", () => {
    const known = VENDOR_ROWS.map(({ id }) => id);
    for (const id of BUNDLED_VENDORS) expect(known).toContain(id);
  });

  test.each(BUNDLED_VENDORS)("has a date and a source for the figures of %s", (vendor) => {
    const origin = bundledVendor(vendor)?.origin;
    expect(origin?.as_of).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(origin?.as_of_ms).toBeWithin(Date.UTC(2026, 9, 1), Date.now());
    expect(origin?.source.length).toBeGreaterThan(40);
    expect(origin?.source).not.toMatch(/https?:|www\.|\.(com|org|io)\b/);
  });

  test("has more than 150 models, each under its vendor's id, and all of them are configured without a problem", () => {
    expect(models.length).toBeGreaterThan(150);
    expect(models.length).toBe(BUNDLED_VENDORS.reduce((sum, id) => sum + bundledModels(id).size, 0));
    for (const id of BUNDLED_VENDORS) {
      expect(bundledModels(id).size).toBeGreaterThan(0);
      for (const model_id of bundledModels(id).keys()) expect(model_id).toStartWith(`${id}/`);
    }
  });

  test.each(models.filter(({ kind }) => kind === "embedding"))("says what $id costs and reads", (model) => {
    expect(model.created * 1000).toBeWithin(Date.UTC(2022, 0, 1), Date.now());
    expect(model.context_length).toBeGreaterThanOrEqual(2_000);
    expect(model.output_modalities).toEqual(["embedding"]);
    const [price] = model.prices;
    expect(price?.input_micro_per_mtok).toBeWithin(10_000, 1_000_000);
    expect(price?.output_micro_per_mtok).toBe(0);
  });

  test.each(models.filter(({ kind }) => kind === "speech"))("says what $id costs and makes", (model) => {
    expect(model.created * 1000).toBeWithin(Date.UTC(2022, 0, 1), Date.now());
    expect(model.output_modalities).toEqual(["audio"]);
    const [price] = model.prices;
    const by_characters = price?.units_micro?.input_characters;
    if (by_characters !== undefined) return expect(by_characters).toBeWithin(1_000_000, 100_000_000);
    expect(price?.output_micro_per_mtok).toBeWithin(1_000_000, 40_000_000);
    expect(model.max_completion_tokens).toBeGreaterThan(4_000);
  });

  test.each(models.filter(({ kind }) => kind === "rerank"))("says what $id costs and reads", (model) => {
    expect(model.created * 1000).toBeWithin(Date.UTC(2024, 0, 1), Date.now());
    expect(model.context_length).toBeGreaterThanOrEqual(4_000);
    expect(model.output_modalities).toEqual(["ranking"]);
    const [price] = model.prices;
    expect(price?.output_micro_per_mtok).toBe(0);
    const by_search = price?.units_micro?.searches;
    if (by_search !== undefined) return expect(by_search).toBeWithin(1_000_000, 3_000_000);
    expect(price?.input_micro_per_mtok).toBeWithin(10_000, 100_000);
  });

  test.each(models.filter(({ kind }) => kind === "image"))("says what $id costs and makes", (model) => {
    expect(model.created * 1000).toBeWithin(Date.UTC(2022, 0, 1), Date.now());
    expect(model.output_modalities).toEqual(["image"]);
    const [price] = model.prices;
    const by_image = price?.units_micro?.images;
    if (by_image !== undefined) return expect(by_image).toBeWithin(1_000, 1_000_000);
    const of_images = price?.parts_micro_per_mtok?.output_image ?? price?.output_micro_per_mtok;
    expect(of_images).toBeWithin(1_000_000, 200_000_000);
    expect(model.max_completion_tokens).toBeGreaterThan(4_000);
  });

  test.each(models.filter(({ kind }) => kind === "transcription"))("says what $id costs and makes", (model) => {
    expect(model.created * 1000).toBeWithin(Date.UTC(2022, 0, 1), Date.now());
    expect([model.input_modalities, model.output_modalities]).toEqual([["audio"], ["text"]]);
    const [price] = model.prices;
    const by_minute = price?.units_micro?.input_minutes;
    if (by_minute !== undefined) return expect(by_minute).toBeWithin(100, 100_000);
    expect(price?.parts_micro_per_mtok?.input_audio).toBeWithin(1_000_000, 40_000_000);
    expect(model.max_completion_tokens).toBeGreaterThanOrEqual(2_000);
  });

  const chat_models = models.filter(
    ({ kind }) => !["embedding", "rerank", "speech", "image", "transcription"].includes(kind),
  );
  test.each(chat_models.map((model) => [model.id, model] as const))("says what %s is and costs", (id, model) => {
    expect(model.kind).toBe("chat");
    expect(model.display_name).not.toBe("");
    // A row that says neither would be held for as if it reasoned (docs/rulings.md 170).
    expect(model.thinking_unsaid).toBeUndefined();
    expect(model.created * 1000).toBeWithin(Date.UTC(2024, 0, 1), Date.now());
    expect(model.context_length).toBeGreaterThanOrEqual(8_000);
    expect(model.max_completion_tokens).toBeGreaterThanOrEqual(4_000);
    expect(model.max_completion_tokens).toBeLessThanOrEqual(model.context_length ?? 0);
    expect(MODALITIES).toEqual(expect.arrayContaining([...model.input_modalities, ...model.output_modalities]));
    expect([model.input_modalities, model.output_modalities].every((list) => list.includes("text"))).toBe(true);
    expect(model.capabilities.vision).toBe(model.input_modalities.includes("image"));
    const efforts = model.capabilities.reasoning?.effort ?? [];
    expect(EFFORTS.filter((effort) => efforts.includes(effort))).toEqual([...efforts]);
    expect(model.prices[0]?.from_ms).toBe(0);
    for (const price of model.prices) expectPlausible(id, price);
  });

  test.each(BUNDLED_VENDORS)("is read the same way as a configuration file is: %s", (vendor) => {
    expect(bundledVendor(vendor)).toEqual(readBundled(BUNDLED_DOCUMENTS[vendor] ?? "", `${vendor}.yaml`));
  });

  test("takes no document without an origin, or with two models of one id", () => {
    const model = "  acme/swift: { price: { input: 1, output: 2 } }\n";
    const origin = 'catalogue: { as_of: 2026-11-20, source: "Acme: its pricing page" }\n';
    expect(readBundled(`${origin}models:\n${model}`, "acme.yaml").origin).toEqual({
      as_of: "2026-11-20",
      as_of_ms: Date.UTC(2026, 10, 20),
      source: "Acme: its pricing page",
    });
    for (const [text, found] of [
      [`models:\n${model}`, "catalogue"],
      [`${origin.replace("2026-11-20", "lately")}models:\n${model}`, "catalogue.as_of"],
      [`catalogue: { as_of: 2026-11-20 }\nmodels:\n${model}`, "catalogue.source"],
      [`${origin}models:\n${model}${model}`, "models.acme/swift"],
    ] as const) {
      expect(() => readBundled(text, "acme.yaml")).toThrow(found);
    }
  });
});

/** Finds a slipped decimal point, a class in the wrong place, a tier out of order or a list under a wrong name. */
function expectPlausible(id: string, price: Price): void {
  expectPlausibleList(id, price);
  for (const per_kcall of Object.values(price.calls_micro_per_kcall ?? {})) expect(per_kcall).toBeWithin(1e6, 50e6);
  const { service_tiers = {}, speeds = {}, residency_millionths = {} } = price.variants ?? {};
  for (const list of [...Object.values(service_tiers), ...Object.values(speeds)]) expectPlausibleList(id, list);
  const { flex, priority, fast } = service_tiers;
  if (flex !== undefined) expectNotCheaper(price, flex);
  if (priority !== undefined) expectNotCheaper(priority, price);
  if (fast !== undefined) {
    expectNotCheaper(fast, priority ?? expect.unreachable());
    expectNotCheaper(priority ?? expect.unreachable(), fast);
  }
  if (speeds.fast !== undefined) expectNotCheaper(speeds.fast, price);
  for (const millionths of Object.values(residency_millionths)) expect(millionths).toBeWithin(1_000_001, 2_000_001);
}

function expectPlausibleList(id: string, price: Price): void {
  expectPlausibleClasses(id, price);
  let below: ClassPrices = price;
  for (const [index, tier] of price.tiers.entries()) {
    expect(tier.above_input_tokens).toBeGreaterThan(price.tiers[index - 1]?.above_input_tokens ?? 0);
    expectPlausibleClasses(id, tier);
    expectNotCheaper(tier, below);
    below = tier;
  }
}

function expectPlausibleClasses(id: string, prices: ClassPrices): void {
  expect(prices.input_micro_per_mtok).toBeGreaterThan(0);
  expect(prices.output_micro_per_mtok / prices.input_micro_per_mtok).toBeWithin(1, 13);
  expect(prices.cache_read_micro_per_mtok).toBeLessThanOrEqual(prices.input_micro_per_mtok);
  if (!CHEAP_WRITES.test(id)) {
    expect(prices.cache_write_micro_per_mtok).toBeGreaterThanOrEqual(prices.input_micro_per_mtok);
  }
  const { cache_write_1h, input_audio, cache_read_audio, output_audio, output_image } =
    prices.parts_micro_per_mtok ?? {};
  if (cache_write_1h !== undefined) expect(cache_write_1h).toBeGreaterThan(prices.cache_write_micro_per_mtok);
  if (input_audio !== undefined) expect(input_audio).toBeGreaterThan(prices.input_micro_per_mtok);
  if (cache_read_audio !== undefined) expect(cache_read_audio).toBeWithin(1, (input_audio ?? 0) + 1);
  for (const media of [output_audio, output_image]) {
    if (media !== undefined) expect(media).toBeGreaterThan(prices.output_micro_per_mtok);
  }
}

function expectNotCheaper(dear: ClassPrices, cheap: ClassPrices): void {
  expect(dear.input_micro_per_mtok).toBeGreaterThanOrEqual(cheap.input_micro_per_mtok);
  expect(dear.output_micro_per_mtok).toBeGreaterThanOrEqual(cheap.output_micro_per_mtok);
  expect(dear.cache_read_micro_per_mtok).toBeGreaterThanOrEqual(cheap.cache_read_micro_per_mtok);
  expect(dear.cache_write_micro_per_mtok).toBeGreaterThanOrEqual(cheap.cache_write_micro_per_mtok);
}

describe("vendors of the environment", () => {
  const ids = (variables: Record<string, string>) => [
    ...loadConfiguration({ file_text: null, file_name: "camino.yaml", env: variables }).vendors.keys(),
  ];

  test("are those whose variable is set", () => {
    expect(ids({})).toEqual([]);
    expect(ids({ OPENAI_API_KEY: "" })).toEqual([]);
    expect(ids({ OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" })).toEqual(["openai", "anthropic"]);
  });

  test("take the first of their variables that is set", () => {
    const { vendors } = loadConfiguration({
      file_text: null,
      file_name: "camino.yaml",
      env: { GOOGLE_API_KEY: "google", GOOGLE_GENERATIVE_AI_API_KEY: "other" },
    });
    expect(vendors.get("google")?.api_key).toBe("google");
  });

  test("need all their variables: a resource name goes into the address", () => {
    expect(ids({ AZURE_API_KEY: "k" })).toEqual([]);
    expect(configuration.vendors.get("azure")?.endpoints[0]?.base_url).toBe("https://acme.openai.azure.com/openai/v1");
  });

  test.each([
    ["127.0.0.1", "http://127.0.0.1:11434/v1"],
    ["0.0.0.0:9999", "http://127.0.0.1:9999/v1"],
    ["http://gpu-box:8000", "http://gpu-box:8000/v1"],
    ["https://gpu.example/ollama/v1/", "https://gpu.example/ollama/v1"],
  ])("may be servers of one's own: OLLAMA_HOST=%s", (OLLAMA_HOST, base_url) => {
    const { vendors } = loadConfiguration({ file_text: null, file_name: "camino.yaml", env: { OLLAMA_HOST } });
    expect(vendors.get("ollama")?.api_key).toBeNull();
    const addresses = vendors.get("ollama")?.endpoints.map((endpoint) => endpoint.base_url) ?? [];
    expect([...new Set(addresses)]).toEqual([base_url]);
  });
});
