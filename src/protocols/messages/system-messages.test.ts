import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type TargetOptions, targetFor } from "../../../proofs/support/target.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import type { Exchange, ProtocolAdapter } from "../../core/answer/exchange.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { isObject } from "../../core/json.ts";
import { bedrockConverse } from "../bedrock-converse/codec.ts";
import { chatVendorCodec } from "../chat-completions/codec.ts";
import { gemini } from "../gemini/codec.ts";
import { responsesVendorCodec } from "../responses/codec.ts";
import { translateBetween } from "../translate/translate-between.ts";
import { messages } from "./client.ts";
import { messagesClientCodec, messagesVendorCodec } from "./codec.ts";
import { relayMessages } from "./relay.ts";

/**
 * System messages amid a conversation, for every kind of target (docs/rulings.md 160). Each request goes to a simulated
 * vendor that is as strict as the real one.
 */

interface Kind {
  readonly protocol: Protocol;
  readonly way: ProtocolAdapter;
  readonly options: TargetOptions;
  /** How the vendor's request shows a system message. */
  readonly shown: "as it came" | "as a system message" | "as a reminder";
}

function kind(protocol: Protocol, way: ProtocolAdapter, options: TargetOptions, shown: Kind["shown"]): Kind {
  return { protocol, way, options: { upstream_model: "echo", ...options }, shown };
}

const through = (codec: Parameters<typeof translateBetween>[1]) => translateBetween(messagesClientCodec, codec);
const taking = { upstream_model: "echo@mid_system=1", mid_system: true };
const strict = { upstream_model: "echo@user_first=1", quirks: { user_first: true } };

const KINDS: Readonly<Record<string, Kind>> = {
  "relay to a model that takes them": kind("messages", relayMessages, taking, "as it came"),
  "relay to a model that does not": kind("messages", relayMessages, {}, "as a reminder"),
  "relay to a vendor that wants the user first": kind("messages", relayMessages, strict, "as a reminder"),
  messages: kind("messages", through(messagesVendorCodec), {}, "as a reminder"),
  "chat completions": kind("chat-completions", through(chatVendorCodec), {}, "as a system message"),
  "chat completions, with a template that wants the system prompt first": kind(
    "chat-completions",
    through(chatVendorCodec),
    { quirks: { system_first: true } },
    "as a reminder",
  ),
  responses: kind("responses", through(responsesVendorCodec), {}, "as a system message"),
  "responses, on a model that takes none": kind(
    "responses",
    through(responsesVendorCodec),
    { mid_system: false },
    "as a reminder",
  ),
  gemini: kind("gemini", through(gemini), {}, "as a reminder"),
  "bedrock-converse": kind(
    "bedrock-converse",
    through(bedrockConverse),
    { upstream_model: "anthropic.echo" },
    "as a reminder",
  ),
};

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

const HEADERS = new Headers({ "anthropic-version": "2023-06-01" });
const TOOLS = [{ name: "look", input_schema: { type: "object" } }];

function prepare({ protocol, way, options }: Kind, conversation: readonly object[]): Exchange {
  const body = JSON.stringify({ model: "m", max_tokens: 100, tools: TOOLS, messages: conversation });
  return way.prepare(messages.readRequest(body, HEADERS), targetFor(protocol, options), HEADERS);
}

