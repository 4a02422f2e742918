import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import OpenAI from "openai";
import { ResponsesToolRunner } from "openai/helpers/responses-tool-runner";
import type { RunnableToolFunctionWithParse } from "openai/lib/RunnableFunction";
import { type FiveVendors, PROTOCOLS, startFiveVendors } from "./five-vendors.ts";

/** The official clients' own agents run through five turns with tools, on a model of every vendor protocol. */

const SCHEMA = {
  type: "object" as const,
  properties: { place: { type: "string" as const } },
  required: ["place"],
  additionalProperties: false,
};
const TOOL = { name: "step", description: "Takes the next step." };
const PROMPT = "Go on until it is done.";

let five: FiveVendors;
let openai: OpenAI;
let anthropic: Anthropic;
beforeAll(async () => {
  five = await startFiveVendors();
  openai = new OpenAI({ apiKey: five.key, baseURL: `${five.gateway.url}/v1`, maxRetries: 0 });
  anthropic = new Anthropic({ authToken: five.key, baseURL: five.gateway.url, maxRetries: 0 });
});
afterAll(() => five[Symbol.asyncDispose]());

/** A tool that has to be called five times, and counts its calls. */
function fiveSteps() {
  const seen: unknown[] = [];
  const run = ({ place }: { readonly place?: unknown }): string => {
    seen.push(place);
    return seen.length === 5 ? "step 5, done" : `step ${seen.length}`;
  };
  return { seen, run };
}

interface Asked {
  readonly model: string;
  readonly stream: boolean;
  readonly run: (args: { readonly place?: unknown }) => string;
}

/** Agents of each client, which run to the end and return the last answer's text. */
const RUNNERS: Readonly<Record<string, (asked: Asked) => Promise<string>>> = {
  "openai, chat": async ({ model, stream, run }) => {
    const tool: RunnableToolFunctionWithParse<{ place: string }> = {
      type: "function",
      function: { ...TOOL, parameters: SCHEMA, parse: JSON.parse, function: run },
    };
    const body = {
      model,
      messages: [{ role: "user" as const, content: PROMPT }],
      tools: [tool],
      reasoning_effort: "low" as const,
    };
    const runner = stream
      ? openai.chat.completions.runTools({ ...body, stream: true })
      : openai.chat.completions.runTools(body);
    return (await runner.finalContent()) ?? "";
  },
  "openai, responses": async ({ model, stream, run }) => {
    const tool = { ...TOOL, type: "function", parameters: SCHEMA, strict: true } as const;
    const runner = new ResponsesToolRunner({ functions: [{ tool, execute: run }] });
    const body = {
      model,
      input: PROMPT,
      store: false,
      reasoning: { effort: "low", summary: "auto" },
      include: ["reasoning.encrypted_content"],
    } satisfies OpenAI.Responses.ResponseCreateParams;
    return (await runner.run(openai, body, { stream })).output_text;
  },
  anthropic: async ({ model, stream, run }) => {
    const runner = anthropic.beta.messages.toolRunner({
      model,
      max_tokens: 8000,
      messages: [{ role: "user", content: PROMPT }],
      tools: [betaTool({ ...TOOL, inputSchema: SCHEMA, run })],
      thinking: { type: "enabled", budget_tokens: 2048 },
      stream,
    });
    const { content } = await runner.runUntilDone();
    return content.map((block) => (block.type === "text" ? block.text : "")).join("");
  },
};

describe.each(PROTOCOLS)("on %s", (vendor) => {
  const cases = Object.keys(RUNNERS).flatMap((client) =>
    [false, true].flatMap((stream) => ["tools", "reason"].map((behaviour) => ({ client, stream, behaviour }))),
  );
  test.each(cases)("$client, a model that does $behaviour (stream: $stream)", async ({ client, stream, behaviour }) => {
    const { seen, run } = fiveSteps();
    const text = await RUNNERS[client]?.({ model: `${vendor}/${behaviour}`, stream, run });
    expect(text).toContain("step 5, done");
    expect(seen).toEqual(Array(5).fill("simulated"));
  });
});
