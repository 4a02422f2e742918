import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { loadConfiguration } from "../../catalog/configuration/load-configuration.ts";
import { micro } from "../../core/money/money.ts";
import { ForeignFile } from "./foreign-file.ts";
import type { Imported } from "./imported.ts";
import { readLiteLlmConfig } from "./read-litellm-config.ts";
import { readLiteLlmCustomers } from "./read-litellm-customers.ts";
import { readNewApiChannels } from "./read-new-api.ts";
import { readOpenRouterKeys } from "./read-openrouter.ts";
import { readPortkeyConfig } from "./read-portkey.ts";
import { type WrittenImport, writeImported } from "./write-imported.ts";

const FIXTURES = join(import.meta.dir, "fixtures");
const READERS: Readonly<Record<string, (file: ForeignFile) => Imported>> = {
  "litellm-customers.json": readLiteLlmCustomers,
  "litellm.yaml": readLiteLlmConfig,
  "new-api.json": readNewApiChannels,
  "openrouter.json": readOpenRouterKeys,
  "portkey.json": readPortkeyConfig,
};

async function imported(name: string): Promise<WrittenImport> {
  const text = await Bun.file(join(FIXTURES, name)).text();
  return importText(text, READERS[name] ?? readLiteLlmConfig);
}

function importText(text: string, read: (file: ForeignFile) => Imported): WrittenImport {
  return writeImported(read(new ForeignFile(text, "the-file")), "the-file");
}

/** The configuration as `camino check` reads it, with its variables set. */
function loaded({ configuration, variables }: WrittenImport) {
  const usual = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY"];
  const env = Object.fromEntries([...usual, ...variables].map((variable) => [variable, "a-credential"]));
  return loadConfiguration({ file_text: configuration, file_name: "camino.yaml", env });
}

const lines = ({ not_imported }: WrittenImport) => not_imported.map(({ line, text }) => `${line} ${text}`);

test("every fixture has a reader", async () => {
  expect((await readdir(FIXTURES)).sort()).toEqual(Object.keys(READERS));
});

test.each(Object.keys(READERS))(
  "what is made of %s is a configuration that Camino accepts, without a secret in it",
  async (name) => {
    const written = await imported(name);
    const { models } = loaded(written);
    for (const id of Object.values(written.aliases)) expect(models.has(id)).toBe(true);
    expect(JSON.stringify(written)).not.toMatch(/sk-(a-secret|ant)/);
    for (const { line, text } of written.not_imported)
      expect(written.configuration).toContain(line === 0 ? text : `line ${line}: ${text}`);
  },
);

describe("LiteLLM's customers", () => {
  test("become values of a tag with the same budgets and rates, and what cannot is named", async () => {
    const written = await imported("litellm-customers.json");
    const { limits } = loaded(written);
    expect(limits.end_user).toBe("customer");
    const [customer] = limits.tags ?? [];
    expect(customer).toMatchObject({ tag: "customer", required: false, budget: null });
    expect([...(customer?.values ?? [])]).toEqual([
      ["acme", { rpm: 60, budget: { amount_micro: micro(5_500_000), window: "day" } }],
      ["globex", { budget: { amount_micro: micro(100_000_000), window: "once" } }],
    ]);
    expect(lines(written)).toEqual([
      expect.stringMatching(/^\d+ the customer globex: it is blocked/),
      expect.stringMatching(/^\d+ the customer initech: its budget of 2 in 36h/),
    ]);
  });

  test("that have no budget apart have the one of the configuration", async () => {
    const { limits } = loaded(await imported("litellm.yaml"));
    const budget = { amount_micro: micro(500_000), window: "once" };
    expect(limits).toMatchObject({ tags: [{ tag: "customer", budget }], end_user: "customer" });
  });
});

