import { describe, expect, test } from "bun:test";
import type { Configuration, Model, Vendor } from "../../core/catalog/catalog.ts";
import { BUNDLED_VENDORS, bundledModels } from "../bundled/bundled-models.ts";
import { loadConfiguration } from "../configuration/load-configuration.ts";
import { readPublishedCatalog } from "../published/import-catalog.ts";
import { VENDOR_ROWS } from "../vendors/vendors.ts";
import type { ListedModel } from "./listed-model.ts";
import { type GivenList, proposeModels } from "./propose-models.ts";
import { readVendorList } from "./read-vendor-list.ts";

/** Proposals for the models of a vendor's own list: each is an element that a configuration takes. */

const env = {
  ...Object.fromEntries(VENDOR_ROWS.flatMap(({ api_key_env }) => api_key_env.map((name) => [name, "k"]))),
  ...{ AZURE_RESOURCE_NAME: "acme", AWS_REGION: "us-east-1", OLLAMA_HOST: "127.0.0.1" },
  ...{ GOOGLE_VERTEX_PROJECT: "p" },
};
const now_ms = Date.UTC(2026, 10, 23);
const load = (file: object) => loadConfiguration({ file_text: JSON.stringify(file), file_name: "camino.yaml", env });

const listed = (names: readonly string[]): readonly ListedModel[] =>
  readVendorList(JSON.stringify({ data: names.map((id) => ({ id })) }))?.models ?? [];

function vendorOf(configuration: Configuration, id: string): Vendor {
  return configuration.vendors.get(id) ?? expect.unreachable();
}

const ACME = { protocol: "chat-completions", base_url: "https://api.acme.example/v1" };
const acme = (models: object = {}, more: object = {}) => load({ ...more, vendors: { acme: ACME }, models });

function propose(
  models: readonly ListedModel[],
  { configuration = acme(), vendor = "acme", list = null as GivenList | null } = {},
) {
  return proposeModels(models, { vendor: vendorOf(configuration, vendor), configuration, list, now_ms });
}

const MODELS_DEV = JSON.stringify({
  acme: {
    ...{ id: "acme", name: "Acme", api: "https://api.acme.example/v1", npm: "@ai-sdk/openai-compatible" },
    models: {
      "swift-1": {
        ...{ id: "swift-1", name: "Swift 1", release_date: "2026-09-01", tool_call: false, reasoning: true },
        reasoning_options: [{ type: "effort", values: ["low", "high"] }],
        modalities: { input: ["text", "image"], output: ["text"] },
        cost: {
          input: 3,
          output: 15,
          cache_read: 0.3,
          tiers: [{ tier: { type: "context", size: 200000 }, input: 6, output: 22.5 }],
        },
        limit: { context: 1000000, output: 64000 },
      },
    },
  },
});
const list: GivenList = {
  ...{ name: "models-dev.json", as_of: "2026-11-20", vendor: "acme" },
  catalog: readPublishedCatalog(MODELS_DEV),
};

