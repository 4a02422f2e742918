import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../../proofs/support/runs.ts";
import { PART_NAMES } from "../../core/money/price-classes.ts";
import type { GivenElement } from "../configuration/element-layer.ts";
import { withGivenCredentials } from "../configuration/given-credential.ts";
import { loadConfiguration, loadWithOrigins } from "../configuration/load-configuration.ts";
import { exportConfiguration } from "./export-configuration.ts";
import { layOver } from "./lay-over.ts";

const ENV = {
  OPENAI_API_KEY: "sk-openai",
  AWS_ACCESS_KEY_ID: "AKIA0000",
  AWS_SECRET_ACCESS_KEY: "aws-secret",
  AWS_REGION: "eu-west-1",
  ACME_KEY: "sk-acme",
};

/** Exports what a file and elements give together, and reads the text with its variables set to `secrets` where they are new. */
function roundTrip(file_text: string, elements: readonly GivenElement[], secrets: Record<string, string> = {}) {
  const base = loadWithOrigins({ file_text, file_name: "camino.yaml", env: ENV });
  const { loaded, left_out } = layOver(base.input, elements, new Set());
  expect([...left_out]).toEqual([]);
  const current = loaded.configuration;
  const sources = { loaded, given: new Map(), stored: new Set<string>(), current };
  const own = new Map(elements.flatMap(({ kind, id, value }) => (kind === "vendor" ? [[id, value] as const] : [])));
  const { text, variables } = exportConfiguration(sources, base.input, own);
  const read = loadConfiguration({ file_text: text, file_name: "export.yaml", env: { ...ENV, ...secrets } });
  return { text, variables, current, read };
}

const FILE = `
vendors:
  acme:
    protocol: [messages, chat-completions]
    base_url: { messages: "https://eu.acme.example/anthropic/v1", chat-completions: "https://eu.acme.example/v1" }
    api_key: \${ACME_KEY}
    headers: { x-team: gateway, authorization-hint: "\${ACME_KEY}" }
    timeouts: { connect: 1500ms, idle: 2m }
    shared_state: allow
    on_disconnect: drain
  literal: { protocol: chat-completions, base_url: "http://127.0.0.1:1/v1", api_key: sk-literal-secret }
  many:
    protocol: messages
    base_url: "http://127.0.0.1:3/v1"
    api_keys: [{ key: "\${ACME_KEY}", weight: 2.5 }, { key: sk-literal-second, name: spare, limits: { spend: 12.5/day, tpm: 1000 } }]
    limits: { spend: 100/day, rpm: 500, concurrent: 20 }
  ranks: { protocol: rerank, base_url: "http://127.0.0.1:2", dialect: tei }
models:
  acme/dated:
    completions: true
    created: 2026-09-01
    capabilities: { reasoning: { toggle: true, effort: [low, high], budget_tokens: { min: 1024 } }, sampling: never }
    price:
      - { input: 2.00, output: 10.00 }
      - from: 2027-01-01T12:30:00Z
        input: 5
        output: 25.000001
        cache_write_1h: 10
        calls: { web_search: 10.5 }
        tiers: [{ above_input_tokens: 200000, input: 6, output: 22.5 }]
        service_tiers: { flex: { input: 2.5, output: 12.5, tiers: [{ above_input_tokens: 5, input: 3, output: 4 }] } }
        speeds: { fast: { input: 30, output: 150 } }
        residency: { us: 1.1 }
    routes: [{ vendor: acme, weight: 2.5, protocol: messages }, { vendor: literal, upstream_model: other }]
    fallbacks: [literal/plain, literal/gone]
  many/swift: { price: { input: 1, output: 2 }, routing: { pick: latency, sticky: off } }
  literal/plain: { price: { input: 0.0833333, output: 0 }, input_modalities: [text, image] }
  literal/spoken: { kind: speech, price: { input_characters: 15.5 } }
  literal/drawn: { kind: image, price: { images: { default: 0.04, 1024x1024/hd: 0.08 } } }
  ranks/searched: { kind: rerank, price: { searches: 2.5 } }
  ranks/counted: { kind: rerank, price: { input: 0.05 } }
  literal/gone: { price: { input: 1, output: 1 }, retired: true }
  acme/follower:
    price: [{ follows: upstream, markup: { percent: 12.5, add: { input: 0.05, output: 0.1 } } }, { from: 2027-06-01, input: 9, output: 9 }]
    cost: [{ input: 1, output: 4 }, { from: 2027-01-01, input: 2, output: 4, cache_read: 0.2 }]
    routes: [{ vendor: acme }, { vendor: literal, cost: { input: 1.5, output: 3, calls: { web_search: 1 } } }]
  acme/judge:
    decide_with: { engine: logprobs, model: literal/plain, debias: two, min_label_mass: 0.125, calibration: { version: fit 1, temperatures: { choice: 1.25 } } }
    price: { input: 0.05, per: call }
aliases: { fast: literal/plain, "claude-*": acme/dated, "claude-3*": literal/plain }
limits: { body: 1000kB, default_key: { rpm: 7 }, models: { "acme/*": { tpm: 5, budget: 0.5/day }, "*": { rpm: 9, concurrent: 2 } } }
responses: { keep: 2h }
retention: { requests: 30d }
console: { oidc: { corp: { issuer: "https://id.example", client_id: c, client_secret: shh-literal } } }
operations: { token: "0123456789abcdef0123" }
cells: { directory: { weight: 0 }, north: { url: "postgres://camino:shh-cell@north/camino", weight: 3 } }
`;

