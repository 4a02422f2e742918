import { describe, expect, test } from "bun:test";
import { loadConfiguration } from "../configuration/load-configuration.ts";
import { findVendorRow, VENDOR_ROWS } from "./vendors.ts";

const load = (file_text: string, env: Record<string, string> = {}) =>
  loadConfiguration({ file_text, file_name: "camino.yaml", env });

describe("the vendor table", () => {
  test.each(
    [
      ["openai", "anthropic", "google", "mistral", "deepseek", "xai", "groq", "cohere", "alibaba", "moonshotai", "zai"],
      ["minimax", "together", "fireworks", "cerebras", "perplexity", "nvidia", "openrouter", "huggingface", "azure"],
      ["ollama", "vllm", "llamacpp", "lmstudio", "sglang", "strands-decider", "typesafe", "upstage"],
    ].flat(),
  )("knows %s", (id) => {
    expect(findVendorRow(id)?.id).toBe(id);
  });

  test("has each id and each protocol of a vendor once", () => {
    const ids = VENDOR_ROWS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { endpoints } of VENDOR_ROWS) {
      const protocols = endpoints.map(({ protocol }) => protocol);
      expect(new Set(protocols).size).toBe(protocols.length);
    }
  });

  test.each([
    ["openai", "decisions", "https://api.openai.com/v1"],
    ["typesafe", "systemone", "https://api.typesafe.ai/v1"],
    ["upstage", "systemone", "https://api.upstage.ai/v1"],
    ["fireworks", "decisions", "https://api.fireworks.ai/inference/v1"],
    ["fireworks", "systemone", "https://api.fireworks.ai/inference/v1"],
    ["openrouter", "systemone", "https://openrouter.ai/api/v1"],
    ["ollama", "systemone", "http://127.0.0.1:11434/v1"],
    ["vllm", "systemone", "http://127.0.0.1:8000/v1"],
    ["sglang", "systemone", "http://127.0.0.1:30000/v1"],
    ["llamacpp", "systemone", "http://127.0.0.1:8080/v1"],
    ["strands-decider", "systemone", "http://127.0.0.1:8000/v1"],
  ] as const)("knows that %s decides in the shape of %s", (id, protocol, base_url) => {
    expect(findVendorRow(id)?.endpoints).toContainEqual({ protocol, base_url, credential: "bearer" });
  });

  test.each(VENDOR_ROWS.map((row) => [row.id, row] as const))("says of %s how it is reached", (_id, row) => {
    expect(row.endpoints.length).toBeGreaterThan(0);
    expect(row.api_key_env.length > 0 || row.server_env !== undefined).toBe(true);
    for (const { base_url } of row.endpoints) {
      expect(base_url).not.toEndWith("/");
      expect(base_url).toMatch(row.server_env === undefined ? /^https:/ : /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    }
  });
});

describe("a known vendor in the file", () => {
  test("is as its row says where the file is silent", () => {
    const { vendors } = load("vendors: { mistral: { timeouts: { total: 1m } } }", { MISTRAL_API_KEY: "k" });
    const row = findVendorRow("mistral");
    expect(vendors.get("mistral")).toMatchObject({
      name: "Mistral AI",
      endpoints: row?.endpoints,
      api_key: "k",
      quirks: row?.quirks,
      timeouts: { total_ms: 60_000 },
    });
  });

  test("may be elsewhere, and may then need no credential", () => {
    const { vendors } = load("vendors: { openai: { base_url: http://127.0.0.1:9/v1 } }");
    expect(vendors.get("openai")).toMatchObject({
      api_key: null,
      endpoints: [
        { protocol: "responses", base_url: "http://127.0.0.1:9/v1" },
        { protocol: "chat-completions", base_url: "http://127.0.0.1:9/v1" },
        { protocol: "decisions", base_url: "http://127.0.0.1:9/v1" },
      ],
    });
  });

  test("may be limited to one of its protocols, or elsewhere for one of them", () => {
    const { vendors } = load(
      "vendors: { deepseek: { protocol: messages, api_key: k }, fireworks: { base_url: { messages: http://127.0.0.1:9/v1 }, protocol: [messages, responses], api_key: k } }",
    );
    expect(vendors.get("deepseek")?.endpoints).toEqual([
      { protocol: "messages", base_url: "https://api.deepseek.com/anthropic/v1", credential: "x-api-key" },
    ]);
    expect(vendors.get("fireworks")?.endpoints).toEqual([
      { protocol: "messages", base_url: "http://127.0.0.1:9/v1", credential: "bearer" },
      { protocol: "responses", base_url: "https://api.fireworks.ai/inference/v1", credential: "bearer" },
    ]);
  });

  test("needs no credential when people run it themselves", () => {
    expect(load("vendors: { vllm: {} }").vendors.get("vllm")?.api_key).toBeNull();
    expect(load("vendors: { vllm: {} }", { VLLM_API_KEY: "k" }).vendors.get("vllm")?.api_key).toBe("k");
  });

  test("brings its bundled models, unless the file says none", () => {
    const vendors = "vendors: { deepseek: { api_key: k } }";
    expect(load(vendors).models.has("deepseek/deepseek-v4-pro")).toBe(true);
    expect(load(`catalog: none\n${vendors}`).models.size).toBe(0);
    expect(load(`currency: EUR\n${vendors}`).models.size).toBe(0);
  });
});

describe("a known model in the file", () => {
  const known = "deepseek/deepseek-v4-pro";
  const env = { DEEPSEEK_API_KEY: "k" };

  test("is as the catalog says where the file is silent, even with catalog: none", () => {
    const bundled = load("", env).models.get(known);
    const named = load(`catalog: none\nmodels: { ${known}: {} }`, env);
    expect(bundled).toBeDefined();
    expect(named.models.get(known)).toEqual(bundled);
    expect([...named.models.keys()]).toEqual([known]);
    expect([...named.vendors.keys()]).toEqual(["deepseek"]);
  });

  test("takes what the file says instead", () => {
    const { models } = load(
      `models: { ${known}: { price: { input: 9, output: 9 }, input_modalities: [text, image] } }`,
      env,
    );
    expect(models.get(known)).toMatchObject({
      display_name: "DeepSeek V4 Pro",
      prices: [{ input_micro_per_mtok: 9_000_000 }],
      capabilities: { vision: true, thinking: true },
    });
    expect(models.size).toBeGreaterThan(1);
  });

  test("needs a price of its own in another currency", () => {
    expect(() => load(`currency: EUR\nmodels: { ${known}: {} }`, env)).toThrow(`models.${known}.price: found nothing`);
  });

  test("may be reached in some protocols only", () => {
    const { models } = load("", { OPENAI_API_KEY: "k" });
    expect(models.get("openai/gpt-5-pro")?.routes).toEqual([
      { vendor: "openai", upstream_model: "gpt-5-pro", weight: 1, protocols: ["responses"] },
    ]);
    expect(models.get("openai/gpt-5")?.routes).toEqual([{ vendor: "openai", upstream_model: "gpt-5", weight: 1 }]);
  });

  test("may be a fallback or a route of the file's own models", () => {
    const { models } = load(
      `models: { house/best: { routes: [{ vendor: deepseek, upstream_model: x }], fallbacks: [${known}], price: { input: 1, output: 1 } } }`,
      env,
    );
    expect(models.get("house/best")).toMatchObject({
      fallbacks: [known],
      routes: [{ vendor: "deepseek", upstream_model: "x" }],
    });
  });
});
