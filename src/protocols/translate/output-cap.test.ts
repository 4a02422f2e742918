import { describe, expect, test } from "bun:test";
import { targetFor } from "../../../proofs/support/target.ts";
import type { ClientCodec, VendorCodec } from "../../core/answer/codec.ts";
import type { ClientProtocol, ProtocolAdapter } from "../../core/answer/exchange.ts";
import { bedrockConverse } from "../bedrock-converse/codec.ts";
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
 * A cap above the model's maximum is sent as the maximum (docs/rulings.md 166): agents choose a cap by the name that they
 * know, and the name may be an alias of another model, whose vendor refuses the cap.
 */

const MAXIMUM = 64_000;

interface Style {
  readonly client: ClientProtocol;
  readonly codec: ClientCodec;
  readonly body: (cap: number) => object;
}

const SAID = [{ role: "user", content: "Hi" }];
const STYLES = {
  chat: {
    ...{ client: chatCompletions, codec: chatClientCodec },
    body: (max_completion_tokens) => ({ messages: SAID, max_completion_tokens }),
  },
  "chat, by the older name": {
    ...{ client: chatCompletions, codec: chatClientCodec },
    body: (max_tokens) => ({ messages: SAID, max_tokens }),
  },
  responses: {
    ...{ client: responses, codec: responsesClientCodec },
    body: (max_output_tokens) => ({ input: "Hi", max_output_tokens }),
  },
  messages: {
    ...{ client: messages, codec: messagesClientCodec },
    body: (max_tokens) => ({ messages: SAID, max_tokens }),
  },
} as const satisfies Record<string, Style>;
type StyleName = keyof typeof STYLES;

const VENDORS: Readonly<
  Record<string, { codec: VendorCodec; relayed: readonly StyleName[]; relay?: ProtocolAdapter }>
> = {
  "chat-completions": {
    codec: chatVendorCodec,
    relayed: ["chat", "chat, by the older name"],
    relay: relayChatCompletions,
  },
  responses: { codec: responsesVendorCodec, relayed: ["responses"], relay: relayResponses },
  messages: { codec: messagesVendorCodec, relayed: ["messages"], relay: relayMessages },
  gemini: { codec: gemini, relayed: [] },
  "bedrock-converse": { codec: bedrockConverse, relayed: [] },
};
const CAP_NAMES = ["max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens", "maxTokens"];

/** The caps in the vendor's body, and the names of what was left out. */
function sent(vendor: keyof typeof VENDORS, name: StyleName, cap: number) {
  const { codec, relayed, relay } = VENDORS[vendor] as (typeof VENDORS)[string];
  const style: Style = STYLES[name];
  const way = relay !== undefined && relayed.includes(name) ? relay : translateBetween(style.codec, codec);
  const headers = new Headers({ "anthropic-version": "2023-06-01" });
  const body = JSON.stringify({ model: "acme/swift", ...style.body(cap) });
  const target = targetFor(vendor as Parameters<typeof targetFor>[0]);
  const prepared = way.prepare(style.client.readRequest(body, headers), target, headers);
  const config = JSON.parse(prepared.body) as Record<string, object | undefined>;
  const members = { ...config, ...config.generationConfig, ...config.inferenceConfig };
  const caps = Object.entries(members).filter(([member]) => CAP_NAMES.includes(member));
  return { caps: caps.map(([, value]) => value), ignored: prepared.ignored };
}

describe.each(Object.keys(VENDORS))("a vendor of %s", (vendor) => {
  test.each(Object.keys(STYLES) as StyleName[])("gets the model's maximum for a larger cap of %s", (name) => {
    expect(sent(vendor, name, 2 * MAXIMUM)).toEqual({ caps: [MAXIMUM as never], ignored: [] });
    expect(sent(vendor, name, MAXIMUM)).toEqual({ caps: [MAXIMUM as never], ignored: [] });
    expect(sent(vendor, name, MAXIMUM - 1)).toEqual({ caps: [(MAXIMUM - 1) as never], ignored: [] });
  });
});

test("a vendor of messages gets a budget below the lowered cap, and any other budget as it is", () => {
  const headers = new Headers({ "anthropic-version": "2023-06-01" });
  const target = targetFor("messages", {
    capabilities: { thinking: true, reasoning: { budget_tokens: { min: 1024 } } },
  });
  const budgetOf = (max_tokens: number, budget_tokens: number): unknown => {
    const thinking = { type: "enabled", budget_tokens };
    const body = JSON.stringify({ model: "acme/swift", messages: SAID, max_tokens, thinking });
    const prepared = relayMessages.prepare(messages.readRequest(body, headers), target, headers);
    return (JSON.parse(prepared.body) as { thinking: { budget_tokens: unknown } }).thinking.budget_tokens;
  };
  expect(budgetOf(2 * MAXIMUM, 2 * MAXIMUM - 1)).toBe(MAXIMUM - 1);
  expect(budgetOf(2 * MAXIMUM, MAXIMUM)).toBe(MAXIMUM - 1);
  expect(budgetOf(2 * MAXIMUM, 2000)).toBe(2000);
  // The vendor refuses it, in words of its own.
  expect(budgetOf(MAXIMUM, MAXIMUM)).toBe(MAXIMUM);
});