describe("LiteLLM's config.yaml", () => {
  test("becomes models with weighted routes, fallbacks, prices and the names that clients know", async () => {
    const written = await imported("litellm.yaml");
    const { models, vendors } = loaded(written);
    const azure = models.get("azure-acme-eu/gpt-4o-eu");
    expect(azure?.routes).toMatchObject([
      { upstream_model: "gpt-4o-eu", weight: 6 },
      { upstream_model: "gpt-4o-ca", weight: 18 },
    ]);
    expect(azure?.prices[0]).toMatchObject({ input_micro_per_mtok: 2_500_000, output_micro_per_mtok: 10_000_000 });
    expect(models.get("anthropic/claude-sonnet-5-5")?.fallbacks).toEqual(["azure-acme-eu/gpt-4o-eu"]);
    expect(models.get("openai-127-0-0-1/qwen3")).toMatchObject({ context_length: 32_768 });
    expect(vendors.has("openai-models-example")).toBe(false);
    expect(written.aliases).toMatchObject({ "gpt-4": "azure-acme-eu/gpt-4o-eu", "hidden-luna": "openai/gpt-6-luna" });
    const limited = "--rpm 120 --budget 5/week --model-limit";
    expect(written.keys).toEqual([expect.stringContaining(limited)]);
    expect(written.keys[0]).toContain("azure-acme-eu/gpt-4o-eu:rpm=30,budget=2/day");
    expect(written.variables).toContain("AZURE_API_KEY_EU");
  });

  test("has the credentials of one vendor's model in one place, by their weights, and each secret its own variable", () => {
    const deployment = (api_key: string, more = "") =>
      `  - { model_name: luna, litellm_params: { model: gpt-6-luna, api_key: ${api_key}${more} } }\n`;
    const keys = [deployment("os.environ/KEY_A", ", weight: 2"), deployment("sk-one"), deployment("sk-two")].join("");
    const other =
      "  - { model_name: luna, litellm_params: { model: azure/luna, api_base: https://a.example/, rpm: 4 } }\n";
    const alone = "  - { model_name: sol, litellm_params: { model: gpt-6.1-sol, api_key: os.environ/KEY_A } }\n";
    const written = importText(`model_list:\n${keys}${other}${alone}`, readLiteLlmConfig);
    const api_keys = [
      { key: "${KEY_A}", weight: 2 },
      { key: "${OPENAI_API_KEY}", weight: 1 },
      { key: "${OPENAI_API_KEY_2}", weight: 1 },
    ];
    expect(Bun.YAML.parse(written.configuration)).toMatchObject({
      vendors: { openai: { api_keys } },
      models: {
        "openai/gpt-6-luna": {
          routes: [
            { vendor: "openai", weight: 4 },
            { vendor: "azure-a-example", weight: 4 },
          ],
        },
        "openai/gpt-6.1-sol": {},
      },
    });
    expect(written.variables).toEqual(["KEY_A", "OPENAI_API_KEY", "OPENAI_API_KEY_2"]);
    expect(loaded(written).vendors.get("openai")?.api_keys).toHaveLength(3);
    expect(lines(written)).toContainEqual(expect.stringContaining("set OPENAI_API_KEY_2 to it"));
    expect(lines(written)).toContainEqual(expect.stringContaining("sol: is served with all 3 credentials of openai"));
  });

  test("has budgets of providers as what a vendor may cost a day, and names those that have no counterpart", () => {
    const models = ["gpt-6-luna", "anthropic/claude-sonnet-5-5"].map(
      (model, at) => `  - { model_name: m${at}, litellm_params: { model: ${model}, max_budget: 3 } }\n`,
    );
    const budgets = [
      "    openai: { budget_limit: 1e-2, time_period: 1d }\n",
      "    anthropic: { budget_limit: 100, time_period: 10d }\n",
      "    azure: { budget_limit: 7, time_period: 1d }\n",
    ];
    const text = `model_list:\n${models.join("")}router_settings:\n  provider_budget_config:\n${budgets.join("")}`;
    const written = importText(text, readLiteLlmConfig);
    const { vendors } = loaded(written);
    expect(["openai", "anthropic"].map((id) => vendors.get(id)?.limits)).toEqual([{ spend_micro: 10_000n }, undefined]);
    expect(lines(written)).toEqual([
      "0 the budget of azure of 7 a day: write limits.spend beside its vendors",
      expect.stringMatching(/^2 .*max_budget: a budget over all accounts is a vendor's limits.spend/),
      expect.stringMatching(/^3 .*max_budget: a budget over all accounts/),
      expect.stringMatching(/^7 the budget of anthropic of 100 in 10d: Camino's of a vendor are for a day/),
    ]);
  });

  test("is told line by line where it has no counterpart", async () => {
    const told = lines(await imported("litellm.yaml"));
    const expected = [
      /^0 the fallback of sonnet on mystery/,
      /^7 .*api_version: Azure/,
      /^\d+ luna: the credential stays where it is; set OPENAI_API_KEY/,
      /^36 mystery: the file has no price/,
      /^40 embed: is for embedding/,
      /^45 openai\/\*: stands for any name/,
      /^48 strange: Camino does not know the provider nobody/,
      /^\d+ router_settings.routing_strategy/,
      /^\d+ litellm_settings.drop_params/,
      /^\d+ litellm_settings.cache/,
      /^\d+ general_settings.master_key: the admin token/,
    ];
    for (const line of expected) expect(told).toContainEqual(expect.stringMatching(line));
  });

  test.each([
    ["a model without a name", "model_list:\n  - litellm_params: { model: openai/gpt-6-luna }\n", 1],
    ["a model without parameters", "model_list:\n  - model_name: a\n", 1],
    [
      "two groups of one model",
      "model_list:\n  - { model_name: a, litellm_params: { model: gpt-6-luna } }\n  - { model_name: b, litellm_params: { model: gpt-6-luna } }\n",
      0,
    ],
  ])("with %s in it is read to its end", (_what, text, most) => {
    const written = importText(text, readLiteLlmConfig);
    expect(written.not_imported.length).toBeLessThanOrEqual(most);
    loaded(written);
  });

  test.each(["", "- a\n- b\n", "model_list: {}\n"])("without a list of models is refused: %j", (text) => {
    expect(() => importText(text, readLiteLlmConfig)).toThrow("has no model_list");
  });

  test("that is no YAML is refused with the place", () => {
    expect(() => importText("model_list: [", readLiteLlmConfig)).toThrow("the-file is neither YAML nor JSON");
  });
});

describe("Portkey's configs", () => {
  test("become a model with fallbacks in the order of the targets", async () => {
    const written = await imported("portkey.json");
    expect(loaded(written).models.get("anthropic/claude-sonnet-5-5")?.fallbacks).toEqual(["openai/gpt-6-luna"]);
    expect(written.aliases).toEqual({ "pc-main-1a2b": "anthropic/claude-sonnet-5-5" });
    const told = lines(written);
    expect(told).toContainEqual(expect.stringContaining("override_params.temperature"));
    expect(told).toContainEqual(expect.stringContaining("leaves the model to the client"));
  });

  test("that balance the load become routes by weight", () => {
    const target = (vendor: string, weight: number) =>
      `{"provider": "${vendor}", "weight": ${weight}, "override_params": {"model": "gpt-6-luna"}}`;
    const text = `{"name": "both", "strategy": {"mode": "loadbalance"}, "targets": [${target("openai", 0.75)}, ${target("azure", 0.25)}]}`;
    const { configuration } = importText(text, readPortkeyConfig);
    expect(Bun.YAML.parse(configuration)).toMatchObject({
      models: {
        "openai/gpt-6-luna": {
          routes: [
            { vendor: "openai", weight: 0.75 },
            { vendor: "azure", weight: 0.25 },
          ],
        },
      },
    });
  });
});

describe("new-api's channels", () => {
  test("become vendors with the models that they serve, and what cannot is named", async () => {
    const written = await imported("new-api.json");
    expect([...Object.values(written.aliases)]).toEqual([
      "openai/gpt-6-luna",
      "openai/gpt-6.1-sol",
      "anthropic/claude-sonnet-5-5",
    ]);
    const told = lines(written);
    expect(told).toContainEqual(expect.stringContaining("pictures: Camino has no vendor for channels of type 2"));
    expect(told).toContainEqual(expect.stringContaining("old: the channel is disabled"));
    expect(told).toContainEqual(expect.stringContaining("no price for openai-relay-example/luna-latest"));
  });
});

describe("OpenRouter's keys", () => {
  test("become commands that make keys with the same budgets", async () => {
    const { keys, not_imported } = await imported("openrouter.json");
    expect(keys).toEqual([
      "camino key create --account ACCOUNT --name 'Laptop' --budget 100/month",
      "camino key create --account ACCOUNT --name 'It'\\''s CI'",
    ]);
    expect(not_imported).toHaveLength(2);
  });
});