describe("a proposal", () => {
  test("takes price, limits and capabilities from a published list", () => {
    const [offer] = propose(listed(["swift-1"]), { list });
    expect(offer?.model).toBe("acme/swift-1");
    expect(offer?.proposals).toEqual([
      {
        source: { kind: "list", name: "models-dev.json", as_of: "2026-11-20" },
        element: {
          display_name: "Swift 1",
          created: "2026-09-01",
          context_length: 1_000_000,
          max_completion_tokens: 64_000,
          input_modalities: ["text", "image"],
          capabilities: { tools: false, reasoning: { effort: ["low", "high"] } },
          price: {
            ...{ input: "3.00", output: "15.00", cache_read: "0.30" },
            tiers: [{ above_input_tokens: 200_000, input: "6.00", output: "22.50" }],
          },
        },
      },
    ]);
  });

  test.each(["1e999", '"1e999"', "1e300", "9007199254740993"])(
    "has no price where the vendor's own list says %s",
    (price) => {
      const pricing = `{"prompt":${price},"completion":${price},"web_search":${price}}`;
      const models = readVendorList(`{"data":[{"id":"swift-1","pricing":${pricing}}]}`)?.models ?? [];
      expect(models).toHaveLength(1);
      expect(propose(models)[0]?.proposals.map(({ element }) => element.price)).toEqual([undefined]);
    },
  );

  test("believes the vendor before the list about what the model is", () => {
    const models =
      readVendorList('{"data":[{"id":"swift-1","max_model_len":32768,"display_name":"Ours"}]}')?.models ?? [];
    const element = propose(models, { list })[0]?.proposals[0]?.element;
    expect(element).toMatchObject({ context_length: 32_768, display_name: "Ours", max_completion_tokens: 64_000 });
  });

  test("takes the price from the vendor's own list", () => {
    const text = '[{"id":"swift-1","pricing":{"prompt":"0.000003","completion":"0.000015"}}]';
    const [offer] = propose(readVendorList(text)?.models ?? [], { list });
    expect(offer?.proposals.map(({ source }) => [source.kind, source.as_of])).toEqual([
      ["list", "2026-11-20"],
      ["vendor", "2026-11-23"],
    ]);
    expect(offer?.proposals[1]?.element.price).toEqual({ input: "3.00", output: "15.00" });
  });

  test("has no price where no source knows one", () => {
    expect(propose(listed(["unheard-of"]), { list })[0]?.proposals).toEqual([
      { source: { kind: "none", name: "acme", as_of: null }, element: {} },
    ]);
  });

  test("costs nothing on a server of one's own", () => {
    const configuration = load({ vendors: { ollama: {} } });
    const [offer] = propose(listed(["qwen3:8b"]), { configuration, vendor: "ollama" });
    expect(offer?.proposals).toEqual([
      {
        source: { kind: "self_hosted", name: "Ollama", as_of: null },
        element: { price: { input: "0.00", output: "0.00" } },
      },
    ]);
  });

  test("has no price in another currency than the lists", () => {
    const configuration = acme({}, { currency: "EUR" });
    const text = '[{"id":"swift-1","pricing":{"prompt":"0.000003","completion":"0.000015"}}]';
    const [offer] = propose(readVendorList(text)?.models ?? [], { configuration, list });
    expect(offer?.proposals.map(({ source }) => source.kind)).toEqual(["none"]);
    expect(offer?.proposals[0]?.element.price).toBeUndefined();
  });

  test("says which models are offered, under whatever id", () => {
    const price = { input: 1, output: 2 };
    const configuration = acme({
      "acme/swift-1": { price },
      "ours/quick": { price, routes: [{ vendor: "acme", upstream_model: "swift-1" }] },
    });
    const offers = propose(listed(["swift-1", "swift-2"]), { configuration });
    expect(offers.map(({ offered_as }) => offered_as)).toEqual([["acme/swift-1", "ours/quick"], []]);
  });

  test("gives each name an id of its own, and writes the name where the id cannot have it", () => {
    const offers = propose(listed(["a b", "a?b", "a-b", "€"]));
    expect(offers.map(({ model }) => model)).toEqual(["acme/a-b", "acme/a-b-2", "acme/a-b-3", "acme/-"]);
    expect(offers.map(({ proposals }) => proposals[0]?.element.upstream_model)).toEqual(["a b", "a?b", "a-b", "€"]);
  });

  test("gives ten thousand names that an id cannot have ids of their own, in no time that grows with their square", () => {
    const offers = propose(
      listed(Array.from({ length: 10_000 }, (_, index) => "€".repeat((index % 200) + 1) + "ß".repeat(index / 200))),
    );
    expect(new Set(offers.map(({ model }) => model)).size).toBe(10_000);
  });

  test("is a decision model where the vendor makes decisions alone", () => {
    const configuration = load({ vendors: { judge: { ...ACME, protocol: "systemone" } } });
    const element = propose(listed(["d"]), { configuration, vendor: "judge" })[0]?.proposals[0]?.element;
    expect(element).toEqual({ kind: "decision" });
  });
});

describe.each(BUNDLED_VENDORS)("the bundled catalog's proposals for %s", (id) => {
  const whole = load({ vendors: { [id]: {} } });
  const own: readonly Model[] = [...bundledModels(id).keys()].flatMap((model) => whole.models.get(model) ?? []);
  const names = [...new Set(own.flatMap(({ routes }) => routes.map((route) => route.upstream_model)))];

  test("are elements with which a file says exactly what the catalog says", () => {
    const bare = load({ catalog: "none", vendors: { [id]: {} } });
    const offers = propose(listed(names), { configuration: bare, vendor: id });
    const elements = offers.flatMap(({ model, proposals }) => {
      const element = proposals.find(({ source }) => source.kind === "bundled")?.element;
      return element === undefined ? [] : [[model, element] as const];
    });
    expect(elements.length).toBeGreaterThan(0);
    const again = load({ catalog: "none", vendors: { [id]: {} }, models: Object.fromEntries(elements) });
    for (const [model_id] of elements) {
      const expected = whole.models.get(model_id);
      const found = again.models.get(model_id);
      if (expected === undefined || found === undefined) continue;
      const { prices, ...facts } = found;
      expect({ id: model_id, facts }).toEqual({ id: model_id, facts: { ...expected, prices: undefined } as never });
      expect(prices.at(-1)?.version).toBe(expected.prices.findLast(({ from_ms }) => from_ms <= now_ms)?.version);
      expect(prices.at(-1)?.variants).toEqual(expected.prices.findLast(({ from_ms }) => from_ms <= now_ms)?.variants);
    }
  });
});
