import { describe, expect, test } from "bun:test";
import { loadConfiguration } from "./load-configuration.ts";

const EXAMPLE = `
currency: USD
catalog: bundled

vendors:
  acme:
    name: Acme AI
    protocol: [responses, chat-completions]
    base_url: https://api.acme.example/v1
    api_key: \${ACME_API_KEY}
    headers: { X-Team: gateway }
    timeouts: { connect: 500ms, idle: 2m }
    on_disconnect: drain
    forwards_safety_identifier: true
  acme-eu:
    protocol: [messages, chat-completions]
    base_url: { messages: https://eu.acme.example/anthropic/v1/, chat-completions: https://eu.acme.example/v1 }
  judges:
    protocol: systemone
    base_url: http://127.0.0.1:9000/v1

models:
  acme/swift-1:
    upstream_model: swift-1-0926
    display_name: Swift 1
    owned_by: acme-labs
    created: 2026-09-01
    context_length: 200000
    max_completion_tokens: 32000
    input_modalities: [text, image]
    output_modalities: [text]
    capabilities:
      streaming: true
      tools: true
      json: false
      vision: true
      thinking: true
      reasoning: { toggle: true, effort: [low, medium, high], budget_tokens: { min: 1024, max: 32000 } }
    price:
      input: 3.00
      output: 15.00
      cache_read: 0.30
      cache_write: 3.75
      tiers: [ { above_input_tokens: 200000, input: 6.00, output: 22.50, cache_read: 0.60 } ]
    routes:
      - { vendor: acme, weight: 3 }
      - { vendor: acme-eu, upstream_model: swift-1 }
    fallbacks: [acme/swift-mini]
  acme/swift-mini:
    price:
      - { from: 2026-09-01, input: 0.20, output: 1 }
      - { input: 0.1, output: 0.5 }
  judges/one:
    kind: decision
    price: { input: 0.10 }
  local/judge:
    decide_with: { engine: logprobs, model: acme/swift-mini }
    price: { input: 0.05 }

limits:
  body: 8MiB
  default_key: { rpm: 60 }
`;

const load = (file_text: string | null, env: Record<string, string> = {}) =>
  loadConfiguration({ file_text, file_name: "camino.yaml", env });

