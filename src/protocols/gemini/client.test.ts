import { describe, expect, test } from "bun:test";
import { targetFor } from "../../../proofs/support/target.ts";
import { GatewayError } from "../../core/errors.ts";
import { messagesVendorCodec } from "../messages/codec.ts";
import { translateBetween } from "../translate/translate-between.ts";
import { addressedBody } from "./addressed-body.ts";
import { geminiClient } from "./client.ts";
import { geminiClientCodec } from "./codec.ts";
import { relayGemini } from "./relay.ts";

/**
 * Requests of Gemini's style as public reports have them: each was answered wrongly by some gateway (LiteLLM 18093, 18538, 21584, Bifrost,
 * new-api), and none of that may happen here.
 */

const HEADERS = { get: () => null };
const ADDRESS = { model: "acme/swift", stream: false };
const HI = [{ role: "user", parts: [{ text: "Hi" }] }];

function read(body: object) {
  return geminiClient.readRequest(addressedBody(JSON.stringify(body), ADDRESS), HEADERS);
}

function relayed(body: object) {
  const { body: sent, ...rest } = relayGemini.prepare(read(body), targetFor("gemini"), HEADERS);
  return { ...rest, body: JSON.parse(sent) as Record<string, unknown> };
}

function toMessages(body: object) {
  const way = translateBetween(geminiClientCodec, messagesVendorCodec);
  const target = targetFor("messages", {
    capabilities: { thinking: true, reasoning: { toggle: true, budget_tokens: {} } },
  });
  const exchange = way.prepare(read(body), target, HEADERS);
  return { ...exchange, body: JSON.parse(exchange.body) as Record<string, unknown> };
}

function refusal(work: () => unknown): GatewayError {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
    throw thrown;
  }
  throw new Error("not refused");
}

describe("a request", () => {
  test("has its model and its form from the address, and a body's own model never reaches a vendor", () => {
    const request = geminiClient.readRequest(
      addressedBody('{"model":"models/other","contents":[{"parts":[{"text":"Hi"}]}]}', { model: "a/b", stream: true }),
      HEADERS,
    );
    expect(request).toMatchObject({ model: "a/b", stream: true });
    expect(relayed({ model: "models/x", contents: HI }).body).toEqual({ contents: HI });
  });

  test.each(["", "[]", '"x"', '{"contents":', '{"a":"}'])("that is no object is refused as such: %s", (text) => {
    expect(refusal(() => geminiClient.readRequest(addressedBody(text, ADDRESS), HEADERS)).code).toBe("invalid_json");
  });

  test("goes to its vendor byte for byte where nothing has to change", () => {
    const text = '{"contents" : [{"parts":[{"text":"Hi \\u00e9"}]}],"generationConfig":{"seed": 12345678901234567890}}';
    const request = geminiClient.readRequest(addressedBody(text, ADDRESS), HEADERS);
    expect(relayGemini.prepare(request, targetFor("gemini"), HEADERS).body).toBe(text);
  });

  test("with underscores and single objects in place of lists is read like any other", () => {
    const body = {
      system_instruction: { parts: { text: "Be brief." } },
      contents: { role: "user", parts: { inline_data: { mime_type: "image/png", data: "iVBORw0KGgo=" } } },
      tools: {
        function_declarations: {
          name: "look_up",
          parameters: { type: "OBJECT", properties: { a_b: { type: "STRING" } } },
        },
      },
      generation_config: { max_output_tokens: 5, stop_sequences: ["END"] },
    };
    expect(relayed(body).body).toMatchObject({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [{ parts: [{ inlineData: { mimeType: "image/png" } }] }],
      generationConfig: { maxOutputTokens: 5, stopSequences: ["END"] },
    });
    const { body: sent } = toMessages(body);
    expect(JSON.stringify(sent.system)).toContain("Be brief.");
    expect(sent).toMatchObject({ max_tokens: 5, stop_sequences: ["END"] });
    expect(sent.tools).toMatchObject([
      { name: "look_up", input_schema: { type: "object", properties: { a_b: { type: "string" } } } },
    ]);
  });

  test("keeps its instruction, and the schemas of its functions, at a vendor of messages", () => {
    const parametersJsonSchema = {
      type: "object",
      properties: { dir_path: { type: "string" } },
      required: ["dir_path"],
    };
    const { body } = toMessages({
      systemInstruction: { role: "user", parts: [{ text: "One." }, { text: "Two." }] },
      contents: HI,
      tools: [{ functionDeclarations: [{ name: "list_directory", parametersJsonSchema }] }],
    });
    expect(JSON.stringify(body.system)).toMatch(/One\..*Two\./);
    expect(body.tools).toMatchObject([{ name: "list_directory", input_schema: parametersJsonSchema }]);
  });

  test("whose calls and results have no ids gets some that fit, in their order", () => {
    const call = { functionCall: { name: "look", args: { n: 1 } } };
    const result = (output: string) => ({ functionResponse: { name: "look", response: { output } } });
    const { body } = toMessages({
      contents: [...HI, { role: "model", parts: [call, call] }, { role: "user", parts: [result("a"), result("b")] }],
    });
    const [, said, told] = body.messages as { content: { id?: string; tool_use_id?: string; content?: unknown }[] }[];
    const ids = said?.content.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(told?.content.map(({ tool_use_id }) => tool_use_id)).toEqual(ids);
    expect(JSON.stringify(told)).toMatch(/a.*b/);
  });

  test("that asks for more than its target has is refused or named by its place", () => {
    expect(toMessages({ contents: HI, generationConfig: { seed: 1 }, safetySettings: [{}] }).ignored).toEqual(
      expect.arrayContaining(["generationConfig.seed", "safetySettings"]),
    );
    expect(toMessages({ contents: HI, tools: [{ googleSearch: {} }] }).ignored).toContain("tools.googleSearch");
    const many = refusal(() => toMessages({ contents: HI, generationConfig: { candidateCount: 2 } }));
    expect(many.param).toBe("generationConfig.candidateCount");
    const spoken = refusal(() => toMessages({ contents: HI, generationConfig: { responseModalities: ["AUDIO"] } }));
    expect(spoken.param).toBe("generationConfig.responseModalities");
  });

  test("keeps the digits of a call's numbers", () => {
    const text =
      '{"contents":[{"parts":[{"text":"Hi"}]},{"role":"model","parts":[{"functionCall":{"name":"a","args":{"n":12345678901234567890}}}]},' +
      '{"role":"user","parts":[{"functionResponse":{"name":"a","response":{"output":"x"}}}]}]}';
    const request = geminiClient.readRequest(addressedBody(text, ADDRESS), HEADERS);
    const way = translateBetween(geminiClientCodec, messagesVendorCodec);
    expect(way.prepare(request, targetFor("messages"), HEADERS).body).toContain("12345678901234567890");
  });
});
