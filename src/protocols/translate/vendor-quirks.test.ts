import { describe, expect, test } from "bun:test";
import { targetFor } from "../../../proofs/support/target.ts";
import type { ClientCodec, VendorCodec } from "../../core/answer/codec.ts";
import type { ClientProtocol, ProtocolAdapter, Target } from "../../core/answer/exchange.ts";
import type { Capabilities, VendorQuirks } from "../../core/catalog/catalog.ts";
import { chatCompletions } from "../chat-completions/client.ts";
import { chatClientCodec, chatVendorCodec } from "../chat-completions/codec.ts";
import { relayChatCompletions } from "../chat-completions/relay.ts";
import { gemini } from "../gemini/codec.ts";
import { messages } from "../messages/client.ts";
import { messagesClientCodec, messagesVendorCodec } from "../messages/codec.ts";
import { relayMessages } from "../messages/relay.ts";
import { responses } from "../responses/client.ts";
import { responsesClientCodec, responsesVendorCodec } from "../responses/codec.ts";
import { relayResponses } from "../responses/relay.ts";
import { translateBetween } from "./translate-between.ts";

/**
 * Every quirk of a vendor, by relay and by translation (docs/rulings.md 166): both must make the same changes. The
 * table does not compile when a quirk has no row; a row says where a protocol has no use for its quirk.
 */

const VENDORS = {
  chat: { protocol: "chat-completions", client: chatCompletions, codec: chatVendorCodec, relay: relayChatCompletions },
  responses: { protocol: "responses", client: responses, codec: responsesVendorCodec, relay: relayResponses },
  messages: { protocol: "messages", client: messages, codec: messagesVendorCodec, relay: relayMessages },
  gemini: { protocol: "gemini", client: null, codec: gemini, relay: null },
} as const;
type VendorName = keyof typeof VENDORS;

