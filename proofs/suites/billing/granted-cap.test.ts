import { describe, expect, test } from "bun:test";
import type { Target } from "../../../src/core/answer/exchange.ts";
import { bytesOf } from "../../../src/core/answer/sent-body.ts";
import type { Protocol } from "../../../src/core/endpoints.ts";
import { adapterBetween, clientProtocols } from "../../../src/main/protocols.ts";

/** A cap that the gateway chose reaches each vendor in the vendor's own member (docs/rulings.md 142). */

const CHAT = { model: "m", messages: [{ role: "user", content: "Hi" }] };
const RESPONSES = { model: "m", input: "Hi" };
const MEMBERS: readonly (readonly [Protocol, path: string, thinking: boolean, legacy: boolean])[] = [
  ["chat-completions", "max_tokens", false, false],
  ["chat-completions", "max_completion_tokens", true, false],
  ["chat-completions", "max_tokens", true, true],
  ["responses", "max_output_tokens", true, false],
  ["messages", "max_tokens", true, false],
  ["gemini", "generationConfig.maxOutputTokens", true, false],
  ["bedrock-converse", "inferenceConfig.maxTokens", true, false],
];

function target(protocol: Protocol, thinking: boolean, max_tokens_only: boolean): Target {
  const endpoint = { protocol, base_url: "http://vendor.example/v1", credential: "bearer" } as const;
  const model = {
    ...{ id: "acme/swift", display_name: "Swift", owned_by: "acme", created: 0, kind: "chat" as const },
    ...{
      context_length: 200_000,
      max_completion_tokens: 8000,
      input_modalities: ["text"],
      output_modalities: ["text"],
    },
    capabilities: {
      streaming: true,
      tools: true,
      json: true,
      vision: true,
      thinking,
      ...(thinking && { reasoning: {} }),
    },
    ...{ prices: [], routes: [], fallbacks: [] },
  };
  const vendor = {
    ...{ id: "acme", name: "Acme", endpoints: [endpoint], api_key: null, headers: {}, quirks: { max_tokens_only } },
    ...{ timeouts: { connect_ms: 1, first_byte_ms: 1, idle_ms: 1, total_ms: 1 }, on_disconnect: "abort" as const },
    forwards_safety_identifier: false,
  };
  return { model, vendor, endpoint, upstream_model: "swift" };
}

/** The vendor, and where it has the cap. */
type To = readonly [target: Target, path: string];

function sentCap(style: "chat.completions" | "responses", body: object, [to, path]: To, granted_cap = 2048) {
  const request = clientProtocols[style].readRequest(JSON.stringify(body), new Headers());
  const exchange = adapterBetween(request.protocol, to.endpoint.protocol)?.prepare(
    { ...request, granted_cap },
    to,
    new Headers(),
  );
  const sent: unknown = JSON.parse(Buffer.from(bytesOf(exchange?.parts ?? exchange?.body ?? "")).toString());
  return path.split(".").reduce<unknown>((found, name) => (found as Record<string, unknown>)[name], sent);
}

describe.each(MEMBERS)("%s, in %s (reasoning %p, only the old name %p)", (protocol, path, thinking, legacy) => {
  const to = [target(protocol, thinking, legacy), path] as const;

  test("from a client of chat completions and of responses", () => {
    expect(sentCap("chat.completions", CHAT, to)).toBe(2048);
    expect(sentCap("chat.completions", { ...CHAT, max_tokens: null }, to)).toBe(2048);
    // Translation knows only the new name, but for vendors that know only the old one.
    const named: To = protocol === "chat-completions" && !legacy ? [to[0], "max_completion_tokens"] : to;
    expect(sentCap("responses", RESPONSES, named)).toBe(2048);
    expect(sentCap("responses", { ...RESPONSES, max_output_tokens: null }, named)).toBe(2048);
  });

  test("and is never above the model's maximum", () => {
    expect(sentCap("chat.completions", CHAT, to, 20_000)).toBe(8000);
  });
});