describe("a configuration file", () => {
  const configuration = load(EXAMPLE, { ACME_API_KEY: "sk-acme" });
  const model = (id: string) => configuration.models.get(id);

  test("gives vendors with their endpoints, credentials and timeouts", () => {
    expect(configuration.vendors.get("acme")).toEqual({
      id: "acme",
      name: "Acme AI",
      endpoints: [
        { protocol: "responses", base_url: "https://api.acme.example/v1", credential: "bearer" },
        { protocol: "chat-completions", base_url: "https://api.acme.example/v1", credential: "bearer" },
      ],
      api_key: "sk-acme",
      headers: { "x-team": "gateway" },
      timeouts: { connect_ms: 500, first_byte_ms: 120_000, idle_ms: 120_000, total_ms: 1_800_000 },
      on_disconnect: "drain",
      forwards_safety_identifier: true,
      quirks: {},
    });
    expect(configuration.vendors.get("acme-eu")).toMatchObject({
      name: "acme-eu",
      endpoints: [
        { protocol: "messages", base_url: "https://eu.acme.example/anthropic/v1", credential: "x-api-key" },
        { protocol: "chat-completions", base_url: "https://eu.acme.example/v1", credential: "bearer" },
      ],
      api_key: null,
      on_disconnect: "auto",
      forwards_safety_identifier: false,
    });
  });

  test("gives models with every field", () => {
    const { prices, ...rest } = model("acme/swift-1") ?? { prices: [] };
    expect(rest).toEqual({
      id: "acme/swift-1",
      display_name: "Swift 1",
      owned_by: "acme-labs",
      created: Date.UTC(2026, 8, 1) / 1000,
      kind: "chat",
      context_length: 200_000,
      max_completion_tokens: 32_000,
      input_modalities: ["text", "image"],
      output_modalities: ["text"],
      capabilities: {
        streaming: true,
        tools: true,
        json: false,
        vision: true,
        thinking: true,
        reasoning: { toggle: true, effort: ["low", "medium", "high"], budget_tokens: { min: 1024, max: 32_000 } },
      },
      routes: [
        { vendor: "acme", upstream_model: "swift-1-0926", weight: 3 },
        { vendor: "acme-eu", upstream_model: "swift-1", weight: 1 },
      ],
      fallbacks: ["acme/swift-mini"],
    });
    expect(prices).toEqual([
      {
        version: expect.stringMatching(/^[0-9a-f]{12}$/),
        from_ms: 0,
        input_micro_per_mtok: 3_000_000,
        output_micro_per_mtok: 15_000_000,
        cache_read_micro_per_mtok: 300_000,
        cache_write_micro_per_mtok: 3_750_000,
        tiers: [
          {
            above_input_tokens: 200_000,
            input_micro_per_mtok: 6_000_000,
            output_micro_per_mtok: 22_500_000,
            cache_read_micro_per_mtok: 600_000,
            // A class that the tier does not price costs the tier's input price.
            cache_write_micro_per_mtok: 6_000_000,
          },
        ],
      },
    ]);
  });

  test("fills in what a model does not say", () => {
    expect(model("acme/swift-mini")).toMatchObject({
      display_name: "swift-mini",
      owned_by: "acme",
      created: 0,
      kind: "chat",
      context_length: null,
      max_completion_tokens: null,
      input_modalities: ["text"],
      output_modalities: ["text"],
      capabilities: { streaming: true, tools: true, json: true, vision: false, thinking: false },
      routes: [{ vendor: "acme", upstream_model: "swift-mini", weight: 1 }],
      fallbacks: [],
    });
    expect(model("acme/swift-mini")?.capabilities).not.toHaveProperty("reasoning");
  });

  test("records who takes temperature, without a capability of that name", () => {
    const file_text = `
models:
  openai/gpt-5: { capabilities: { sampling: always }, price: { input: 1, output: 1 } }
  openai/gpt-next: { capabilities: { sampling: never }, price: { input: 1, output: 1 } }`;
    const { models } = loadConfiguration({ file_text, file_name: "camino.yaml", env: { OPENAI_API_KEY: "k" } });
    const sampling = (id: string) => models.get(`openai/${id}`)?.sampling;
    expect([sampling("gpt-next"), sampling("gpt-6-sol"), sampling("o3")]).toEqual(["never", "never", "never"]);
    expect([sampling("gpt-5.4"), sampling("gpt-5"), sampling("gpt-4.1")]).toEqual([
      "without_reasoning",
      undefined,
      undefined,
    ]);
    for (const { capabilities } of models.values()) expect(capabilities).not.toHaveProperty("sampling");
  });

  test("records who takes system messages in mid-conversation, without a capability of that name", () => {
    const file_text = `
models:
  anthropic/claude-opus-4-8: { capabilities: { mid_system: false }, price: { input: 1, output: 1 } }
  anthropic/claude-next: { capabilities: { mid_system: true }, price: { input: 1, output: 1 } }`;
    const { models } = loadConfiguration({ file_text, file_name: "camino.yaml", env: { ANTHROPIC_API_KEY: "k" } });
    const takers = [...models.values()].filter(({ mid_system }) => mid_system).map(({ id }) => id);
    expect(takers).toContain("anthropic/claude-next");
    expect(takers).toContain("anthropic/claude-sonnet-5");
    expect(takers).not.toContain("anthropic/claude-opus-4-8");
    expect(takers).not.toContain("anthropic/claude-opus-4-7");
    for (const { capabilities } of models.values()) expect(capabilities).not.toHaveProperty("mid_system");
  });

  test("orders prices by their dates, cache classes at the input price", () => {
    expect(model("acme/swift-mini")?.prices).toMatchObject([
      { from_ms: 0, input_micro_per_mtok: 100_000, cache_read_micro_per_mtok: 100_000 },
      { from_ms: Date.UTC(2026, 8, 1), input_micro_per_mtok: 200_000, cache_write_micro_per_mtok: 200_000 },
    ]);
  });

  test("gives decision models of vendors and of chat models", () => {
    expect(model("judges/one")).toMatchObject({
      kind: "decision",
      capabilities: { streaming: false, tools: false, json: false },
      prices: [{ input_micro_per_mtok: 100_000, output_micro_per_mtok: 0 }],
      routes: [{ vendor: "judges", upstream_model: "one", weight: 1 }],
    });
    expect(model("local/judge")).toMatchObject({
      kind: "decision",
      routes: [],
      decide_with: {
        engine: "logprobs",
        model: "acme/swift-mini",
        debias: "all",
        min_label_mass: 0.05,
        calibration: null,
      },
    });
  });

  test("gives limits, with defaults for what it does not say", () => {
    expect(configuration.limits).toEqual({
      body_bytes: 8 * 2 ** 20,
      decision_calls: 1000,
      default_key: { rpm: 60, concurrent: 64 },
    });
  });

  test.each([
    ["responses: { keep: 30m }", 30 * 60_000],
    ["responses: { keep: 0 }", 0],
    ["responses: {}", 3_600_000],
    ["", 3_600_000],
  ])("says how long responses are kept: %j", (text, keep_ms) => {
    expect(load(text).responses).toEqual({ keep_ms });
  });

  test.each([
    ["answers: { cost: hide }", { cost: "hide" }],
    ["answers: { cost: show }", { cost: "show" }],
    ["answers: {}", undefined],
    ["", undefined],
  ] as const)("says whether answers show their cost: %j", (text, answers) => {
    expect(load(text).answers).toEqual(answers);
  });

  test.each([
    ["decisions: { surface: vendor }", { surface: "vendor" }],
    ["decisions: { surface: specification }", { surface: "specification" }],
    ["decisions: {}", undefined],
    ["", undefined],
  ] as const)("says what the decision endpoints take: %j", (text, decisions) => {
    expect(load(text).decisions).toEqual(decisions);
  });

  test.each([
    [
      "cors: { origins: [https://app.example.com, 'HTTP://LOCALHOST:80'] }",
      ["https://app.example.com", "http://localhost"],
    ],
    ["cors: { origins: ['*'] }", ["*"]],
    ["cors: { origins: [] }", undefined],
    ["", undefined],
  ])("says which pages may call it: %j", (text, origins) => {
    expect(load(text).cors?.origins).toEqual(origins);
  });

  test.each(["https://a.example/path", "a.example", "file:///x", "https://*.example", "null", "https://u:p@a.example"])(
    "refuses the origin %j",
    (origin) => expect(() => load(`cors: { origins: ["${origin}"] }`)).toThrow(/an origin such as/),
  );

  test("may be absent", () => {
    const empty = load(null);
    expect(empty.currency).toBe("USD");
    expect(empty.vendors.size + empty.models.size).toBe(0);
    expect(empty.limits).toEqual({
      body_bytes: 32 * 2 ** 20,
      decision_calls: 1000,
      default_key: { rpm: 600, concurrent: 64 },
    });
  });

  test.each(["", "# nothing but a comment\n", "models:\nvendors:\n", "{}"])("may be empty: %j", (text) => {
    expect(load(text).models.size).toBe(0);
  });

  test("may use YAML's anchors", () => {
    const text = `
vendors:
  a: { protocol: messages, base_url: "http://127.0.0.1:1/v1", timeouts: &patient { total: 1h } }
  b: { protocol: messages, base_url: "http://127.0.0.1:2/v1", timeouts: *patient }
`;
    expect(load(text).vendors.get("b")?.timeouts.total_ms).toBe(3_600_000);
  });
});

