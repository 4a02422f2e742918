import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  generateText,
  isStepCount,
  type LanguageModel,
  Output,
  streamText,
  type TextStreamPart,
  type ToolSet,
  tool,
} from "ai";
import { z } from "zod";
import { endedReceipt } from "../../support/receipts.ts";
import { type FiveVendors, PROTOCOLS, startFiveVendors } from "./five-vendors.ts";

// The SDK's warnings about models that it does not know do not matter here.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** The Vercel AI SDK through each of its providers, on a model of every vendor protocol. */

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

let five: FiveVendors;
beforeAll(async () => {
  five = await startFiveVendors();
});
afterAll(() => five[Symbol.asyncDispose]());

interface Provider {
  readonly model: (id: string) => LanguageModel;
  /** The option that turns reasoning on, and its text where that needs a setting of its own. */
  readonly reasoning: NonNullable<Parameters<typeof generateText>[0]["providerOptions"]>;
  /** Whether the provider reads reasoning: OpenAI's chat completions have no text of it. */
  readonly shows_reasoning: boolean;
  /** Whether the provider sends the seals of reasoning back. */
  readonly replays_seals: boolean;
  /** How the provider requests an object: by a format of the answer, or by a tool where it does not know the model. */
  readonly objects_by: "json" | "tools";
}

/** Vendors that go on thinking between tool calls only if their sealed thinking is sent back. */
const SEALING: readonly string[] = ["messages", "bedrock-converse"];

const settings = () => ({ baseURL: `${five.gateway.url}/v1`, apiKey: five.key });

const PROVIDERS: Readonly<Record<string, Provider>> = {
  "openai, chat": {
    model: (id) => createOpenAI(settings()).chat(id),
    reasoning: { openai: { forceReasoning: true, reasoningEffort: "low" } },
    shows_reasoning: false,
    replays_seals: false,
    objects_by: "json",
  },
  "openai, responses": {
    model: (id) => createOpenAI(settings()).responses(id),
    // Nothing is stored, so reasoning is sent back sealed.
    reasoning: { openai: { forceReasoning: true, reasoningEffort: "low", reasoningSummary: "auto", store: false } },
    shows_reasoning: true,
    replays_seals: true,
    objects_by: "json",
  },
  anthropic: {
    model: (id) => createAnthropic(settings())(id),
    reasoning: { anthropic: { thinking: { type: "enabled", budgetTokens: 2048 } } },
    shows_reasoning: true,
    replays_seals: true,
    objects_by: "tools",
  },
  "openai-compatible": {
    model: (id) =>
      createOpenAICompatible({ ...settings(), name: "camino", includeUsage: true, supportsStructuredOutputs: true })(
        id,
      ),
    reasoning: { camino: { reasoningEffort: "low" } },
    shows_reasoning: true,
    replays_seals: false,
    objects_by: "json",
  },
};

const CASES = PROTOCOLS.flatMap((vendor) =>
  Object.entries(PROVIDERS).map(([name, provider]) => ({ name, vendor, ...provider })),
);

/** A tool that has to be called five times, and counts its calls. */
function fiveSteps() {
  const seen: string[] = [];
  const step = tool({
    description: "Takes the next step.",
    inputSchema: z.object({ place: z.string() }),
    execute: ({ place }) => {
      seen.push(place);
      return seen.length === 5 ? "step 5, done" : `step ${seen.length}`;
    },
  });
  return { seen, tools: { step } };
}

/** Fails where a part of a stream is out of order: blocks open before they grow, and end before their step ends. */
function checkOrder(parts: readonly TextStreamPart<ToolSet>[]): void {
  const open = new Set<string>();
  let in_step = false;
  expect([parts[0]?.type, parts.at(-1)?.type]).toEqual(["start", "finish"]);
  for (const part of parts) {
    const [, kind, moment] = /^(text|reasoning|tool-input)-(start|delta|end)$/.exec(part.type) ?? [];
    if (part.type === "start-step") in_step = true;
    if (part.type === "finish-step") {
      expect(open).toBeEmpty();
      in_step = false;
    }
    if (part.type === "error" || part.type === "abort" || part.type === "tool-error")
      throw new Error(JSON.stringify(part));
    if (kind === undefined || !("id" in part)) continue;
    expect(in_step).toBe(true);
    const block = `${kind} ${part.id}`;
    expect(open.has(block)).toBe(moment !== "start");
    if (moment === "start") open.add(block);
    if (moment === "end") open.delete(block);
  }
}

