import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatAnthropic } from "@langchain/anthropic";
import { AIMessageChunk, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { tool as langchainTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, isStepCount, type LanguageModel, streamText, tool } from "ai";
import { z } from "zod";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { PRICE, THINKING, VENDOR_KEY } from "../../support/simulated-gateway.ts";

globalThis.AI_SDK_LOG_WARNINGS = false;

/**
 * Tool loops through real packages, with vendors that refuse an answer that is sent back without its thinking or the
 * signatures of its tool calls (docs/rulings.md 165, 166). The tests check the requests that the vendor saw.
 */

let simulator: Simulator;
let gateway: Gateway;
let key: string;

beforeAll(async () => {
  simulator = await startSimulator({ api_key: VENDOR_KEY });
  const at = (protocol: string, base_url: string) => ({ protocol, base_url, api_key: VENDOR_KEY });
  const loop = (replay: string) => ({
    upstream_model: `reason@until=done&replay=${replay}`,
    price: PRICE,
    ...THINKING,
  });
  const config = {
    catalog: "none",
    // Known vendors have their quirks. One simulator plays all of them, with the strictness of each.
    vendors: {
      acme: at("gemini", `${simulator.url}/v1beta`),
      google: at("chat-completions", simulator.base_url),
      deepseek: at("chat-completions", simulator.base_url),
      moonshotai: at("chat-completions", simulator.base_url),
      zai: at("messages", simulator.base_url),
      groq: at("chat-completions", simulator.base_url),
    },
    models: {
      "acme/gemini": loop(""),
      "google/gemini": loop("google"),
      "deepseek/thinker": loop("deepseek"),
      "moonshotai/thinker": loop("moonshot"),
      "zai/thinker": loop("deepseek"),
      "groq/thinker": loop("groq"),
    },
  };
  gateway = await startGateway({ config: JSON.stringify(config) });
  key = (await gateway.newKey({ credit: "1000" })).key;
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await simulator.stop();
});

const settings = () => ({ baseURL: `${gateway.url}/v1`, apiKey: key });
const openai = (model: string, more: object = {}) =>
  new ChatOpenAI({ model, apiKey: key, maxRetries: 0, configuration: { baseURL: `${gateway.url}/v1` }, ...more });

type AnyTool = { readonly execute: (place: string) => string };

/** Runs the loop to its end: the tool's third result says that the work is done. */
type Loop = (model: string, step: AnyTool) => Promise<string>;

const steps = ({ execute }: AnyTool) => ({
  step: tool({
    description: "Takes the next step.",
    inputSchema: z.object({ place: z.string() }),
    execute: ({ place }) => execute(place),
  }),
});

const prompt = "Go on until it is done.";

const aiSdk =
  (model: (id: string) => LanguageModel, providerOptions: object = {}): Loop =>
  async (id, step) => {
    const asked = { model: model(id), tools: steps(step), prompt, stopWhen: isStepCount(8), maxRetries: 0 };
    return (await generateText({ ...asked, providerOptions: providerOptions as never })).text;
  };

const aiSdkStreamed =
  (model: (id: string) => LanguageModel, providerOptions: object = {}): Loop =>
  async (id, step) => {
    const asked = { model: model(id), tools: steps(step), prompt, stopWhen: isStepCount(8), maxRetries: 0 };
    return await streamText({ ...asked, providerOptions: providerOptions as never, onError: () => {} }).text;
  };

const langchain =
  (model: (id: string) => ChatOpenAI | ChatAnthropic, streamed: boolean): Loop =>
  async (id, { execute }) => {
    const step = langchainTool(({ place }: { place: string }) => execute(place), {
      name: "step",
      description: "Takes the next step.",
      schema: z.object({ place: z.string() }),
    });
    const agent = model(id).bindTools([step]);
    const messages: BaseMessage[] = [new HumanMessage(prompt)];
    for (;;) {
      const answer = streamed
        ? (await Array.fromAsync(await agent.stream(messages))).reduce(
            (sum, chunk) => sum.concat(chunk),
            new AIMessageChunk(""),
          )
        : await agent.invoke(messages);
      messages.push(answer);
      const { tool_calls = [] } = answer;
      if (tool_calls.length === 0) return answer.text;
      for (const call of tool_calls) messages.push(await step.invoke({ ...call, type: "tool_call" }));
    }
  };

const compatible = (id: string) => createOpenAICompatible({ ...settings(), name: "camino" })(id);
const responses = (id: string) => createOpenAI(settings()).responses(id);
const chat = (id: string) => createOpenAI(settings()).chat(id);
const anthropic = (id: string) => createAnthropic(settings())(id);
const sealedOptions = {
  openai: { forceReasoning: true, reasoningEffort: "low", reasoningSummary: "auto", store: false },
};
const thinking = { anthropic: { thinking: { type: "enabled", budgetTokens: 2048 } } };
const chatAnthropic = (model: string) =>
  new ChatAnthropic({
    model,
    apiKey: key,
    maxRetries: 0,
    maxTokens: 8000,
    anthropicApiUrl: gateway.url,
    thinking: { type: "enabled", budget_tokens: 2048 },
  });
const chatResponses = (model: string) =>
  openai(model, {
    useResponsesApi: true,
    zdrEnabled: true,
    modelKwargs: { reasoning: { effort: "low", summary: "auto" }, include: ["reasoning.encrypted_content"] },
  });

interface Client {
  readonly loop: Loop;
  /** Whether the package keeps members of a tool call or a reasoning item that it does not know. */
  readonly keeps_signatures: boolean;
  readonly keeps_thoughts: boolean;
}

const kept = { keeps_signatures: true, keeps_thoughts: true };
const lost = { keeps_signatures: false, keeps_thoughts: false };

const CLIENTS: Readonly<Record<string, Client>> = {
  "AI SDK, openai-compatible": { loop: aiSdk(compatible), ...kept },
  "AI SDK, openai-compatible, streamed": { loop: aiSdkStreamed(compatible), ...kept },
  "AI SDK, responses": { loop: aiSdk(responses, sealedOptions), ...kept },
  "AI SDK, responses, streamed": { loop: aiSdkStreamed(responses, sealedOptions), ...kept },
  "AI SDK, anthropic": { loop: aiSdk(anthropic, thinking), ...kept },
  "AI SDK, anthropic, streamed": { loop: aiSdkStreamed(anthropic, thinking), ...kept },
  // These packages read neither a call's extra content nor reasoning.
  "AI SDK, openai chat": { loop: aiSdkStreamed(chat), ...lost },
  "LangChain, chat": { loop: langchain((id) => openai(id), false), ...lost },
  "LangChain, chat, streamed": { loop: langchain((id) => openai(id), true), ...lost },
  "LangChain, responses": { loop: langchain(chatResponses, false), ...kept },
  "LangChain, responses, streamed": { loop: langchain(chatResponses, true), ...kept },
  "LangChain, anthropic": { loop: langchain(chatAnthropic, false), ...kept },
  "LangChain, anthropic, streamed": { loop: langchain(chatAnthropic, true), ...kept },
};

// biome-ignore lint/suspicious/noExplicitAny: bodies of several protocols, read by paths
type Body = any;

let seen_before = 0;
beforeEach(() => {
  seen_before = simulator.log.requests.length;
});

/** The body of the last request to the vendor, with the whole conversation. */
function lastBody(): Body {
  const bodies = simulator.log.requests.slice(seen_before).map(({ body }) => body as Body);
  return typeof bodies.at(-1) === "string" ? JSON.parse(bodies.at(-1)) : bodies.at(-1);
}

async function run({ loop }: Client, model: string): Promise<void> {
  let count = 0;
  const text = await loop(model, { execute: () => (++count === 3 ? "step 3, done" : `step ${count}`) });
  expect(text).toContain("step 3, done");
  expect(count).toBe(3);
}

const STAND_IN = "skip_thought_signature_validator";

describe.each(Object.entries(CLIENTS))("%s", (_name, client) => {
  test("sends the signatures of tool calls back to Gemini", async () => {
    await run(client, "acme/gemini");
    const parts = lastBody().contents.flatMap((content: Body) => content.parts);
    const signatures = parts.filter((part: Body) => part.functionCall).map((part: Body) => part.thoughtSignature);
    expect(signatures).toHaveLength(3);
    for (const signature of signatures) {
      if (client.keeps_signatures) expect(signature).not.toBe(STAND_IN);
      expect(signature).toEqual(expect.any(String));
    }
  });

  test("sends the signatures of tool calls back to Google's endpoint for OpenAI's clients", async () => {
    await run(client, "google/gemini");
    const calls = lastBody().messages.flatMap(({ tool_calls = [] }: Body) => tool_calls);
    const signatures = calls.map((call: Body) => call.extra_content?.google?.thought_signature);
    expect(signatures).toHaveLength(3);
    for (const signature of signatures) {
      if (client.keeps_signatures) expect(signature).not.toBe(STAND_IN);
      expect(signature).toEqual(expect.any(String));
    }
  });

  test.each(["deepseek/thinker", "moonshotai/thinker"])("sends the thinking back to %s", async (model) => {
    await run(client, model);
    const answers = lastBody().messages.filter(({ role }: Body) => role === "assistant");
    const thoughts = answers.map(({ reasoning_content }: Body) => reasoning_content);
    expect(thoughts).toHaveLength(3);
    for (const thought of thoughts) {
      if (client.keeps_thoughts) expect(thought).toStartWith("Simulated thought 1.");
      else expect(thought).toBe("");
    }
  });

  test("sends a vendor of messages the thinking beside its tool calls", async () => {
    await run(client, "zai/thinker");
  });

  test("is not refused by a vendor that refuses reasoning of other vendors", async () => {
    await run(client, "groq/thinker");
  });
});
