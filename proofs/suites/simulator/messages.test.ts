import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { UNICODE_TEXT } from "../../../simulator/contents/index.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { countTokens } from "../../../simulator/tokens.ts";

const WEATHER: Anthropic.Tool = {
  name: "weather",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const TIME: Anthropic.Tool = { name: "time", input_schema: { type: "object", properties: {} } };

let simulator: Simulator;
let anthropic: Anthropic;

beforeAll(async () => {
  simulator = await startSimulator();
  anthropic = new Anthropic({ apiKey: "test", baseURL: simulator.url, maxRetries: 0 });
});
afterAll(() => simulator.stop());

/** A request for one turn. */
function ask(model: string, content: string) {
  return { model, max_tokens: 4000, messages: [{ role: "user" as const, content }] };
}

const THINKING = { type: "enabled", budget_tokens: 2000 } as const;

describe("the official Anthropic client on messages", () => {
  test("gets an answer that says it is simulated, with usage by the documented count", async () => {
    const message = await anthropic.messages.create({ ...ask("echo", "Good morning"), system: "Be kind." });
    expect(message).toMatchObject({
      type: "message",
      role: "assistant",
      model: "echo",
      stop_reason: "end_turn",
      stop_sequence: null,
      content: [{ type: "text", text: "Simulated answer: Good morning" }],
      usage: {
        input_tokens: countTokens("Be kind.Good morning"),
        output_tokens: countTokens("Simulated answer: Good morning"),
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    });
  });

  test("streams thinking with its signature, text and tool use, blocks never overlapping", async () => {
    const stream = anthropic.messages.stream({ ...ask("everything", "Go"), thinking: THINKING, tools: [WEATHER] });
    const events: string[] = [];
    stream.on("streamEvent", ({ type }) => events.push(type));
    const message = await stream.finalMessage();
    expect(message.content.map(({ type }) => type)).toEqual(["thinking", "text", "tool_use"]);
    expect(message.content[0]).toMatchObject({ signature: expect.stringMatching(/^.{20,}=$/) });
    expect(message.content[2]).toMatchObject({ name: "weather", input: { city: "simulated" } });
    expect(message.stop_reason).toBe("tool_use");
    expect(message.usage.output_tokens_details?.thinking_tokens).toBeGreaterThan(0);
    const order = events.filter((type) => type !== "content_block_delta").join(" ");
    const block = " content_block_start content_block_stop";
    expect(order).toBe(`message_start${block.repeat(3)} message_delta message_stop`);
  });

  test("continues after tool results, with the thinking sent back unchanged", async () => {
    const request = { ...ask("everything", "Go"), thinking: THINKING, tools: [WEATHER] };
    const first = await anthropic.messages.create(request);
    const call = first.content.find((block) => block.type === "tool_use");
    const again = (content: Anthropic.ContentBlockParam[]) =>
      anthropic.messages.create({
        ...request,
        model: "tools",
        messages: [
          ...request.messages,
          { role: "assistant", content },
          { role: "user", content: [{ type: "tool_result", tool_use_id: call?.id ?? "", content: "sunny" }] },
        ],
      });
    expect((await again(first.content)).content).toMatchObject([
      { type: "text", text: "Simulated answer from tool results: sunny" },
    ]);
    const forged = first.content.map((block) =>
      block.type === "thinking" ? { ...block, signature: "forged" } : block,
    );
    expect(await again(forged).catch((error: unknown) => error)).toBeInstanceOf(Anthropic.BadRequestError);
  });

  test("must answer every tool use in the next turn", async () => {
    const { content } = await anthropic.messages.create({ ...ask("tools", "Go"), tools: [WEATHER] });
    const messages: Anthropic.MessageParam[] = [
      { role: "user", content: "Go" },
      { role: "assistant", content },
      { role: "user", content: "Never mind" },
    ];
    const attempt = anthropic.messages.create({ ...ask("tools", "Go"), messages, tools: [WEATHER] });
    expect(await attempt.catch((error: unknown) => error)).toBeInstanceOf(Anthropic.BadRequestError);
  });

  test("has its tool choice honoured", async () => {
    const called = async (tool_choice?: Anthropic.ToolChoice) => {
      const choice = tool_choice === undefined ? {} : { tool_choice };
      const { content } = await anthropic.messages.create({ ...ask("tools", "Go"), tools: [WEATHER, TIME], ...choice });
      return content.flatMap((block) => (block.type === "tool_use" ? [block.name] : []));
    };
    expect(await called()).toEqual(["weather", "time"]);
    expect(await called({ type: "auto", disable_parallel_tool_use: true })).toEqual(["weather"]);
    expect(await called({ type: "tool", name: "time" })).toEqual(["time"]);
    expect(await called({ type: "any" })).toEqual(["weather", "time"]);
    expect(await called({ type: "none" })).toEqual([]);
  });

  test("thinks only where the request asks for it, and may show only the seal", async () => {
    const types = async (request: Anthropic.MessageCreateParamsNonStreaming) =>
      (await anthropic.messages.create(request)).content.map(({ type }) => type);
    expect(await types(ask("reason", "Think"))).toEqual(["text"]);
    expect(await types({ ...ask("reason", "Think"), thinking: { type: "adaptive" } })).toEqual(["thinking", "text"]);
    const redacted = { ...ask("reason@redacted=1", "Think"), thinking: THINKING };
    expect(await types(redacted)).toEqual(["redacted_thinking", "text"]);
    expect((await anthropic.messages.stream(redacted).finalMessage()).content[0]?.type).toBe("redacted_thinking");
  });

  test("has its images counted", async () => {
    const data = "R0lGODlhAQABAAAAACw=";
    const message = await anthropic.messages.create({
      ...ask("vision", ""),
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "base64", media_type: "image/gif", data } },
            { type: "image", source: { type: "url", url: "https://example.com/cat.jpg" } },
            { type: "text", text: "What are they?" },
          ],
        },
      ],
    });
    expect(message.content).toMatchObject([
      { text: "Simulated answer: 2 images: image/gif of 14 bytes, https://example.com/cat.jpg" },
    ]);
  });

  test("has cache classes beside the input, and their sum is all input", async () => {
    const text = "x".repeat(400);
    const { usage } = await anthropic.messages.create(ask("cached", text));
    expect(usage).toMatchObject({
      input_tokens: 25,
      cache_read_input_tokens: 50,
      cache_creation_input_tokens: 25,
      cache_creation: { ephemeral_5m_input_tokens: 25, ephemeral_1h_input_tokens: 0 },
    });
  });

  test("is cut at the output cap, by a stop sequence and by a refusal", async () => {
    const long = await anthropic.messages.create({ ...ask("long", "Write"), max_tokens: 37 });
    expect(long).toMatchObject({ stop_reason: "max_tokens", usage: { output_tokens: 37 } });
    const stopped = await anthropic.messages.stream({ ...ask("stop", "Go"), stop_sequences: ["END"] }).finalMessage();
    expect(stopped).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: "END" });
    expect(stopped.content).toMatchObject([{ text: "Simulated answer: before" }]);
    expect(await anthropic.messages.stream(ask("refuse", "Go")).finalMessage()).toMatchObject({
      stop_reason: "refusal",
      stop_details: { type: "refusal" },
    });
  });

  test("gets structured output that satisfies its schema", async () => {
    const properties = { city: { type: "string" } };
    const schema = { type: "object", properties, required: ["city"], additionalProperties: false };
    const message = await anthropic.messages.create({
      ...ask("json", "As JSON"),
      output_config: { format: { type: "json_schema", schema } },
    });
    expect(message.content).toMatchObject([{ text: '{"city":"simulated"}' }]);
  });

  test("streams difficult characters unbroken", async () => {
    expect(await anthropic.messages.stream(ask("unicode", "Go")).finalText()).toBe(UNICODE_TEXT);
  });

  test("has its input counted as the answer's usage counts it", async () => {
    const { usage } = await anthropic.messages.create({ ...ask("tools", "Count this"), tools: [WEATHER] });
    const counted = await anthropic.messages.countTokens({
      model: "tools",
      messages: [{ role: "user", content: "Count this" }],
      tools: [WEATHER],
    });
    expect(counted.input_tokens).toBe(usage.input_tokens);
  });

  test("gets a failure before and within a stream", async () => {
    for (const model of ["error-first", "error-mid"]) {
      const attempt = anthropic.messages.stream(ask(model, "one two three")).finalMessage();
      expect(await attempt.catch((error: unknown) => error)).toMatchObject({
        error: { type: "error", error: { type: "overloaded_error" } },
      });
    }
  });

  test("must send its version header", async () => {
    const answer = await fetch(`${simulator.base_url}/messages`, {
      method: "POST",
      body: JSON.stringify(ask("echo", "Hi")),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
  });
});
