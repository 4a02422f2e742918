/** OpenAI's Agents SDK for JavaScript over responses (its default) and chat completions. */

import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, run, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import { expect, KEY, model, refusal, runAll, URL_ } from "./checks.mjs";

setTracingDisabled(true);
const client = new OpenAI({ baseURL: `${URL_}/v1`, apiKey: KEY, maxRetries: 0 });
const MODELS = {
  responses: (kind) => new OpenAIResponsesModel(client, model(kind)),
  chat: (kind) => new OpenAIChatCompletionsModel(client, model(kind)),
};
const weather = tool({
  name: "weather",
  description: "Weather",
  parameters: z.object({ city: z.string() }),
  execute: async () => "sunny, done",
});

const checks = {};
for (const [name, modelOf] of Object.entries(MODELS)) {
  checks[`${name}: answers`] = async () => {
    const { finalOutput } = await run(
      new Agent({ name: "a", instructions: "Be brief.", model: modelOf("echo") }),
      "one two",
    );
    expect(finalOutput === "Simulated answer: one two", finalOutput);
  };
  checks[`${name}: streams`] = async () => {
    const result = await run(new Agent({ name: "a", model: modelOf("echo") }), "one two", { stream: true });
    let events = 0;
    for await (const _ of result) events += 1;
    expect(result.finalOutput === "Simulated answer: one two" && events > 1, result.finalOutput);
  };
  for (const kind of ["tools-until-done", "reason"]) {
    checks[`${name}: a tool loop, ${kind}`] = async () => {
      const { finalOutput } = await run(new Agent({ name: "a", model: modelOf(kind), tools: [weather] }), "Go");
      expect(finalOutput.includes("done"), finalOutput);
    };
  }
  checks[`${name}: gives structured output`] = async () => {
    const outputType = z.object({ city: z.string() });
    const { finalOutput } = await run(new Agent({ name: "a", model: modelOf("json"), outputType }), "Where?");
    expect(typeof finalOutput.city === "string", finalOutput);
  };
  checks[`${name}: errors have their true status`] = async () => {
    const error = await refusal(() => run(new Agent({ name: "a", model: modelOf("fail-429") }), "x"));
    expect(error.status === 429, String(error));
  };
}
await runAll(checks);