const SECRETS = {
  CAMINO_LITERAL_API_KEY: "sk-literal-secret",
  CAMINO_MANY_KEY_SPARE: "sk-literal-second",
  CAMINO_ACME_HEADER_X_TEAM: "gateway",
  CAMINO_CONSOLE_OIDC_CORP_CLIENT_SECRET: "shh-literal",
  CAMINO_OPERATIONS_TOKEN: "0123456789abcdef0123",
  CAMINO_CELLS_NORTH_URL: "postgres://camino:shh-cell@north/camino",
};

describe("an export", () => {
  test("of a file with everything in it gives the same configuration, and has no secret in it", () => {
    const { text, variables, current, read } = roundTrip(FILE, [], SECRETS);
    expect(read).toEqual(current);
    for (const secret of [
      "sk-openai",
      "sk-acme",
      "sk-literal-secret",
      "sk-literal-second",
      "shh-literal",
      "aws-secret",
      "0123456789abcdef",
      "shh-cell",
    ]) {
      expect(text).not.toContain(secret);
    }
    const missing = variables.filter(({ set }) => !set).map(({ name }) => name);
    expect(missing.toSorted()).toEqual(Object.keys(SECRETS).toSorted());
    expect(text).toContain("CAMINO_LITERAL_API_KEY: the api_key of the vendor literal");
  });

  test("of the environment alone names its vendors with all their models", () => {
    const { current, read } = roundTrip("", []);
    expect(current.models.size).toBeGreaterThan(20);
    expect(read.vendors).toEqual(current.vendors);
    expect(read.models).toEqual(current.models);
  });

  test("of elements that are laid over the file has them in its place", () => {
    const elements: GivenElement[] = [
      { kind: "model", id: "literal/plain", value: { price: { input: "9", output: "9" }, retired: true } },
      {
        kind: "vendor",
        id: "acme",
        value: { protocol: ["messages"], base_url: "https://eu.acme.example/v2", headers: { "x-own": "yes" } },
      },
      { kind: "model", id: "acme/dated", value: { price: { input: "1", output: "1" } } },
      { kind: "model", id: "acme/judge", value: { kind: "chat", price: { input: "1", output: "1" } } },
      { kind: "alias", id: "fast", value: "acme/dated" },
      { kind: "alias", id: "claude-3*", value: "acme/dated" },
      { kind: "limits", id: "default", value: { body: "5MiB" } },
    ];
    const { text, current, read } = roundTrip(FILE, elements, SECRETS);
    expect(read).toEqual(current);
    expect(text).toContain("x-own: yes");
    expect(current.vendors.get("acme")).toMatchObject({
      api_key: "sk-acme",
      headers: { "x-own": "yes", "x-team": "gateway" },
    });
  });

  test("of a credential that the console has names a new variable for it", () => {
    const base = loadWithOrigins({ file_text: FILE, file_name: "camino.yaml", env: ENV });
    const given = new Map([["openai", { api_key: "sk-of-the-console" }]]);
    const current = withGivenCredentials(base, given);
    const sources = { loaded: base, given, stored: new Set(["openai"]), current };
    const { text } = exportConfiguration(sources, base.input, new Map());
    expect(text).not.toContain("sk-of-the-console");
    const env = { ...ENV, ...SECRETS, CAMINO_OPENAI_API_KEY: "sk-of-the-console" };
    expect(loadConfiguration({ file_text: text, file_name: "export.yaml", env })).toEqual(current);
  });

  test("gives the same configuration for any models, prices, vendors and aliases of the database", () => {
    fc.assert(
      fc.property(elementsArbitrary(), (elements) => {
        const { current, read } = roundTrip(
          "catalog: none\nvendors: { acme: { protocol: messages, base_url: 'https://a.example/v1' } }",
          elements,
        );
        expect(read).toEqual(current);
      }),
      { numRuns: runs(30) },
    );
  }, 120_000);
});

