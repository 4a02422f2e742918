import { describe, expect, test } from "bun:test";
import type { ClientRequest, Exchange, Target } from "../../../src/core/answer/exchange.ts";
import { bytesOf } from "../../../src/core/answer/sent-body.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import type { Price } from "../../../src/core/money/price.ts";
import { costOf } from "../../../src/core/money/price.ts";
import { NO_USAGE } from "../../../src/core/money/usage.ts";
import { holdFor } from "../../../src/ledger/hold.ts";
import { adapterBetween, clientProtocols } from "../../../src/main/protocols.ts";

/** docs/rulings.md 144: features without a price are not relayed; those with a price are relayed, held, charged. */

type Style = "chat-completions" | "responses" | "messages";

const CLASSES = {
  ...{ input_micro_per_mtok: 1_000_000, output_micro_per_mtok: 2_000_000 },
  ...{ cache_read_micro_per_mtok: 100_000, cache_write_micro_per_mtok: 1_250_000 },
};
const PLAIN: Price = { version: "plain", from_ms: 0, tiers: [], ...CLASSES };
const RICH: Price = {
  ...PLAIN,
  version: "rich",
  parts_micro_per_mtok: { input_audio: 40_000_000, cache_write_1h: 2_000_000 },
  calls_micro_per_kcall: { web_search: 10_000_000, file_search: 2_500_000, code_interpreter: 30_000_000 },
  variants: {
    service_tiers: { flex: { ...PLAIN, version: "flex", input_micro_per_mtok: 500_000, variant: "service_tier=flex" } },
    speeds: { fast: { ...PLAIN, version: "fast", output_micro_per_mtok: 12_000_000, variant: "speed=fast" } },
    residency_millionths: { us: 1_100_000 },
  },
};

function target(protocol: Style, price: Price): Target {
  const endpoint = { protocol, base_url: "http://vendor.example/v1", credential: "bearer" } as const;
  const capabilities = { streaming: true, tools: true, json: true, vision: true, thinking: false };
  const model = {
    ...{ id: "acme/swift", display_name: "Swift", owned_by: "acme", created: 0, kind: "chat" as const },
    ...{
      context_length: 200_000,
      max_completion_tokens: 8000,
      input_modalities: ["text"],
      output_modalities: ["text"],
    },
    ...{ capabilities, prices: [price], routes: [], fallbacks: [] },
  };
  const vendor = {
    ...{ id: "acme", name: "Acme", endpoints: [endpoint], api_key: null, headers: {}, quirks: {} },
    ...{ timeouts: { connect_ms: 1, first_byte_ms: 1, idle_ms: 1, total_ms: 1 }, on_disconnect: "abort" as const },
    forwards_safety_identifier: false,
  };
  return { model, vendor, endpoint, upstream_model: "swift", price };
}

const BASE = {
  "chat-completions": { model: "m", messages: [{ role: "user", content: "Hi" }] },
  responses: { model: "m", input: "Hi" },
  messages: { model: "m", max_tokens: 100, messages: [{ role: "user", content: "Hi" }] },
};

const { "chat.completions": chat, ...others } = clientProtocols;
const clients = { "chat-completions": chat, ...others };
const headers = new Headers({ "anthropic-version": "2023-06-01" });

function read(style: Style, members: object): ClientRequest {
  return clients[style].readRequest(JSON.stringify({ ...BASE[style], ...members }), headers);
}

function prepare(style: Style, members: object, price: Price, to: Style = style): Exchange {
  const way = adapterBetween(style, to);
  if (way === null) throw new Error("no way");
  return way.prepare(read(style, members), target(to, price), headers);
}

function sentBy(exchange: Exchange): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(bytesOf(exchange.body))) as Record<string, unknown>;
}

function refusalOf(run: () => unknown): GatewayError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
    throw thrown;
  }
  throw new Error("it was not refused");
}

const search = { type: "web_search_20250305", name: "web_search", max_uses: 3 };

const OWN = { type: "function", name: "f" };
const MINE = { name: "f", input_schema: { type: "object" } };
const IMAGES = { type: "image_generation" };
const allowed = (mode: string, ...tools: object[]) => ({ type: "allowed_tools", mode, tools });