/** The vendor's answer: its status, and its body where it refused. */
async function answerTo({ path, body, headers }: Exchange): Promise<string> {
  const reply = await fetch(simulator.base_url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  const text = await reply.text();
  return reply.status === 200 ? "200" : `${reply.status} ${text}`;
}

const user = (content: unknown = "U1") => ({ role: "user", content });
const assistant = (content: unknown = "A1") => ({ role: "assistant", content });
const system = (content: unknown = "S1", more = {}) => ({ role: "system", content, ...more });
const call = assistant([{ type: "tool_use", id: "toolu_1", name: "look", input: {} }]);
const result = (...more: object[]) => user([{ type: "tool_result", tool_use_id: "toolu_1", content: "R1" }, ...more]);
const searched = assistant([
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
  { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
]);

/**
 * Conversations by the place of the system message, with the number of its texts that Anthropic's API does not accept
 * there.
 */
const PLACES: Readonly<Record<string, { readonly turns: readonly object[]; readonly misplaced: number }>> = {
  "behind the user, at the end": { turns: [user(), system()], misplaced: 0 },
  "behind the user, before the assistant": { turns: [user(), system(), assistant(), user("U2")], misplaced: 0 },
  "behind results of tools, at the end": { turns: [user(), call, result(), system()], misplaced: 0 },
  "two in a row, at the end": { turns: [user(), system(), system("S2")], misplaced: 0 },
  "in blocks": {
    turns: [
      user(),
      system([
        { type: "text", text: "S1" },
        { type: "text", text: "S2", cache_control: { type: "ephemeral" } },
      ]),
    ],
    misplaced: 0,
  },
  "between messages of the user": { turns: [user(), system(), user("U2")], misplaced: 1 },
  "two in a row between messages of the user": { turns: [user(), system(), system("S2"), user("U2")], misplaced: 2 },
  "behind the assistant, before the user": { turns: [user(), assistant(), system(), user("U2")], misplaced: 1 },
  "behind the assistant, at the end": { turns: [user(), assistant(), system()], misplaced: 1 },
  "between messages of the assistant": {
    turns: [user(), assistant(), system(), assistant("A2"), user("U2")],
    misplaced: 1,
  },
  "between a call and its result": { turns: [user(), call, system(), result()], misplaced: 1 },
  "between a call and its result, with words": {
    turns: [user(), call, system(), result({ type: "text", text: "U2" }), system("S2")],
    misplaced: 1,
  },
  "behind an assistant that begins": { turns: [assistant(), system(), user()], misplaced: 1 },
};

describe("a system message", () => {
  describe.each(Object.entries(KINDS))("for %s", (_name, each) => {
    test.each(Object.entries(PLACES))("is accepted %s", async (_place, { turns, misplaced }) => {
      const exchange = prepare(each, turns);
      expect(await answerTo(exchange)).toBe("200");
      expect(exchange.ignored.filter((what) => what !== "cache_control")).toEqual([]);
      for (const said of saidIn(turns)) expect(exchange.body).toContain(said);
      const all = saidIn(turns).filter((text) => text.startsWith("S")).length;
      const reminders = { "as it came": misplaced, "as a system message": 0, "as a reminder": all };
      expect(exchange.body.split("<system-reminder>").length - 1).toBe(reminders[each.shown]);
    });
  });

  test("after the result of a vendor's search stays where it is", () => {
    const turns = [user(), searched, system(), assistant(), user("U2")];
    const taking_it = KINDS["relay to a model that takes them"] as Kind;
    expect(JSON.parse(prepare(taking_it, turns).body).messages).toEqual(turns);
  });
});

/** The marks of all texts in a value, in order. */
function saidIn(value: unknown): string[] {
  return JSON.stringify(value).match(/[USAR]\d+/g) ?? [];
}

describe("a system message in the vendor's request", () => {
  const relay = KINDS["relay to a model that does not"] as Kind;
  const conversation = (each: Kind, turns: readonly object[]) => JSON.parse(prepare(each, turns).body).messages;
  const reminder = (text: string, more = {}) => ({
    type: "text",
    text: `<system-reminder>\n${text}\n</system-reminder>`,
    ...more,
  });

  test("on relay joins the user's turn before it", () => {
    expect(conversation(relay, [user(), system(), assistant()])).toEqual([
      user([{ type: "text", text: "U1" }, reminder("S1")]),
      assistant(),
    ]);
  });

  test("on relay joins the user's turn after it, behind the tool results", () => {
    const turns = [user(), call, system(), result({ type: "text", text: "U2" })];
    expect(conversation(relay, turns)).toEqual([user(), call, result(reminder("S1"), { type: "text", text: "U2" })]);
  });

  test("on relay is a turn of its own where no user's turn stands beside it", () => {
    const turns = [user(), assistant(), system(), system("S2"), assistant("A2")];
    expect(conversation(relay, turns)).toEqual([
      user(),
      assistant(),
      user([reminder("S1"), reminder("S2")]),
      assistant("A2"),
    ]);
  });

  test("on relay keeps cache hints", () => {
    const cache_control = { type: "ephemeral", ttl: "1h" };
    const turns = [user([]), system([{ type: "text", text: "S1", cache_control }])];
    expect(conversation(relay, turns)).toEqual([user([reminder("S1", { cache_control })])]);
  });

  test("gets no second pair of tags", () => {
    const tagged = "<system-reminder>S1</system-reminder>";
    expect(conversation(relay, [user([]), system(tagged)])).toEqual([user([{ type: "text", text: tagged }])]);
    const twice = `${tagged} and ${tagged}`;
    expect(conversation(relay, [user([]), system(twice)])).toEqual([user([reminder(twice)])]);
  });

  test("is left out when it is blank, because vendors refuse blank blocks", () => {
    expect(conversation(relay, [user(), system(" \n"), system([]), assistant()])).toEqual([user(), assistant()]);
  });

  test("is left out after the user's next message where it was to be cleared then", () => {
    const once = { clear_at: "next_user_message" };
    const turns = [user(), system("S1", once), assistant(), user("U2"), system("S2", once)];
    const last = reminder("S2");
    expect(conversation(relay, turns)).toEqual([user(), assistant(), user([{ type: "text", text: "U2" }, last])]);
    const chat = KINDS["chat completions"] as Kind;
    expect(conversation(chat, turns)).toEqual([user(), assistant(), user("U2"), system("S2")]);
    const taking_it = KINDS["relay to a model that takes them"] as Kind;
    expect(conversation(taking_it, turns)).toEqual(turns);
  });

  test("has the parts that only a vendor of the protocol could honour reported", () => {
    const directive = system([], { output_config: { effort: "low" } });
    const changes = system([{ type: "tool_addition", tool: { type: "tool_reference", name: "look" } }]);
    const turns = [directive, user(), directive, user("U2"), changes];
    for (const each of [relay, KINDS.gemini as Kind]) {
      const { body, ignored } = prepare(each, turns);
      expect(body).not.toContain("effort");
      expect(ignored).toEqual(["messages.output_config", "messages.tool_addition"]);
    }
    const taking_it = KINDS["relay to a model that takes them"] as Kind;
    expect(prepare(taking_it, turns).ignored).toEqual([]);
    expect(conversation(taking_it, turns)).toEqual(turns);
  });

  test("leaves every other byte unchanged", () => {
    const text = `{"model":"m","max_tokens":9, "messages" : [ {"role":"user", "content" : "\\u0048i \\"S\\""} ,
      {"role":"system","content":"S1"},\t{"role":"assistant","content":[ {"type":"tool_use","id":"t","name":"look","input":{"n":12345678901234567890.10}} ]},
      {"content":[ {"type":"tool_result","tool_use_id":"t","x":1.0} , {"type":"text","text":"U2"}],"role":"user"},{"role":"system","content":"S2"} ] , "z":1e400}`;
    const request = messages.readRequest(text, HEADERS);
    const { body } = relayMessages.prepare(request, targetFor("messages", { upstream_model: "m" }), HEADERS);
    const tagged = (name: string) => `{"type":"text","text":"<system-reminder>\\n${name}\\n</system-reminder>"}`;
    expect(body).toBe(
      text
        .replace(`"\\u0048i \\"S\\""}`, `[{"type":"text","text":"\\u0048i \\"S\\""},${tagged("S1")}]}`)
        .replace(/ ,\s+\{"role":"system","content":"S1"\}/, "")
        .replace(`"text":"U2"}]`, `"text":"U2"},${tagged("S2")}]`)
        .replace(`,{"role":"system","content":"S2"}`, ""),
    );
    const taken = targetFor("messages", { upstream_model: "m", mid_system: true });
    expect(relayMessages.prepare(request, taken, HEADERS).body).toBe(text);
  });
});

/** A conversation that a client may send: turns in any order, calls answered, system messages anywhere but first. */
const turns = fc
  .array(
    fc.oneof(fc.constant("user"), fc.constant("user-blocks"), fc.constant("assistant"), fc.constant("call"), {
      arbitrary: fc.constantFrom("system", "system-blocks", "system-once"),
      weight: 3,
    }),
    { minLength: 1, maxLength: 12 },
  )
  .chain((kinds) => fc.tuple(fc.constant(kinds), fc.boolean(), fc.infiniteStream(fc.boolean())))
  .map(([kinds, begins_with_user, between]) => conversationOf(kinds, begins_with_user, between));

/** Vendors refuse a request with more cache hints; relay does not reduce them. */
const MOST_HINTS = 4;

function conversationOf(kinds: readonly string[], begins_with_user: boolean, between: Iterator<boolean>): object[] {
  const made: object[] = begins_with_user ? [user("U0")] : [assistant("A0")];
  let hints = 0;
  for (const [index, of] of kinds.entries()) {
    const text = (letter: string) => ({ type: "text", text: `${letter}${index + 1}` });
    if (of === "user") made.push(user(`U${index + 1}`));
    else if (of === "user-blocks") made.push(user([text("U"), text("U")]));
    else if (of === "assistant") made.push(assistant(`A${index + 1}`));
    else if (of === "system") made.push(system(`S${index + 1}`));
    else if (of === "system-blocks")
      made.push(
        system([text("S"), { ...text("S"), ...(hints++ < MOST_HINTS && { cache_control: { type: "ephemeral" } }) }]),
      );
    else if (of === "system-once") made.push(system(`S${index + 1}`, { clear_at: "never" }));
    else {
      const id = `toolu_${index}`;
      made.push(assistant([{ type: "tool_use", id, name: "look", input: {} }]));
      if (between.next().value) made.push(system(`S${index + 1}`));
      const words = between.next().value ? [text("U")] : [];
      made.push(user([{ type: "tool_result", tool_use_id: id, content: `R${index + 1}` }, ...words]));
    }
  }
  // A rule of the vendors' that system messages do not change: the last turn is the user's.
  return [...made, user("U99")];
}

describe("any conversation with system messages at any places", () => {
  test.each(Object.entries(KINDS))("is accepted, and no text is lost: %s", async (_name, each) => {
    await fc.assert(
      fc.asyncProperty(turns, async (conversation) => {
        const exchange = prepare(each, conversation);
        expect(await answerTo(exchange)).toBe("200");
        expect(counted(saidIn(bodyOf(exchange)))).toEqual(counted(saidIn(conversation)));
        const instructions = (value: unknown) => saidIn(value).filter((text) => text.startsWith("S"));
        expect(instructions(bodyOf(exchange))).toEqual(instructions(conversation));
      }),
      { numRuns: 40 },
    );
  });
});

/** The conversation in a vendor's body, under that protocol's name for it. */
function bodyOf({ body }: Exchange): unknown {
  const { messages: turns_of, contents, input } = JSON.parse(body) as Record<string, unknown>;
  const found = turns_of ?? contents ?? input;
  expect(isObject(found) || Array.isArray(found)).toBe(true);
  return found;
}

function counted(texts: readonly string[]): string[] {
  return [...texts].sort();
}
