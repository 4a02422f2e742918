import { describe, expect, test } from "bun:test";
import { bundledModels } from "../bundled/bundled-models.ts";
import { describeConfiguration } from "./describe-configuration.ts";
import { loadConfiguration } from "./load-configuration.ts";

const env = { ACME_API_KEY: "sk-acme-secret", TEAM_TOKEN: "team-secret", DEEPSEEK_API_KEY: "sk-deep-secret" };
const configuration = loadConfiguration({
  file_text: `
vendors:
  acme:
    name: Acme AI
    protocol: [responses, chat-completions]
    base_url: https://api.acme.example/v1
    api_key: \${ACME_API_KEY}
    headers: { x-team: "\${TEAM_TOKEN}" }
  acme-eu: { protocol: messages, base_url: https://eu.acme.example/v1 }
models:
  acme/swift:
    price: { input: 1, output: 1 }
    routes: [{ vendor: acme, weight: 3 }, { vendor: acme-eu, upstream_model: swift-1 }]
    fallbacks: [acme/mini]
  acme/mini: { price: { input: 1, output: 1 } }
  local/judge: { decide_with: { engine: logprobs, model: acme/mini }, price: { input: 1 } }
`,
  file_name: "camino.yaml",
  env,
});
const description = describeConfiguration(configuration, env);

describe("a configuration is described by", () => {
  test("its vendors, with where they are and how many models they have", () => {
    expect(description.vendors[0]).toEqual({
      id: "acme",
      name: "Acme AI",
      endpoints: [
        { protocol: "responses", base_url: "https://api.acme.example/v1" },
        { protocol: "chat-completions", base_url: "https://api.acme.example/v1" },
      ],
      has_credential: true,
      header_names: ["x-team"],
      on_disconnect: "auto",
      model_count: 2,
    });
    expect(description.vendors.map(({ id, has_credential }) => [id, has_credential])).toEqual([
      ["acme", true],
      ["acme-eu", false],
      ["deepseek", true],
    ]);
  });

  test("the known vendors that are not enabled, and why", () => {
    expect(description.not_enabled).toContainEqual({ id: "openai", name: "OpenAI", missing: "OPENAI_API_KEY" });
    expect(description.not_enabled).toContainEqual({ id: "ollama", name: "Ollama", missing: "OLLAMA_HOST" });
    expect(description.not_enabled.map(({ id }) => id)).not.toContain("deepseek");
  });

  test.each([
    ["{ price: { input: 1, output: 2 } }", ["acme/one"], false],
    ["{ price: { input: 1, output: 2 }, capabilities: { tools: false } }", ["acme/one"], false],
    ["{ price: { input: 1, output: 2 }, capabilities: { thinking: false } }", [], false],
    ["{ price: { input: 1, output: 2 }, capabilities: { thinking: true } }", [], true],
    ["{ price: { input: 1, output: 2 }, capabilities: { reasoning: {} } }", [], true],
    ["{ kind: decision, price: { input: 1 } }", [], false],
  ])("the chat models of which nothing says whether they reason: %s", (row, unsaid, shown) => {
    const file_text = `catalog: none\nvendors: { acme: { protocol: [chat-completions, decisions], base_url: http://127.0.0.1:9/v1 } }\nmodels: { acme/one: ${row} }`;
    const loaded = loadConfiguration({ file_text, file_name: "camino.yaml", env: {} });
    expect(describeConfiguration(loaded, {}).thinking_unsaid).toEqual(unsaid);
    expect(loaded.models.get("acme/one")?.capabilities.thinking).toBe(shown);
  });

  test("how many models it has, and which have more than the usual route", () => {
    const chat = 2 + bundledModels("deepseek").size;
    expect(description.models).toEqual({
      ...{
        chat,
        decision: 1,
        embedding: 0,
        rerank: 0,
        moderation: 0,
        speech: 0,
        image: 0,
        transcription: 0,
      },
    });
    expect(description.routed).toEqual([
      {
        model: "acme/swift",
        routes: [
          { vendor: "acme", upstream_model: "swift", weight: 3 },
          { vendor: "acme-eu", upstream_model: "swift-1", weight: 1 },
        ],
        fallbacks: ["acme/mini"],
        decide_with: null,
        calibration: null,
      },
      { model: "local/judge", routes: [], fallbacks: [], decide_with: "acme/mini", calibration: null },
    ]);
  });

  test("nothing that is secret", () => {
    expect(JSON.stringify(description)).not.toContain("secret");
  });
});