describe("without a price", () => {
  test.each<[Style, string, unknown]>([
    ["chat-completions", "service_tier", "priority"],
    ["chat-completions", "models", ["other/model"]],
    ["responses", "service_tier", "flex"],
    ["messages", "speed", "fast"],
    ["messages", "fallbacks", [{ model: "other" }]],
    ["responses", "background_options", { completion_window: "8h" }],
  ])("on %s %s is left out and named: the answer stays what was asked for", (style, member, value) => {
    const exchange = prepare(style, { [member]: value }, PLAIN);
    expect(sentBy(exchange)).not.toHaveProperty(member);
    expect(exchange.ignored).toEqual([member]);
    expect(exchange.charged).toEqual([]);
  });

  test.each<[Style, object, string]>([
    ["chat-completions", { web_search_options: {} }, "web_search_options"],
    ["chat-completions", { plugins: [{ id: "web" }] }, "plugins"],
    ["chat-completions", { provider: { order: ["x"] } }, "provider"],
    ["responses", { tools: [{ type: "web_search" }], tool_choice: "required" }, "tool_choice"],
    ["responses", { tools: [{ type: "image_generation" }, OWN], tool_choice: IMAGES }, "tool_choice"],
    [
      "responses",
      { tools: [{ type: "image_generation" }, OWN], tool_choice: allowed("required", IMAGES) },
      "tool_choice",
    ],
    ["messages", { tools: [search], tool_choice: { type: "any" } }, "tool_choice"],
    ["messages", { tools: [search, MINE], tool_choice: { type: "tool", name: "web_search" } }, "tool_choice"],
    ["messages", { inference_geo: "us" }, "inference_geo"],
  ])("on %s %j is refused by its name", (style, members, param) => {
    const error = refusalOf(() => prepare(style, members, PLAIN));
    expect([error.row.status, error.param]).toEqual([400, param]);
    expect(error.message).toContain("has no price for acme/swift");
  });

  test.each<[Style, object]>([
    ["chat-completions", { service_tier: "auto", tools: [{ type: "function", function: { name: "f" } }] }],
    ["responses", { service_tier: "default", tools: [{ type: "custom", name: "c" }, { type: "local_shell" }] }],
    [
      "messages",
      {
        service_tier: "standard_only",
        tools: [
          { name: "f", input_schema: {} },
          { type: "bash_20250124", name: "bash" },
        ],
      },
    ],
    ["messages", { speed: "standard", inference_geo: "global" }],
    [
      "messages",
      {
        tools: [
          { type: "browser_toolset_20260801", name: "browser" },
          { type: "computer_toolset_20270102", name: "computer" },
          { type: "garden_toolset_20271231", name: "garden" },
        ],
      },
    ],
  ])("on %s what changes no charge is relayed: %j", (style, members) => {
    const exchange = prepare(style, members, PLAIN);
    expect(sentBy(exchange)).toMatchObject(members);
    expect(exchange.ignored).toEqual([]);
  });
});

