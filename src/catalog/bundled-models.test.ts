import { describe, expect, test } from "bun:test";
import { BUNDLED_DOCUMENTS } from "./data/documents.ts";
import { bundledModels } from "./bundled-models.ts";
import { loadConfiguration } from "./load-configuration.ts";
import { VENDOR_ROWS } from "./vendors.ts";

const every_variable = Object.fromEntries(
  VENDOR_ROWS.flatMap(({ api_key_env }) => api_key_env.map((name) => [name, "k"])),
);
const env = { ...every_variable, AZURE_RESOURCE_NAME: "acme" };
const configuration = loadConfiguration({ file_text: null, file_name: "camino.yaml", env });
const models = [...configuration.models.values()];

describe("the bundled catalogue", () => {
  test("has documents for vendors of the table only", () => {
    const known = VENDOR_ROWS.map(({ id }) => id);
    for (const id of Object.keys(BUNDLED_DOCUMENTS)) expect(known).toContain(id);
  });

  test("has 80 to 150 models, each under its vendor's id", () => {
    expect(models.length).toBeGreaterThanOrEqual(80);
    expect(models.length).toBeLessThanOrEqual(150);
    for (const id of Object.keys(BUNDLED_DOCUMENTS)) {
      expect(bundledModels(id).size).toBeGreaterThan(0);
      for (const model_id of bundledModels(id).keys()) expect(model_id).toStartWith(`${id}/`);
    }
  });

  test.each(models.map((model) => [model.id, model] as const))("says what %s is and costs", (_id, model) => {
    expect(model.kind).toBe("chat");
    expect(model.display_name).not.toBe("");
    expect(model.created).toBeGreaterThan(Date.UTC(2024, 0, 1) / 1000);
    expect(model.context_length).toBeGreaterThanOrEqual(8_000);
    expect(model.max_completion_tokens).toBeGreaterThanOrEqual(4_000);
    expect(model.output_modalities).toEqual(["text"]);
    expect(model.input_modalities).toContain("text");
    expect(model.capabilities.vision).toBe(model.input_modalities.includes("image"));
    for (const price of model.prices) {
      expect(price.input_micro_per_mtok).toBeGreaterThan(0);
      // A slip of the decimal point would be far out of this.
      expect(price.output_micro_per_mtok / price.input_micro_per_mtok).toBeWithin(1, 13);
      expect(price.cache_read_micro_per_mtok).toBeLessThanOrEqual(price.input_micro_per_mtok);
    }
  });
});

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