describe("price versions", () => {
  const versionOf = (price: string) =>
    load(`
vendors: { a: { protocol: messages, base_url: "http://127.0.0.1:1/v1" } }
models: { a/m: { price: ${price} } }
`).models.get("a/m")?.prices[0]?.version;

  test("are equal for equal prices, however they are written", () => {
    expect(versionOf("{ input: 3, output: 15 }")).toBe(versionOf("{ output: 15.00, input: 3.0, cache_read: 3e0 }"));
    expect(versionOf("{ input: 3, output: 15 }")).toBe(versionOf("{ input: 3, output: 15, from: 2026-01-01 }"));
  });

  test.each([
    "{ input: 3.000001, output: 15 }",
    "{ input: 3, output: 15.1 }",
    "{ input: 3, output: 15, cache_read: 1 }",
    "{ input: 3, output: 15, cache_write: 1 }",
    "{ input: 3, output: 15, tiers: [{ above_input_tokens: 1, input: 3, output: 15 }] }",
  ])("differ for %s", (price) => {
    expect(versionOf(price)).not.toBe(versionOf("{ input: 3, output: 15 }"));
  });
});

describe("a price with all its classes", () => {
  const priceOf = (price: string) => {
    const text = `catalog: none\nvendors: { acme: { protocol: messages, base_url: "http://127.0.0.1:1/v1" } }\nmodels:\n  acme/one: { price: ${price} }\n`;
    return load(text).models.get("acme/one")?.prices[0];
  };

  test("is read class by class, with calls, lists for tiers and speeds, and factors", () => {
    const price = priceOf(
      "{ input: 5, output: 25, cache_write_1h: 10, input_audio: 0.0833333, calls: { web_search: 10, code_interpreter: 30.00 }, " +
        "service_tiers: { flex: { input: 2.5, output: 12.5, tiers: [{ above_input_tokens: 10, input: 3, output: 13, output_audio: 99 }] } }, " +
        "speeds: { fast: { input: 30, output: 150 } }, residency: { us: 1.1 } }",
    );
    expect(price).toMatchObject({
      input_micro_per_mtok: 5_000_000,
      parts_micro_per_mtok: { cache_write_1h: 10_000_000, input_audio: 83_333 },
      calls_micro_per_kcall: { web_search: 10_000_000, code_interpreter: 30_000_000 },
      variants: {
        service_tiers: {
          flex: {
            variant: "service_tier=flex",
            input_micro_per_mtok: 2_500_000,
            cache_read_micro_per_mtok: 2_500_000,
            calls_micro_per_kcall: { web_search: 10_000_000 },
            tiers: [{ above_input_tokens: 10, parts_micro_per_mtok: { output_audio: 99_000_000 } }],
          },
        },
        speeds: { fast: { variant: "speed=fast", output_micro_per_mtok: 150_000_000 } },
        residency_millionths: { us: 1_100_000 },
      },
    });
  });

  test("has another version than without them, and a price of four classes the one that it always had", () => {
    const plain = priceOf("{ input: 5, output: 25 }");
    expect(plain?.version).toBe("dd55213c3d82");
    expect(priceOf("{ input: 5, output: 25, input_audio: 5 }")?.version).not.toBe(plain?.version);
    expect(priceOf("{ input: 5, output: 25, calls: { web_search: 1 } }")?.version).not.toBe(plain?.version);
    expect(priceOf("{ input: 5, output: 25, residency: { us: 1.1 } }")?.version).toBe(plain?.version);
  });
});

describe("how long clients' connections stay open", () => {
  test.each([
    ["clients: { keep_alive: 620s }", 620_000],
    ["clients: { keep_alive: 5s }", 5_000],
    ["clients: {}", undefined],
  ])("%s", (text, keep_alive_ms) => {
    expect(load(text).clients?.keep_alive_ms).toBe(keep_alive_ms as never);
  });

  test.each(["4s", "61m", "75"])("%s is refused", (duration) => {
    expect(() => load(`clients: { keep_alive: ${duration} }`)).toThrow(/keep_alive.*a duration/);
  });
});