describe("a vendor's tool without a price", () => {
  const SHELL = { type: "shell", environment: { type: "container_auto" } };
  const CODE = { type: "code_execution_20250825", name: "code_execution" };
  const SOURCES = "web_search_call.action.sources";
  const added = (...tools: object[]) => [
    { type: "additional_tools", role: "developer", tools },
    { role: "user", content: "Hi" },
  ];

  test.each<[Style, object, object, string[]]>([
    ["responses", { tools: [{ type: "web_search" }, OWN] }, { tools: [OWN] }, ["tools.web_search"]],
    ["responses", { tools: [IMAGES, OWN, SHELL] }, { tools: [OWN] }, ["tools.image_generation", "tools.shell"]],
    ["responses", { tools: [{ type: "crystal_ball" }], tool_choice: "auto" }, {}, ["tools.crystal_ball"]],
    ["responses", { tools: [IMAGES], tool_choice: "none" }, {}, ["tools.image_generation"]],
    [
      "responses",
      { tools: [IMAGES, OWN], tool_choice: "required" },
      { tools: [OWN], tool_choice: "required" },
      ["tools.image_generation"],
    ],
    [
      "responses",
      { tools: [IMAGES, OWN], tool_choice: allowed("required", IMAGES, OWN) },
      { tools: [OWN], tool_choice: allowed("required", OWN) },
      ["tools.image_generation"],
    ],
    [
      "responses",
      { tools: [IMAGES, OWN], tool_choice: allowed("auto", IMAGES) },
      { tools: [OWN], tool_choice: "none" },
      ["tools.image_generation"],
    ],
    [
      "responses",
      { tools: [{ type: "web_search" }], include: [SOURCES, "reasoning.encrypted_content"] },
      { include: ["reasoning.encrypted_content"] },
      ["tools.web_search", `include.${SOURCES}`],
    ],
    ["responses", { input: added(IMAGES, OWN) }, { input: added(OWN) }, ["tools.image_generation"]],
    [
      "responses",
      { tools: [{ type: "programmatic_tool_calling" }, { ...OWN, allowed_callers: ["programmatic"] }] },
      { tools: [OWN] },
      ["tools.programmatic_tool_calling", "tools.allowed_callers"],
    ],
    ["messages", { tools: [search, MINE] }, { tools: [MINE] }, ["tools.web_search_20250305"]],
    ["messages", { tools: [search], tool_choice: { type: "auto" } }, {}, ["tools.web_search_20250305"]],
    [
      "messages",
      { tools: [{ type: "advisor_20260301", name: "advisor" }, MINE], tool_choice: { type: "any" } },
      { tools: [MINE], tool_choice: { type: "any" } },
      ["tools.advisor_20260301"],
    ],
    [
      "messages",
      { tools: [CODE, { ...MINE, allowed_callers: ["direct", CODE.type] }] },
      { tools: [{ ...MINE, allowed_callers: ["direct"] }] },
      ["tools.code_execution_20250825", "tools.allowed_callers"],
    ],
  ])("on %s is left out with all that speaks of it, and named: %j", (style, members, sent, ignored) => {
    const exchange = prepare(style, members, PLAIN);
    expect(sentBy(exchange)).toEqual({ ...BASE[style], ...sent, model: "swift" });
    expect([exchange.ignored, exchange.charged]).toEqual([ignored, []]);
  });
});

describe("a second spelling of a member that is read", () => {
  test.each<[Style, object, string]>([
    ["chat-completions", { Model: "dear" }, "Model"],
    ["chat-completions", { N: 50 }, "N"],
    ["chat-completions", { MAX_TOKENS: 1_000_000 }, "MAX_TOKENS"],
    ["chat-completions", { ｎ: 50 }, "ｎ"],
    ["chat-completions", { meſſages: [] }, "meſſages"],
    ["responses", { Stream: true }, "Stream"],
    ["responses", { Service_Tier: "priority" }, "Service_Tier"],
    ["messages", { Max_Tokens: 1_000_000 }, "Max_Tokens"],
    ["messages", { SPEED: "fast" }, "SPEED"],
    ["messages", { tools: [{ name: "f", Type: "web_search_20250305" }] }, "tools[0].Type"],
  ])("on %s is refused: %j", (style, members, param) => {
    const error = refusalOf(() => read(style, members));
    expect([error.row.status, error.param]).toEqual([400, param]);
  });

  test("does not matter where nothing reads the member: unknown members pass", () => {
    expect(sentBy(prepare("chat-completions", { Whatever: 1, min_p: 0.1 }, PLAIN))).toMatchObject({
      Whatever: 1,
      min_p: 0.1,
    });
  });
});

describe("with a price", () => {
  test("a service tier is relayed and charged by its price list", () => {
    const exchange = prepare("responses", { service_tier: "flex" }, RICH);
    expect(sentBy(exchange)).toMatchObject({ service_tier: "flex" });
    expect(exchange.charged).toMatchObject([{ place: "service_tier", asks: { service_tier: "flex" } }]);
  });

  test("tools are relayed, with their limit of calls", () => {
    const exchange = prepare("messages", { tools: [search], speed: "fast", inference_geo: "us" }, RICH);
    expect(sentBy(exchange)).toMatchObject({ tools: [search], speed: "fast", inference_geo: "us" });
    expect(exchange.charged?.map(({ place }) => place).toSorted()).toEqual(["inference_geo", "speed", "tools[0]"]);
    expect(prepare("responses", { tools: [{ type: "web_search" }], max_tool_calls: 2 }, RICH).charged).toMatchObject([
      { calls: { web_search: 2 } },
    ]);
  });

  test("a service tier is translated where the target's price has it, and is left out elsewhere", () => {
    const kept = prepare("chat-completions", { service_tier: "flex" }, RICH, "responses");
    expect(sentBy(kept)).toMatchObject({ service_tier: "flex" });
    expect(kept.charged).toMatchObject([{ asks: { service_tier: "flex" } }]);
    const dropped = prepare("chat-completions", { service_tier: "flex" }, PLAIN, "responses");
    expect(sentBy(dropped)).not.toHaveProperty("service_tier");
    expect([dropped.charged, dropped.ignored]).toEqual([[], ["service_tier"]]);
  });

  test("a place of computation is refused in translation, because no other protocol can promise it", () => {
    const error = refusalOf(() => prepare("messages", { inference_geo: "us" }, RICH, "chat-completions"));
    expect([error.row.status, error.param]).toEqual([400, "inference_geo"]);
  });
});