const price = fc
  .integer({ min: 0, max: 10 ** 12 })
  .map((micro) => `${Math.floor(micro / 1e6)}.${String(micro % 1e6).padStart(6, "0")}`);
const text = fc
  .string({ minLength: 1, maxLength: 20, unit: "grapheme" })
  .filter((each) => each.trim() !== "" && !each.includes("${"));

function listed() {
  const classes = Object.fromEntries(["cache_read", "cache_write", ...PART_NAMES].map((name) => [name, price]));
  return fc.record({ input: price, output: price, ...classes }, { requiredKeys: ["input", "output"] });
}

function priceArbitrary() {
  const tier = fc
    .tuple(fc.integer({ min: 1, max: 1e9 }), listed())
    .map(([above_input_tokens, rest]) => ({ above_input_tokens, ...rest }));
  const tiers = fc.uniqueArray(tier, { maxLength: 3, selector: ({ above_input_tokens }) => above_input_tokens });
  const extras = fc.record(
    {
      tiers,
      calls: fc.record({ web_search: price, code_execution: price }, { requiredKeys: [] }),
      service_tiers: fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/), listed(), { maxKeys: 2 }),
      speeds: fc.dictionary(fc.constantFrom("fast", "slow"), listed(), { maxKeys: 2 }),
      residency: fc.dictionary(fc.constantFrom("us", "eu"), fc.constantFrom("1.1", "0.000001", "100"), { maxKeys: 2 }),
    },
    { requiredKeys: [] },
  );
  const one = fc.tuple(listed(), extras).map(([classes, rest]) => ({ ...classes, ...rest }));
  const dated = fc.date({ min: new Date("2000-01-01"), max: new Date("2099-01-01"), noInvalidDate: true });
  const several = fc
    .uniqueArray(fc.tuple(dated, one), { minLength: 1, maxLength: 3, selector: ([from]) => from.getTime() })
    .map((list) => list.map(([from, rest]) => ({ from: from.toISOString(), ...rest })));
  return fc.oneof(one, several);
}

function modelArbitrary() {
  return fc.record(
    {
      price: priceArbitrary(),
      display_name: text,
      context_length: fc.integer({ min: 1, max: 1e9 }),
      input_modalities: fc.constantFrom(["text"], ["text", "image"], ["audio"]),
      retired: fc.boolean(),
      capabilities: fc.record(
        {
          tools: fc.boolean(),
          reasoning: fc.constantFrom({}, { toggle: true }, { effort: ["low"], budget_tokens: { max: 9 } }),
          mid_system: fc.boolean(),
          sampling: fc.constantFrom("always", "never", "without_reasoning"),
        },
        { requiredKeys: [] },
      ),
      routes: fc.array(
        fc.record({ vendor: fc.constantFrom("acme", "made"), weight: fc.constantFrom("1", "0.000001", "999999999.5") }),
        { minLength: 1, maxLength: 3 },
      ),
    },
    { requiredKeys: ["price"] },
  );
}

/** A vendor, models of it, and aliases that lead to those that take calls. */
function elementsArbitrary(): fc.Arbitrary<GivenElement[]> {
  const vendor = fc.record(
    {
      protocol: fc.constantFrom("messages", ["chat-completions", "messages"]),
      base_url: fc.constant("https://made.example:8443/v1"),
      name: text,
      headers: fc.dictionary(fc.constantFrom("x-team", "x-place"), fc.stringMatching(/^[a-z0-9 ~"#:{}-]{0,9}[a-z]$/), {
        maxKeys: 2,
      }),
      timeouts: fc.record(
        { idle: fc.constantFrom("1ms", "90s", "2h"), total: fc.constant("61m") },
        { requiredKeys: [] },
      ),
      on_disconnect: fc.constantFrom("abort", "drain", "auto"),
      forwards_safety_identifier: fc.boolean(),
    },
    { requiredKeys: ["protocol", "base_url"] },
  );
  const models = fc.dictionary(fc.stringMatching(/^made\/[A-Za-z0-9._:@+~-]{1,12}$/), modelArbitrary(), {
    minKeys: 1,
    maxKeys: 4,
  });
  const names = fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9._:-]{1,9}\*?$/), { maxLength: 4 });
  return fc.tuple(vendor, models, names).map(([made, named, aliases]) => {
    const targets = Object.keys(named).filter((id) => named[id]?.retired !== true);
    return [
      { kind: "vendor" as const, id: "made", value: made },
      ...Object.entries(named).map(([id, value]) => ({ kind: "model" as const, id, value })),
      ...aliases.flatMap((id, index) =>
        targets.length === 0 ? [] : [{ kind: "alias" as const, id, value: targets[index % targets.length] ?? "" }],
      ),
    ];
  });
}
