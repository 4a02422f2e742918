import { describe, expect, test } from "bun:test";
import type { Exchange } from "../../../src/core/answer/exchange.ts";
import { bytesOf } from "../../../src/core/answer/sent-body.ts";
import type { Protocol } from "../../../src/core/endpoints.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import type { Price } from "../../../src/core/money/price.ts";
import { adapterBetween, clientProtocols } from "../../../src/main/protocols.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { targetFor } from "../../support/target.ts";

/**
 * docs/rulings.md 190: tools and their choice are one. Over generated lists of tools, choices and targets: no vendor is
 * asked for a tool that it was not given, no demand is dropped, and nothing vanishes unnamed.
 */

const CASES = 3000;

type Fields = Readonly<Record<string, unknown>>;
type Style = "chat-completions" | "responses" | "messages";
const STYLES: readonly Style[] = ["chat-completions", "responses", "messages"];
const VENDORS: readonly Protocol[] = ["chat-completions", "responses", "messages", "gemini", "bedrock-converse"];

const PRICE: Price = {
  ...{ version: "plain", from_ms: 0, tiers: [], input_micro_per_mtok: 1_000_000, output_micro_per_mtok: 2_000_000 },
  ...{ cache_read_micro_per_mtok: 100_000, cache_write_micro_per_mtok: 1_250_000 },
};
/** Prices for all, some and none of the vendors' tools. */
const PRICES: readonly Price[] = [
  PRICE,
  { ...PRICE, calls_micro_per_kcall: { web_search: 10_000 } },
  { ...PRICE, calls_micro_per_kcall: { web_search: 10_000, code_interpreter: 30_000, code_execution: 1_000 } },
];

/** A tool, and the choice that names it. */
interface Tool {
  readonly tool: Fields;
  readonly choice: Fields;
}

const hosted = (type: string, more: object = {}): Tool => ({ tool: { type, ...more }, choice: { type } });
const ofResponses = (type: "function" | "custom", name: string): Tool => ({
  tool: { type, name },
  choice: { type, name },
});
const ofChat = (type: "function" | "custom", name: string): Tool => ({
  tool: { type, [type]: { name } },
  choice: { type, [type]: { name } },
});
const ofMessages = (tool: Fields): Tool => ({ tool, choice: { type: "tool", name: tool.name } });

const TOOLS: Readonly<Record<Style, readonly Tool[]>> = {
  "chat-completions": [ofChat("function", "f"), ofChat("function", "g"), ofChat("custom", "c")],
  responses: [
    ...[ofResponses("function", "f"), ofResponses("function", "web_search"), ofResponses("custom", "c")],
    ...[hosted("web_search"), hosted("code_interpreter"), hosted("image_generation"), hosted("tool_search")],
    { tool: { type: "mcp", server_label: "docs" }, choice: { type: "mcp", server_label: "docs", name: "find" } },
  ],
  messages: [
    ...[ofMessages({ name: "f", input_schema: {} }), ofMessages({ name: "g", input_schema: {} })],
    ofMessages({ type: "web_search_20250305", name: "web_search" }),
    ofMessages({ type: "code_execution_20250825", name: "code_execution" }),
    ofMessages({ type: "memory_20250818", name: "memory" }),
  ],
};

const ask = { role: "user", content: "Hi" };
const BASE: Readonly<Record<Style, Fields>> = {
  "chat-completions": { model: "m", messages: [ask] },
  responses: { model: "m", input: "Hi" },
  messages: { model: "m", max_tokens: 100, messages: [ask] },
};
const MODES: Readonly<Record<Style, readonly unknown[]>> = {
  "chat-completions": [undefined, "auto", "none", "required"],
  responses: [undefined, "auto", "none", "required"],
  messages: [undefined, { type: "auto" }, { type: "none" }, { type: "any" }],
};

const headers = new Headers({ "anthropic-version": "2023-06-01" });
const random = seededRandom(190);
const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;

