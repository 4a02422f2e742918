import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TargetOptions, targetFor } from "../../../proofs/support/target.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import type { ClientCodec, VendorCodec } from "../../core/answer/codec.ts";
import type { ClientProtocol, Exchange, ProtocolAdapter } from "../../core/answer/exchange.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { bedrockConverse } from "../bedrock-converse/codec.ts";
import { chatCompletions } from "../chat-completions/client.ts";
import { chatClientCodec, chatVendorCodec } from "../chat-completions/codec.ts";
import { gemini } from "../gemini/codec.ts";
import { messages } from "../messages/client.ts";
import { messagesClientCodec, messagesVendorCodec } from "../messages/codec.ts";
import { relayMessages } from "../messages/relay.ts";
import { responses } from "../responses/client.ts";
import { responsesClientCodec, responsesVendorCodec } from "../responses/codec.ts";
import { translateBetween } from "./translate-between.ts";

/** Conversations that the assistant begins, over vendors that refuse them (docs/rulings.md 168). */

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

const HEADERS = new Headers({ "anthropic-version": "2023-06-01" });
const GREETING = { role: "assistant", content: "Welcome!" };
const QUESTION = { role: "user", content: "Good morning" };

interface Style {
  readonly protocol: ClientProtocol;
  readonly codec: ClientCodec;
  body(turns: readonly object[]): object;
}

const STYLES: Readonly<Record<string, Style>> = {
  "chat completions": { protocol: chatCompletions, codec: chatClientCodec, body: (turns) => ({ messages: turns }) },
  responses: { protocol: responses, codec: responsesClientCodec, body: (turns) => ({ input: turns }) },
  messages: { protocol: messages, codec: messagesClientCodec, body: (turns) => ({ max_tokens: 99, messages: turns }) },
};

interface Vendor {
  readonly codec: VendorCodec;
  readonly protocol: Protocol;
  readonly upstream_model: string;
  /** The conversation's members in its body. */
  readonly list: "messages" | "input" | "contents";
  readonly put_before: unknown;
}

const VENDORS: Readonly<Record<string, Vendor>> = {
  "chat completions": {
    codec: chatVendorCodec,
    protocol: "chat-completions",
    upstream_model: "echo",
    list: "messages",
    put_before: null,
  },
  responses: {
    codec: responsesVendorCodec,
    protocol: "responses",
    upstream_model: "echo",
    list: "input",
    put_before: null,
  },
  messages: {
    codec: messagesVendorCodec,
    protocol: "messages",
    upstream_model: "echo@user_first=1",
    list: "messages",
    put_before: { role: "user", content: [{ type: "text", text: "(no content)" }] },
  },
  gemini: {
    codec: gemini,
    protocol: "gemini",
    upstream_model: "echo",
    list: "contents",
    put_before: { role: "user", parts: [{ text: "(no content)" }] },
  },
  "bedrock-converse": {
    codec: bedrockConverse,
    protocol: "bedrock-converse",
    upstream_model: "anthropic.echo",
    list: "messages",
    put_before: { role: "user", content: [{ text: "(no content)" }] },
  },
};

function prepare(
  way: ProtocolAdapter,
  style: Style,
  turns: readonly object[],
  options: TargetOptions & { protocol: Protocol },
): Exchange {
  const text = JSON.stringify({ model: "m", ...style.body(turns) });
  return way.prepare(style.protocol.readRequest(text, HEADERS), targetFor(options.protocol, options), HEADERS);
}

async function statusOf({ path, body, headers }: Exchange): Promise<number> {
  const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
  const reply = await fetch(simulator.base_url + path, init);
  await reply.text();
  return reply.status;
}

describe.each(Object.entries(STYLES))("a client of %s", (_style, style) => {
  test.each(Object.entries(VENDORS))("may begin with the assistant over %s", async (_vendor, vendor) => {
    const exchange = prepare(translateBetween(style.codec, vendor.codec), style, [GREETING, QUESTION], vendor);
    expect(await statusOf(exchange)).toBe(200);
    const turns = JSON.parse(exchange.body)[vendor.list];
    expect(turns).toHaveLength(vendor.put_before === null ? 2 : 3);
    if (vendor.put_before !== null) expect(turns[0]).toEqual(vendor.put_before);
    expect(exchange.body).toContain("Welcome!");
  });

  test.each(Object.entries(VENDORS))(
    "may begin with the user over %s, and no turn is put before",
    (_vendor, vendor) => {
      const exchange = prepare(
        translateBetween(style.codec, vendor.codec),
        style,
        [QUESTION, GREETING, QUESTION],
        vendor,
      );
      expect(JSON.parse(exchange.body)[vendor.list]).toHaveLength(3);
    },
  );

  test.each(Object.entries(VENDORS))("may begin with a blank message over %s", async (_vendor, vendor) => {
    const blank = { role: "user", content: " " };
    const way = translateBetween(style.codec, vendor.codec);
    expect(await statusOf(prepare(way, style, [blank, GREETING, QUESTION], vendor))).toBe(200);
  });
});

describe("on relay of messages", () => {
  const style = STYLES.messages as Style;
  const relayed = (options: TargetOptions, ...turns: object[]) =>
    prepare(relayMessages, style, turns, { ...options, protocol: "messages" });

  test("the assistant may begin, because Anthropic's API accepts that", async () => {
    const exchange = relayed({ upstream_model: "echo" }, GREETING, QUESTION);
    expect(JSON.parse(exchange.body).messages).toEqual([GREETING, QUESTION]);
    expect(await statusOf(exchange)).toBe(200);
  });

  test("a user's turn is put first for a vendor that requires one", async () => {
    const strict = { upstream_model: "echo@user_first=1", quirks: { user_first: true } };
    const exchange = relayed(strict, GREETING, QUESTION);
    expect(JSON.parse(exchange.body).messages).toEqual([{ role: "user", content: "(no content)" }, GREETING, QUESTION]);
    expect(await statusOf(exchange)).toBe(200);
    expect(await statusOf(relayed({ upstream_model: "echo@user_first=1" }, GREETING, QUESTION))).toBe(400);
    expect(JSON.parse(relayed(strict, QUESTION).body).messages).toEqual([QUESTION]);
  });
});
