import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import {
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  type UsageMetadata,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import { endedReceipt } from "../../support/receipts.ts";
import { type FiveVendors, PROTOCOLS, startFiveVendors } from "./five-vendors.ts";

/** LangChain's chat models on a model of every vendor protocol. */

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

let five: FiveVendors;
beforeAll(async () => {
  five = await startFiveVendors();
});
afterAll(() => five[Symbol.asyncDispose]());

/** The id of the last request, for its receipt: LangChain keeps no headers. */
let last_request_id = "";
const seeing: typeof fetch = Object.assign(
  async (...[input, init]: Parameters<typeof fetch>) => {
    const response = await fetch(input, init);
    last_request_id = response.headers.get("x-camino-request-id") ?? "";
    return response;
  },
  { preconnect: fetch.preconnect },
);

const openai = (model: string, more: object = {}) =>
  new ChatOpenAI({
    model,
    apiKey: five.key,
    maxRetries: 0,
    configuration: { baseURL: `${five.gateway.url}/v1`, fetch: seeing },
    ...more,
  });
const anthropic = (model: string, more: object = {}) =>
  new ChatAnthropic({
    model,
    apiKey: five.key,
    maxRetries: 0,
    maxTokens: 8000,
    anthropicApiUrl: five.gateway.url,
    clientOptions: { fetch: seeing },
    ...more,
  });

const thinking = { type: "enabled", budget_tokens: 2048 } as const;
const reasoning = { effort: "low", summary: "auto" } as const;

interface Client {
  readonly model: (id: string) => BaseChatModel;
  readonly reasoning_model: (id: string) => BaseChatModel;
  /** Whether a stream's usage is the estimate of the stream's start plus the output of its end. */
  readonly sums_early_usage: boolean;
}

const CLIENTS: Readonly<Record<string, Client>> = {
  "ChatOpenAI, chat": {
    model: (id) => openai(id),
    reasoning_model: (id) => openai(id, { modelKwargs: { reasoning_effort: "low" } }),
    sums_early_usage: false,
  },
  "ChatOpenAI, responses": {
    model: (id) => openai(id, { useResponsesApi: true }),
    // Nothing is stored, so reasoning is sent back sealed.
    reasoning_model: (id) =>
      openai(id, {
        useResponsesApi: true,
        zdrEnabled: true,
        modelKwargs: { reasoning, include: ["reasoning.encrypted_content"] },
      }),
    sums_early_usage: false,
  },
  ChatAnthropic: {
    model: (id) => anthropic(id),
    reasoning_model: (id) => anthropic(id, { thinking }),
    sums_early_usage: true,
  },
};

const CASES = PROTOCOLS.flatMap((vendor) =>
  Object.entries(CLIENTS).map(([name, client]) => ({ name, vendor, ...client })),
);

/** The thinking of a message, wherever the chat model puts it. */
function thoughtsOf({ contentBlocks, additional_kwargs }: AIMessageChunk): string {
  const blocks = contentBlocks.map((block) => (block.type === "reasoning" ? block.reasoning : ""));
  return `${blocks.join("")}${additional_kwargs.reasoning_content ?? ""}`;
}

const usageOf = ({ usage_metadata }: { usage_metadata?: UsageMetadata | undefined }) => usage_metadata;

/** All chunks of a stream as one message, and how many of them had text. */
async function readStream(stream: AsyncIterable<AIMessageChunk>): Promise<{ whole: AIMessageChunk; texts: string[] }> {
  const chunks = await Array.fromAsync(stream);
  const texts = chunks.map(({ text }) => text).filter((text) => text !== "");
  return { whole: chunks.reduce((sum, chunk) => sum.concat(chunk)), texts };
}

describe.each(CASES)("$name on $vendor", ({ vendor, model, reasoning_model, sums_early_usage }) => {
  test("generates, with the usage of the receipt", async () => {
    const messages = [new SystemMessage("Be brief."), new HumanMessage("Hello!")];
    const answer = await model(`${vendor}/echo`).invoke(messages);
    expect(answer.text).toBe("Simulated answer: Hello!");
    const { usage } = await endedReceipt(five.gateway, five.key, last_request_id);
    expect(usageOf(answer)).toMatchObject({
      input_tokens: usage?.input_tokens ?? Number.NaN,
      output_tokens: usage?.output_tokens ?? Number.NaN,
    });
    expect(usageOf(answer)?.output_tokens).toBeGreaterThan(0);
  });

  test("streams text in pieces that add up, and its usage once", async () => {
    const { whole, texts } = await readStream(await model(`${vendor}/echo`).stream("one two three"));
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.join("")).toBe("Simulated answer: one two three");
    expect(whole.text).toBe(texts.join(""));
    const { usage } = await endedReceipt(five.gateway, five.key, last_request_id);
    const { input_tokens = Number.NaN, output_tokens = Number.NaN } = usage ?? {};
    if (sums_early_usage) {
      expect(usageOf(whole)?.input_tokens).toBeGreaterThanOrEqual(input_tokens);
      expect(usageOf(whole)?.output_tokens).toBeGreaterThanOrEqual(output_tokens);
    } else expect(usageOf(whole)).toMatchObject({ input_tokens, output_tokens });
  });

  test.each([
    ["whole", "tools"],
    ["streamed", "tools"],
    ["whole", "reason"],
    ["streamed", "reason"],
  ])("is an agent of five turns, %s (%s)", async (way, behaviour) => {
    const seen: string[] = [];
    const step = tool(
      ({ place }: { place: string }) => {
        seen.push(place);
        return seen.length === 5 ? "step 5, done" : `step ${seen.length}`;
      },
      { name: "step", description: "Takes the next step.", schema: z.object({ place: z.string() }) },
    );
    const chosen = behaviour === "reason" ? reasoning_model : model;
    const agent = chosen(`${vendor}/${behaviour}`).bindTools?.([step]);
    if (agent === undefined) throw new Error("the chat model takes no tools");
    const messages: BaseMessage[] = [new HumanMessage("Go on until it is done.")];
    for (;;) {
      // The simulator refuses thinking that differs by a byte from the thinking that it gave.
      const answer =
        way === "whole" ? await agent.invoke(messages) : (await readStream(await agent.stream(messages))).whole;
      messages.push(answer);
      const { tool_calls = [] } = answer;
      if (tool_calls.length === 0) break;
      expect(tool_calls.map(({ name }) => name)).toEqual(["step"]);
      for (const call of tool_calls) messages.push(await step.invoke({ ...call, type: "tool_call" }));
    }
    expect(seen).toEqual(Array(5).fill("simulated"));
    expect(messages.at(-1)?.text).toContain("step 5, done");
  });

  test.each([false, true])("shows the thinking (stream: %p)", async (streamed) => {
    const chosen = reasoning_model(`${vendor}/reason`);
    const answer = streamed ? (await readStream(await chosen.stream("Why?"))).whole : await chosen.invoke("Why?");
    expect(thoughtsOf(answer)).toContain("Simulated thought 1.");
    expect(answer.text).toBe("Simulated answer: Why?");
    expect(usageOf(answer)?.output_tokens).toBeGreaterThan(0);
  });

  test.each(["functionCalling", "jsonSchema"] as const)(
    "gets an object that agrees with its schema, by %s",
    async (method) => {
      const City = z.object({ name: z.string(), population: z.number().int() });
      const id = `${vendor}/${method === "functionCalling" ? "tools" : "json"}`;
      const city = await model(id).withStructuredOutput(City, { name: "city", method }).invoke("A city, please.");
      expect(city).toEqual({ name: expect.any(String), population: expect.any(Number) });
    },
  );

  test("sends images to the vendor", async () => {
    const image = { type: "image", mimeType: "image/png", data: PIXEL } as const;
    const question = new HumanMessage({ contentBlocks: [{ type: "text", text: "What is this?" }, image] });
    const answer = await model(`${vendor}/vision`).invoke([question]);
    expect(answer.text).toBe("Simulated answer: 1 image: image/png of 70 bytes");
  });
});