interface Case {
  readonly style: Style;
  readonly to: Protocol;
  readonly price: Price;
  readonly body: Fields;
  /** The tools that the client lets the model call. */
  readonly offered: readonly Tool[];
  readonly demand: "none" | "some" | "one";
}

function draw(): Case {
  const style = oneOf(STYLES);
  const tools = TOOLS[style].filter(() => random() < 0.5);
  const common = { style, to: oneOf(VENDORS), price: oneOf(PRICES) };
  const body = { ...BASE[style], ...(tools.length > 0 && { tools: tools.map(({ tool }) => tool) }) };
  const kind = tools.length === 0 ? "mode" : oneOf(["mode", "named", "allowed"] as const);
  if (kind === "named")
    return { ...common, body: { ...body, tool_choice: oneOf(tools).choice }, offered: tools, demand: "one" };
  if (kind === "allowed" && style !== "messages") {
    const allowed = tools.filter(() => random() < 0.6);
    if (allowed.length > 0) {
      const mode = oneOf(["auto", "required"]);
      const list = { mode, tools: allowed.map(({ choice }) => choice) };
      const choice =
        style === "responses" ? { type: "allowed_tools", ...list } : { type: "allowed_tools", allowed_tools: list };
      return {
        ...common,
        body: { ...body, tool_choice: choice },
        offered: allowed,
        demand: mode === "required" ? "some" : "none",
      };
    }
  }
  const mode = oneOf(MODES[style]);
  const demands = mode === "required" || (mode as Fields | undefined)?.type === "any";
  return {
    ...common,
    body: { ...body, ...(mode !== undefined && { tool_choice: mode }) },
    offered: tools,
    demand: demands && tools.length > 0 ? "some" : "none",
  };
}

/** What a vendor's request says of tools, whatever its protocol. */
interface Sent {
  readonly names: readonly string[];
  /** Whether a call is demanded: of any tool, or of those that are named. */
  readonly demands: boolean;
  readonly named: readonly string[];
}

const text = (value: unknown) => (typeof value === "string" ? value : "");
const list = (value: unknown) => (Array.isArray(value) ? (value as readonly Fields[]) : []);
const within = (value: unknown, name: string) => (value as Fields | undefined)?.[name];

const READ: Readonly<Partial<Record<Protocol, (body: Fields) => Sent>>> = {
  "chat-completions": ({ tools, tool_choice: choice }) => {
    const name = (tool: Fields) => text(within(tool.function ?? tool.custom, "name"));
    const allowed = list(within(within(choice, "allowed_tools"), "tools")).map(name);
    const named = typeof choice === "object" ? [...allowed, name(choice as Fields)].filter((each) => each !== "") : [];
    const demands =
      choice === "required" || (named.length > 0 && within(within(choice, "allowed_tools"), "mode") !== "auto");
    return { names: list(tools).map(name), demands, named };
  },
  responses: ({ tools, tool_choice: choice }) => {
    const key = ({ type, name }: Fields) => (type === "function" || type === "custom" ? text(name) : `<${text(type)}>`);
    const is_allowed = within(choice, "type") === "allowed_tools";
    const named =
      typeof choice !== "object" ? [] : is_allowed ? list(within(choice, "tools")).map(key) : [key(choice as Fields)];
    const demands = choice === "required" || (named.length > 0 && within(choice, "mode") !== "auto");
    return { names: list(tools).map(key), demands, named };
  },
  messages: ({ tools, tool_choice: choice }) => {
    const type = within(choice, "type");
    const named = type === "tool" ? [text(within(choice, "name"))] : [];
    return { names: list(tools).map(({ name }) => text(name)), demands: type === "any" || type === "tool", named };
  },
  gemini: ({ tools, toolConfig }) => {
    const config = within(toolConfig, "functionCallingConfig");
    const named = (within(config, "allowedFunctionNames") ?? []) as string[];
    const names = list(tools).flatMap((each) => list(each.functionDeclarations).map(({ name }) => text(name)));
    return { names, demands: within(config, "mode") === "ANY", named };
  },
  "bedrock-converse": ({ toolConfig }) => {
    const choice = within(toolConfig, "toolChoice");
    const named = text(within(within(choice, "tool"), "name"));
    const names = list(within(toolConfig, "tools")).map(({ toolSpec }) => text(within(toolSpec, "name")));
    const demands = within(choice, "any") !== undefined || named !== "";
    return { names, demands, named: named === "" ? [] : [named] };
  },
};