test("the definition of a toolset is in the input's bound, as no byte of the request shows it", () => {
  const bound = (...tools: object[]) => read("messages", { tools: [MINE, ...tools] }).input_bound_tokens;
  const toolset = { type: "browser_toolset_20260801", name: "browser" };
  expect(bound(toolset) - bound()).toBeGreaterThan(6600);
});

describe("the hold", () => {
  const WHOLE = { is_seen: false, takes_cap: true };
  const hold = (style: Style, members: object, price: Price) => {
    const request = read(style, members);
    const model = { context_length: 200_000, max_completion_tokens: 100 };
    return { ...holdFor(request, { ...WHOLE, model, routes: [{ model, price }] }), request };
  };
  const usual = hold("messages", {}, { ...RICH, variants: {} }).hold_micro;

  test("of a request without such features is the same as with a price of four classes", () => {
    expect(hold("messages", {}, PLAIN).hold_micro).toBe(usual);
    expect(hold("messages", {}, RICH).hold_micro).toBe(usual);
  });

  test("covers audio at its price where there may be audio, however the request writes it", () => {
    const content = [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }];
    const with_sound = hold("chat-completions", { messages: [{ role: "user", content }] }, RICH);
    const usage = {
      ...NO_USAGE,
      input_tokens: with_sound.bound_tokens,
      extra: { parts: { input_audio: with_sound.bound_tokens } },
    };
    expect(with_sound.hold_micro >= costOf(usage, RICH)).toBe(true);
    const text = JSON.stringify({ ...BASE["chat-completions"], messages: [{ role: "user", content }] });
    const escaped = text.replaceAll("audio", "\\u0061udio");
    const request = clients["chat-completions"].readRequest(escaped, headers);
    const model = { context_length: 200_000, max_completion_tokens: 100 };
    const routes = [{ model, price: RICH }];
    expect(holdFor(request, { ...WHOLE, model, routes }).hold_micro >= costOf(usage, RICH)).toBe(true);
  });

  test("covers an hour's cache where the request asks for it", () => {
    const system = [{ type: "text", text: "Long", cache_control: { type: "ephemeral", ttl: "1h" } }];
    const { hold_micro, bound_tokens } = hold("messages", { system }, RICH);
    const usage = { ...NO_USAGE, cache_write_tokens: bound_tokens, extra: { parts: { cache_write_1h: bound_tokens } } };
    expect(hold_micro >= costOf(usage, RICH)).toBe(true);
  });

  test("covers all allowed searches, and their results read again in each later step", () => {
    const { hold_micro, bound_tokens } = hold("messages", { tools: [search] }, RICH);
    const input_tokens = 4 * bound_tokens + (1 + 2 + 3) * 16_384;
    const usage = { ...NO_USAGE, input_tokens, output_tokens: 100, extra: { calls: { web_search: 3 } } };
    expect(hold_micro >= costOf(usage, RICH)).toBe(true);
  });

  test("is no larger for a tool without a price, which is left out", () => {
    const tools = [OWN, { type: "web_search" }, { type: "image_generation" }];
    const { hold_micro } = hold("responses", { tools }, PLAIN);
    const alone = hold("responses", { tools: [OWN] }, PLAIN).hold_micro;
    expect(hold_micro - alone < 100n).toBe(true);
    expect(hold("responses", { tools }, RICH).hold_micro > 5n * alone).toBe(true);
  });

  test("covers a dearer price list that the request asks for", () => {
    const { hold_micro } = hold("messages", { speed: "fast" }, RICH);
    expect(hold_micro - usual >= 100n * 10n).toBe(true);
  });
});
