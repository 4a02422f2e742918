import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import OpenAI from "openai";
import { bytesOf } from "../../../src/core/answer/sent-body.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { readWhole } from "../../../src/protocols/chat-completions/relay.ts";
import { ChatStream } from "../../../src/protocols/chat-completions/stream.ts";

/** The official client against relayed vendor traffic: the requested model's name selects the fixture. */

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/chat-completions/${name}`, import.meta.url));

/** The pipeline's handling of an answer, simplified. */
function* relay(name: string): Generator<Uint8Array> {
  const stream = new ChatStream({ model_id: "acme/m", issuer: "acme", choices: 1, shows_usage: true });
  const bytes = fixture(name);
  for (let at = 0; at < bytes.length; at += 50) yield stream.push(Buffer.from(bytes.subarray(at, at + 50)));
  yield stream.end();
  const error = new GatewayError("provider_error", stream.failure?.message ?? "Broken off.");
  yield stream.complete ? stream.finish() : stream.fail(error);
}

let server: ReturnType<typeof Bun.serve>;
let openai: OpenAI;
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { model, stream } = (await request.json()) as { model: string; stream?: boolean };
      const body = stream
        ? Buffer.concat([...relay(`${model}.sse`)])
        : bytesOf(readWhole(fixture(`${model}.json`), "acme/m", "acme").body);
      return new Response(body, { headers: { "content-type": stream ? "text/event-stream" : "application/json" } });
    },
  });
  openai = new OpenAI({ apiKey: "none", baseURL: server.url.href, maxRetries: 0 });
});
afterAll(() => server.stop(true));

const stream = (model: string) => openai.chat.completions.stream({ model, messages: [] });

describe("the official client", () => {
  test("streams text and usage", async () => {
    const completion = await stream("openai-text").finalChatCompletion();
    expect(completion.model).toBe("acme/m");
    expect(completion.choices[0]?.message.content).toBe('The tide says "model":"gpt"\nat dawn, café.');
    expect(completion.usage).toMatchObject({ prompt_tokens: 19, completion_tokens: 11, total_tokens: 30 });
  });

  test("streams parallel tool calls", async () => {
    const completion = await stream("openai-parallel-tools").finalChatCompletion();
    expect(completion.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        tool_calls: [
          { id: "call_P1", function: { name: "add", arguments: '{"a":2,"b":3}' } },
          { id: "call_P2", function: { name: "multiply", arguments: '{"a":2,"b":3}' } },
        ],
      },
    });
  });

  for (const [model, text] of Object.entries({
    "deepseek-reasoning": "Four.",
    "xai-reasoning": "Olá!",
    "groq-reasoning": "Hello there",
    "azure-prompt-filter": "Hi",
    "openrouter-comments": "Yes",
    "spaced-without-done": "Grüße, Welt 🌊",
  })) {
    test(`streams ${model}`, async () => {
      const completion = await stream(model).finalChatCompletion();
      expect(completion.choices[0]?.message.content).toBe(text);
      expect(completion.usage?.total_tokens).toBeGreaterThan(0);
    });
  }

  for (const model of ["openrouter-mid-stream-error", "cut-in-the-middle"]) {
    test(`raises an error when a stream breaks: ${model}`, async () => {
      const chunks = await openai.chat.completions.create({ model, messages: [], stream: true });
      let text = "";
      const drain = async () => {
        for await (const chunk of chunks) text += chunk.choices[0]?.delta.content ?? "";
      };
      expect(await drain().catch((error: unknown) => error)).toBeInstanceOf(OpenAI.APIError);
      expect(text.length).toBeGreaterThan(0);
    });
  }

  test("reads whole answers", async () => {
    const completion = await openai.chat.completions.create({ model: "openai-tools", messages: [] });
    expect(completion).toMatchObject({ model: "acme/m", usage: { prompt_tokens_details: { cached_tokens: 32 } } });
    expect(completion.choices[0]?.message.tool_calls).toHaveLength(1);
  });
});