function prepare({ style, to, price, body }: Case): Exchange | GatewayError {
  const client = clientProtocols[style === "chat-completions" ? "chat.completions" : style];
  const request = client.readRequest(JSON.stringify(body), headers);
  try {
    const way = adapterBetween(style, to);
    if (way === null) throw new Error("no way");
    return way.prepare(request, { ...targetFor(to), price }, headers);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
    throw thrown;
  }
}

/** What is wrong with the outcome of a case; null for nothing. */
function fault(drawn: Case): string | null {
  const outcome = prepare(drawn);
  if (outcome instanceof GatewayError) {
    const is_right = outcome.row.status === 400 && outcome.param === "tool_choice" && drawn.demand !== "none";
    return is_right ? null : `refused: ${outcome.message}`;
  }
  const body = JSON.parse(new TextDecoder().decode(bytesOf(outcome.body))) as Fields;
  const sent = READ[drawn.to]?.(body) ?? { names: [], demands: false, named: [] };
  const missing = sent.named.find((name) => !sent.names.includes(name));
  if (missing !== undefined) return `asked for ${missing}, which it was not given`;
  const is_relay = drawn.style === drawn.to;
  const is_clients_fault = is_relay && drawn.offered.length === 0;
  if (sent.demands && sent.names.length === 0 && !is_clients_fault) return "asked for a tool without any";
  const is_told = outcome.ignored.includes("tool_choice");
  if (drawn.demand !== "none" && !sent.demands && !is_told) return "the demand vanished";
  if (drawn.demand === "one" && sent.named.length !== 1 && !is_told) return "the demand of one tool became another";
  if (is_clients_fault) return null;
  if (drawn.demand === "none" && sent.demands) return "a demand that nobody made";
  const named = outcome.ignored.filter((name) => name.startsWith("tools.")).length;
  const forbids = drawn.body.tool_choice === "none" || within(drawn.body.tool_choice, "type") === "none";
  const kinds = new Set(drawn.offered.map(({ tool }) => `${text(tool.type)}:${text(tool.name)}`));
  if (is_relay || forbids) return null;
  return kinds.size > sent.names.length + named ? `tools vanished unnamed: ${outcome.ignored.join()}` : null;
}

describe("tools and their choice are one", () => {
  test(`in ${CASES} generated requests`, () => {
    const found: string[] = [];
    for (let count = 0; count < CASES; count++) {
      const drawn = draw();
      const wrong = fault(drawn);
      if (wrong !== null) found.push(`${drawn.style} → ${drawn.to}: ${wrong}; ${JSON.stringify(drawn.body)}`);
    }
    expect(found.slice(0, 5)).toEqual([]);
  });
});

/** A vendor whose row says that it refuses tools gets none, nor a word about them. */
test.each([
  ["chat-completions", "chat-completions"],
  ["responses", "responses"],
  ["messages", "messages"],
  ["messages", "chat-completions"],
  ["chat-completions", "responses"],
] as const)("a vendor that refuses tools is asked for none: %s → %s", (style, to) => {
  const [{ tool, choice }] = TOOLS[style] as [Tool];
  const body = JSON.stringify({ ...BASE[style], tools: [tool], tool_choice: choice });
  const request = clientProtocols[style === "chat-completions" ? "chat.completions" : style].readRequest(body, headers);
  const target = targetFor(to, { quirks: { unsupported_fields: ["tools"] } });
  const exchange = adapterBetween(style, to)?.prepare(request, target, headers);
  const sent = new TextDecoder().decode(bytesOf(exchange?.body ?? ""));
  expect(sent).not.toContain("tool");
  expect([...(exchange?.ignored ?? [])].sort()).toEqual(["tool_choice", "tools"]);
});
