import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema";
import OpenAI from "openai";
import { type FiveVendors, PROTOCOLS, startFiveVendors } from "./five-vendors.ts";

/** The official clients' stream helpers and structured-output parsers, on a model of every vendor protocol. */

const SCHEMA = {
  type: "object",
  properties: { name: { type: "string" }, population: { type: "integer" } },
  required: ["name", "population"],
  additionalProperties: false,
} as const;
const PROMPT = "A city, please.";
const FORMAT = { name: "city", schema: SCHEMA, strict: true } as const;

let five: FiveVendors;
let openai: OpenAI;
let anthropic: Anthropic;
beforeAll(async () => {
  five = await startFiveVendors();
  openai = new OpenAI({ apiKey: five.key, baseURL: `${five.gateway.url}/v1`, maxRetries: 0 });
  anthropic = new Anthropic({ authToken: five.key, baseURL: five.gateway.url, maxRetries: 0 });
});
afterAll(() => five[Symbol.asyncDispose]());

const user = (content: string) => [{ role: "user" as const, content }];

/** Calls of each client that return the parsed object of one answer. */
const PARSERS: Readonly<Record<string, (model: string) => Promise<unknown>>> = {
  "openai, chat": async (model) => {
    const response_format = { type: "json_schema" as const, json_schema: FORMAT };
    const { choices } = await openai.chat.completions.parse({ model, messages: user(PROMPT), response_format });
    return choices[0]?.message.parsed;
  },
  "openai, chat, streamed": async (model) => {
    const response_format = { type: "json_schema" as const, json_schema: FORMAT };
    const stream = openai.chat.completions.stream({ model, messages: user(PROMPT), response_format });
    return (await stream.finalChatCompletion()).choices[0]?.message.parsed;
  },
  "openai, responses": async (model) => {
    const text = { format: { type: "json_schema" as const, ...FORMAT } };
    return (await openai.responses.parse({ model, input: PROMPT, text })).output_parsed;
  },
  "openai, responses, streamed": async (model) => {
    const text = { format: { type: "json_schema" as const, ...FORMAT } };
    return (await openai.responses.stream({ model, input: PROMPT, text }).finalResponse()).output_parsed;
  },
  anthropic: async (model) => {
    const output_config = { format: jsonSchemaOutputFormat(SCHEMA) };
    const body = { model, max_tokens: 2000, messages: user(PROMPT), output_config };
    return (await anthropic.messages.parse(body)).parsed_output;
  },
};

describe.each(PROTOCOLS)("on %s", (vendor) => {
  test.each(Object.keys(PARSERS))("%s: an object is parsed that agrees with its schema", async (client) => {
    expect(await PARSERS[client]?.(`${vendor}/json`)).toEqual({
      name: expect.any(String),
      population: expect.any(Number),
    });
  });

  test("openai, chat: the stream helper has the deltas, the whole content and the final completion", async () => {
    const stream = openai.chat.completions.stream({
      model: `${vendor}/echo`,
      messages: user("Say it."),
      stream_options: { include_usage: true },
    });
    const deltas: string[] = [];
    stream.on("content.delta", ({ delta }) => deltas.push(delta));
    const completion = await stream.finalChatCompletion();
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join("")).toBe("Simulated answer: Say it.");
    expect(completion.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: deltas.join("") } });
    expect(completion.usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 7, total_tokens: 9 });
  });

  test("openai, responses: the stream helper has the snapshots and the final response", async () => {
    const stream = openai.responses.stream({ model: `${vendor}/echo`, input: "Say it." });
    const snapshots: string[] = [];
    stream.on("response.output_text.delta", ({ snapshot }) => snapshots.push(snapshot));
    const final = await stream.finalResponse();
    expect(snapshots.length).toBeGreaterThan(1);
    expect(snapshots.at(-1)).toBe("Simulated answer: Say it.");
    expect(final).toMatchObject({ status: "completed", output_text: "Simulated answer: Say it." });
    expect(final.usage).toMatchObject({ input_tokens: 2, output_tokens: 7, total_tokens: 9 });
  });

  test("anthropic: the stream helper adds up text and gives the final message", async () => {
    const stream = anthropic.messages.stream({ model: `${vendor}/echo`, max_tokens: 200, messages: user("Say it.") });
    const deltas: string[] = [];
    stream.on("text", (delta) => deltas.push(delta));
    const message = await stream.finalMessage();
    expect(deltas.length).toBeGreaterThan(1);
    expect(message.content).toMatchObject([{ type: "text", text: "Simulated answer: Say it." }]);
    expect(message).toMatchObject({ stop_reason: "end_turn", usage: { input_tokens: 2, output_tokens: 7 } });
  });
});