interface Case {
  readonly quirks: VendorQuirks;
  readonly vendor: VendorName;
  /** The body that a client of the vendor's own protocol sends. Absent where such bodies are not relayed. */
  readonly relayed?: object;
  /** The body that a client of another protocol sends, and which protocol that is. */
  readonly translated: object;
  readonly from: keyof typeof CLIENTS;
  readonly capabilities?: Partial<Capabilities>;
  /** The part of the vendor's body that is compared. */
  readonly look: (body: Body) => unknown;
  /** The value that the vendor gets, by relay and by translation. */
  readonly sees: unknown;
  /** The value without the quirk, on the named way: it shows that the quirk makes the difference. */
  readonly without: { readonly way: "relay" | "translation"; readonly sees: unknown };
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of four protocols, looked at by paths
type Body = any;

const CLIENTS = {
  chat: { client: chatCompletions, codec: chatClientCodec },
  responses: { client: responses, codec: responsesClientCodec },
  messages: { client: messages, codec: messagesClientCodec },
} as const satisfies Record<string, { client: ClientProtocol; codec: ClientCodec }>;

const HEADERS = new Headers({ "anthropic-version": "2023-06-01" });
const MODEL = { model: "acme/swift" };
const THINKS = { thinking: true, reasoning: { effort: ["low", "high"] } } as const;

const chatTool = { type: "function", function: { name: "look", arguments: "{}" } };
const chatCall = (id: string, more: object = {}) => ({ id, ...chatTool, ...more });
const chatResult = (id: string) => ({ role: "tool", tool_call_id: id, content: "done" });
/** A conversation of chat whose answer called a tool. */
const chatLoop = (answer: object) => ({
  ...MODEL,
  messages: [{ role: "user", content: "Go." }, { role: "assistant", content: null, ...answer }, chatResult("c1")],
});
/** A conversation of messages whose answer called a tool. */
const messagesLoop = (...before: object[]) => ({
  ...MODEL,
  max_tokens: 9,
  messages: [
    { role: "user", content: "Go." },
    { role: "assistant", content: [...before, { type: "tool_use", id: "c1", name: "look", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "done" }] },
  ],
});
const unsignedThought = { type: "thinking", thinking: "Hm", signature: "camino:unsigned:" };
const googleSeal = { type: "redacted_thinking", data: "camino:google:signature:c1:c2ln" };
const googleDetail = { type: "reasoning.encrypted", data: "c2ln", id: "c1", format: "google-gemini-v1", index: 0 };
/** What the vendor itself passed on, with its name (docs/rulings.md 192). */
const passedSeal = { type: "redacted_thinking", data: "camino:acme%2Fgoogle:signature:c1:c2ln" };
const packedDetail = { ...googleDetail, data: "camino:acme:signature::c2ln" };
const signed = { extra_content: { google: { thought_signature: "c2ln" } } };
const stand_in = { extra_content: { google: { thought_signature: "skip_thought_signature_validator" } } };
const answerOf = (body: Body) => body.messages[1];

const REPLAY: readonly Case[] = [
  {
    quirks: { reasoning_replay: "reasoning_content" },
    vendor: "chat",
    relayed: chatLoop({ tool_calls: [chatCall("c1")] }),
    translated: messagesLoop(),
    from: "messages",
    look: (body) => answerOf(body).reasoning_content ?? null,
    sees: "",
    without: { way: "relay", sees: null },
  },
  {
    quirks: { reasoning_replay: "reasoning_content" },
    vendor: "chat",
    relayed: chatLoop({ reasoning: "Hm", tool_calls: [chatCall("c1")] }),
    translated: messagesLoop(unsignedThought),
    from: "messages",
    look: (body) => answerOf(body).reasoning_content ?? null,
    sees: "Hm",
    without: { way: "translation", sees: null },
  },
  {
    quirks: { reasoning_replay: "reasoning_details" },
    vendor: "chat",
    relayed: chatLoop({ reasoning_details: [packedDetail], tool_calls: [chatCall("c1")] }),
    translated: messagesLoop(passedSeal),
    from: "messages",
    look: (body) => answerOf(body).reasoning_details ?? null,
    sees: [googleDetail],
    without: { way: "translation", sees: null },
  },
  {
    quirks: { reasoning_replay: "extra_content" },
    vendor: "chat",
    capabilities: THINKS,
    relayed: chatLoop({ reasoning_details: [googleDetail], tool_calls: [chatCall("c1")] }),
    translated: messagesLoop(googleSeal),
    from: "messages",
    look: (body) => answerOf(body).tool_calls,
    sees: [chatCall("c1", signed)],
    without: { way: "relay", sees: [chatCall("c1")] },
  },
  {
    quirks: { reasoning_replay: "extra_content" },
    vendor: "chat",
    capabilities: THINKS,
    relayed: chatLoop({ tool_calls: [chatCall("c1")] }),
    translated: messagesLoop(),
    from: "messages",
    look: (body) => answerOf(body).tool_calls,
    sees: [chatCall("c1", stand_in)],
    without: { way: "translation", sees: [chatCall("c1")] },
  },
  {
    quirks: { reasoning_replay: "reasoning_content" },
    vendor: "messages",
    relayed: messagesLoop(),
    translated: chatLoop({ tool_calls: [chatCall("c1")] }),
    from: "chat",
    look: (body) => answerOf(body).content[0],
    sees: { type: "thinking", thinking: "", signature: "" },
    without: { way: "relay", sees: { type: "tool_use", id: "c1", name: "look", input: {} } },
  },
  {
    quirks: { reasoning_replay: "reasoning_content" },
    vendor: "messages",
    relayed: messagesLoop(unsignedThought, googleSeal),
    translated: chatLoop({ reasoning_content: "Hm", tool_calls: [chatCall("c1")] }),
    from: "chat",
    look: (body) => answerOf(body).content.slice(0, -1),
    sees: [{ type: "thinking", thinking: "Hm", signature: "" }],
    without: { way: "relay", sees: [] },
  },
  {
    quirks: { reasoning_replay: "reasoning_content" },
    vendor: "responses",
    relayed: {
      ...MODEL,
      input: [
        { type: "reasoning", summary: [{ type: "summary_text", text: "Hm" }], encrypted_content: "camino:unsigned:" },
        { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
        { type: "function_call_output", call_id: "c1", output: "done" },
      ],
    },
    translated: chatLoop({ reasoning_content: "Hm", tool_calls: [chatCall("c1")] }),
    from: "chat",
    look: (body) => body.input.filter(({ type }: { type: string }) => type === "reasoning"),
    sees: [{ type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm" }] }],
    without: { way: "relay", sees: [] },
  },
];

const hello = { ...MODEL, messages: [{ role: "user", content: "Hi" }] };
const hi_there = { role: "assistant", content: "Hello. What can I do?" };
/** A conversation of messages with instructions amid it. */
const amid = {
  ...MODEL,
  max_tokens: 9,
  messages: [...hello.messages, { role: "system", content: "Be brief." }, hi_there, ...hello.messages],
};
const developer = { ...MODEL, messages: [{ role: "developer", content: "Be brief." }, hello.messages[0]] };

/** The rows. A protocol that a quirk's cases do not name does not have the quirk. */
const ROWS: { readonly [Quirk in keyof Required<VendorQuirks>]: readonly Case[] } = {
  reasoning_replay: REPLAY,
  unsupported_answer_fields: [
    {
      quirks: { unsupported_answer_fields: ["reasoning_content", "reasoning_details", "extra_content"] },
      vendor: "chat",
      relayed: chatLoop({
        reasoning_content: "Hm",
        reasoning_details: [packedDetail],
        tool_calls: [chatCall("c1", signed)],
      }),
      translated: messagesLoop(unsignedThought, googleSeal),
      from: "messages",
      look: answerOf,
      sees: { role: "assistant", content: null, tool_calls: [chatCall("c1")] },
      without: {
        way: "relay",
        sees: {
          role: "assistant",
          content: null,
          reasoning_content: "Hm",
          reasoning_details: [googleDetail],
          tool_calls: [chatCall("c1", signed)],
        },
      },
    },
  ],
  no_stream_options: [
    {
      quirks: { no_stream_options: true },
      vendor: "chat",
      relayed: { ...hello, stream: true, stream_options: { include_usage: true } },
      translated: { ...hello, max_tokens: 9, stream: true },
      from: "messages",
      look: (body) => body.stream_options ?? null,
      sees: null,
      without: { way: "translation", sees: { include_usage: true } },
    },
    {
      quirks: { no_stream_options: true },
      vendor: "responses",
      relayed: { ...MODEL, input: "Hi", stream: true, stream_options: { include_obfuscation: false } },
      translated: { ...hello, max_tokens: 9, stream: true },
      from: "messages",
      look: (body) => body.stream_options ?? null,
      sees: null,
      without: { way: "relay", sees: { include_obfuscation: false } },
    },
  ],
  strict_turns: [
    {
      quirks: { strict_turns: true },
      vendor: "chat",
      relayed: {
        ...MODEL,
        messages: [...chatLoop({ tool_calls: [chatCall("c1")] }).messages, { role: "user", content: "Go on." }],
      },
      translated: {
        ...messagesLoop(),
        messages: [...messagesLoop().messages, { role: "user", content: "Go on." }],
      },
      from: "messages",
      look: ({ messages: sent }) => ({
        roles: sent.map(({ role }: { role: string }) => role),
        nine: /^[a-zA-Z0-9]{9}$/.test(sent[2].tool_call_id),
        same: sent[1].tool_calls[0].id === sent[2].tool_call_id,
      }),
      sees: { roles: ["user", "assistant", "tool", "assistant", "user"], nine: true, same: true },
      without: { way: "relay", sees: { roles: ["user", "assistant", "tool", "user"], nine: false, same: true } },
    },
  ],
  max_tokens_only: [
    {
      quirks: { max_tokens_only: true },
      vendor: "chat",
      relayed: { ...hello, max_completion_tokens: 9 },
      translated: { ...hello, max_tokens: 9 },
      from: "messages",
      look: ({ max_tokens = null, max_completion_tokens = null }) => ({ max_tokens, max_completion_tokens }),
      sees: { max_tokens: 9, max_completion_tokens: null },
      without: { way: "translation", sees: { max_tokens: null, max_completion_tokens: 9 } },
    },
  ],
  no_developer_role: [
    {
      quirks: { no_developer_role: true },
      vendor: "chat",
      relayed: developer,
      translated: { ...MODEL, input: developer.messages },
      from: "responses",
      look: (body) => body.messages[0],
      sees: { role: "system", content: "Be brief." },
      without: { way: "relay", sees: { role: "developer", content: "Be brief." } },
    },
    {
      quirks: { no_developer_role: true, unsupported_fields: ["instructions"] },
      vendor: "responses",
      relayed: { ...MODEL, input: developer.messages },
      translated: developer,
      from: "chat",
      look: (body) => body.input[0].role,
      sees: "system",
      without: { way: "translation", sees: "developer" },
    },
  ],
  // Only messages clients send system messages amid a conversation, and their relay depends on the model's
  // `mid_system`.
  // Translation writes no such objects; relay is tried in chat-completions/relay.test.ts.
  takes_reasoning_object: [],
  system_first: [
    {
      quirks: { system_first: true },
      vendor: "chat",
      translated: amid,
      from: "messages",
      look: (body) => body.messages.map(({ role }: { role: string }) => role),
      sees: ["user", "assistant", "user"],
      without: { way: "translation", sees: ["user", "system", "assistant", "user"] },
    },
    {
      quirks: { system_first: true },
      vendor: "responses",
      translated: amid,
      from: "messages",
      look: (body) => body.input.map(({ role }: { role: string }) => role),
      sees: ["user", "assistant", "user"],
      without: { way: "translation", sees: ["user", "system", "assistant", "user"] },
    },
  ],
  user_first: [
    {
      quirks: { user_first: true },
      vendor: "messages",
      relayed: { ...MODEL, max_tokens: 9, messages: [hi_there, ...hello.messages] },
      translated: { ...MODEL, messages: [hi_there, ...hello.messages] },
      from: "chat",
      look: (body) => body.messages.map(({ role }: { role: string }) => role),
      sees: ["user", "assistant", "user"],
      without: { way: "relay", sees: ["assistant", "user"] },
    },
  ],
  no_call_ids: [
    {
      // No client speaks Gemini to the gateway, so there is only translation.
      quirks: { no_call_ids: true },
      vendor: "gemini",
      translated: messagesLoop(),
      from: "messages",
      look: (body) => [
        body.contents[1].parts[0].functionCall.id ?? null,
        body.contents[2].parts[0].functionResponse.id ?? null,
      ],
      sees: [null, null],
      without: { way: "translation", sees: ["c1", "c1"] },
    },
  ],
  unsupported_fields: [
    {
      quirks: { unsupported_fields: ["temperature"] },
      vendor: "chat",
      relayed: { ...hello, temperature: 0.5 },
      translated: { ...hello, max_tokens: 9, temperature: 0.5 },
      from: "messages",
      look: (body) => body.temperature ?? null,
      sees: null,
      without: { way: "relay", sees: 0.5 },
    },
    {
      quirks: { unsupported_fields: ["temperature"] },
      vendor: "responses",
      relayed: { ...MODEL, input: "Hi", temperature: 0.5 },
      translated: { ...hello, temperature: 0.5 },
      from: "chat",
      look: (body) => body.temperature ?? null,
      sees: null,
      without: { way: "relay", sees: 0.5 },
    },
    {
      quirks: { unsupported_fields: ["temperature"] },
      vendor: "messages",
      relayed: { ...hello, max_tokens: 9, temperature: 0.5 },
      translated: { ...hello, temperature: 0.5 },
      from: "chat",
      look: (body) => body.temperature ?? null,
      sees: null,
      without: { way: "translation", sees: 0.5 },
    },
  ],
  // Quirks of vendors' log-probabilities, from which decisions are made: no client's request has a field for either, so
  // neither relay nor translation reads them (pipeline/decisions/decide.ts does).
  constrained_choice: [],
  top_logprobs: [],
  // Quirks of decision vendors, which no generation request reaches (protocols/systemone).
  image_assets: [],
};

function sent(way: ProtocolAdapter, client: ClientProtocol, body: object, target: Target): unknown {
  const request = client.readRequest(JSON.stringify(body), HEADERS);
  return JSON.parse(way.prepare(request, target, HEADERS).body);
}

/** The compared part of the vendor's body, for each way that the case has. */
function seen(row: Case, quirks: VendorQuirks): Partial<Record<"relay" | "translation", unknown>> {
  const { codec, relay, client } = VENDORS[row.vendor] as {
    codec: VendorCodec;
    relay: ProtocolAdapter | null;
    client: ClientProtocol | null;
  };
  const target = targetFor(VENDORS[row.vendor].protocol, {
    quirks,
    ...(row.capabilities && { capabilities: row.capabilities }),
  });
  const from = CLIENTS[row.from];
  const translation = sent(translateBetween(from.codec, codec), from.client, row.translated, target);
  if (relay === null || client === null || row.relayed === undefined) return { translation: row.look(translation) };
  return { relay: row.look(sent(relay, client, row.relayed, target)), translation: row.look(translation) };
}

describe.each(Object.entries(ROWS).filter(([, rows]) => rows.length > 0))("%s", (_quirk, rows) => {
  test.each(rows.map((row, at) => [`${row.vendor} (${at})`, row] as const))(
    "is applied on both ways to %s",
    (_name, row) => {
      const ways = seen(row, row.quirks);
      expect(ways).toEqual(Object.fromEntries(Object.keys(ways).map((way) => [way, row.sees])));
      expect(seen(row, {})[row.without.way]).toEqual(row.without.sees);
    },
  );

  test("does not change a request to which no quirk applies", () => {
    for (const { quirks, vendor } of rows) {
      const { relay, client } = VENDORS[vendor] as { relay: ProtocolAdapter | null; client: ClientProtocol | null };
      if (relay === null || client === null) continue;
      const plain = vendor === "responses" ? { input: "Hi" } : { max_tokens: 9, messages: hello.messages };
      const text = `{ "model":"upstream-1","x":1.10, ${JSON.stringify(plain).slice(1)}`;
      const request = client.readRequest(text, HEADERS);
      const { body } = relay.prepare(request, targetFor(VENDORS[vendor].protocol, { quirks }), HEADERS);
      expect(body).toBe(text);
    }
  });
});