describe.each(CASES)("$name on $vendor", ({ vendor, model, reasoning, ...provider }) => {
  const { shows_reasoning, replays_seals, objects_by } = provider;

  test("generates, with the usage of the receipt", async () => {
    const { text, usage, finishReason, response } = await generateText({
      model: model(`${vendor}/echo`),
      instructions: "Be brief.",
      prompt: "Hello!",
    });
    expect(text).toBe("Simulated answer: Hello!");
    expect(finishReason).toBe("stop");
    const receipt = await endedReceipt(five.gateway, five.key, response.headers?.["x-camino-request-id"] ?? "");
    expect(receipt).toMatchObject({ status: "settled", estimated: false });
    expect(usage).toMatchObject({
      inputTokens: receipt.usage?.input_tokens ?? Number.NaN,
      outputTokens: receipt.usage?.output_tokens ?? Number.NaN,
    });
    expect(usage.outputTokens).toBeGreaterThan(0);
  });

  test("streams, all parts in their order", async () => {
    const result = streamText({ model: model(`${vendor}/echo`), prompt: "one two three" });
    const parts = await Array.fromAsync(result.stream);
    checkOrder(parts);
    const deltas = parts.flatMap((part) => (part.type === "text-delta" ? [part.text] : []));
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join("")).toBe("Simulated answer: one two three");
    expect(await result.finishReason).toBe("stop");
    expect((await result.usage).inputTokens).toBeGreaterThan(0);
    expect((await result.usage).outputTokens).toBe(8);
  });

  test("is an agent of five turns", async () => {
    const { seen, tools } = fiveSteps();
    const { text, steps, totalUsage } = await generateText({
      model: model(`${vendor}/tools`),
      tools,
      prompt: "Go on until it is done.",
      stopWhen: isStepCount(10),
    });
    expect(text).toBe("Simulated answer from tool results: step 5, done");
    expect(seen).toHaveLength(5);
    expect(steps.map(({ finishReason }) => finishReason)).toEqual([...Array(5).fill("tool-calls"), "stop"]);
    expect(totalUsage.outputTokens).toBeGreaterThan(0);
  });

  test("is an agent of five turns that thinks before each, streamed, and sends its thinking back", async () => {
    const { seen, tools } = fiveSteps();
    const result = streamText({
      model: model(`${vendor}/reason`),
      tools,
      prompt: "Go on until it is done.",
      stopWhen: isStepCount(10),
      providerOptions: reasoning,
    });
    // The simulator refuses thinking that differs by a byte from the thinking that it gave.
    const parts = await Array.fromAsync(result.stream);
    checkOrder(parts);
    const steps = await result.steps;
    expect(steps.map(({ toolCalls }) => toolCalls.length)).toEqual([1, 1, 1, 1, 1, 0]);
    expect(seen).toHaveLength(5);
    expect(await result.text).toContain("step 5, done");
    if (!shows_reasoning) return;
    for (const [index, { reasoningText, response }] of steps.entries()) {
      const ignored = index > 0 && !replays_seals && SEALING.includes(vendor);
      expect(/reasoning|thinking/.test(response.headers?.["x-camino-ignored"] ?? "")).toBe(ignored);
      expect(reasoningText ?? "").toInclude(ignored ? "" : "Simulated thought 1.");
    }
  });

  test("shows the thinking, and its tokens", async () => {
    const { reasoningText, text, usage } = await generateText({
      model: model(`${vendor}/reason`),
      prompt: "Why?",
      providerOptions: reasoning,
    });
    expect(text).toBe("Simulated answer: Why?");
    expect(usage.outputTokens).toBeGreaterThan(0);
    if (shows_reasoning) expect(reasoningText).toContain("Simulated thought 1.");
    if (vendor !== "messages" && vendor !== "bedrock-converse") {
      expect(usage.outputTokenDetails.reasoningTokens).toBeGreaterThan(0);
    }
  });

  test.each([false, true])("gets an object that agrees with its schema (stream: %p)", async (streamed) => {
    const asked = {
      model: model(`${vendor}/${objects_by}`),
      prompt: "A city, please.",
      output: Output.object({ schema: z.object({ name: z.string(), population: z.number().int() }) }),
    };
    const output = streamed ? await streamText(asked).output : (await generateText(asked)).output;
    expect(output).toEqual({ name: expect.any(String), population: expect.any(Number) });
  });

  test("sends images to the vendor", async () => {
    const { text } = await generateText({
      model: model(`${vendor}/vision`),
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "file", data: Buffer.from(PIXEL, "base64"), mediaType: "image/png" },
          ],
        },
      ],
    });
    expect(text).toBe("Simulated answer: 1 image: image/png of 70 bytes");
  });
});
