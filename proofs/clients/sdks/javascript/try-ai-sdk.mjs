/** The AI SDK with its providers: openai (responses and chat), openai-compatible, anthropic. */

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, Output, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import { expect, KEY, model, PIXEL, refusal, runAll, URL_ } from "./checks.mjs";

const v1 = { baseURL: `${URL_}/v1`, apiKey: KEY };
const openai = createOpenAI(v1);
const compatible = createOpenAICompatible({
  ...v1,
  name: "camino",
  includeUsage: true,
  supportsStructuredOutputs: true,
});
const anthropic = createAnthropic(v1);
const PROVIDERS = {
  "openai()": (kind) => openai(model(kind)),
  "openai.chat()": (kind) => openai.chat(model(kind)),
  compatible: (kind) => compatible(model(kind)),
  anthropic: (kind) => anthropic(model(kind)),
};
const weather = tool({
  description: "Weather",
  inputSchema: z.object({ city: z.string() }),
  execute: async () => "sunny, done",
});

const checks = {};
const HOSTED = { webSearch: openai.tools.webSearch(), codeInterpreter: openai.tools.codeInterpreter() };
for (const [name, hosted] of Object.entries(HOSTED)) {
  // The SDK asks with `include` for what the tool has found, whoever answers.
  checks[`openai(): offers ${name}`] = async () => {
    const { text } = await generateText({
      model: openai(model("echo")),
      tools: { [name === "webSearch" ? "web_search" : "code_interpreter"]: hosted },
      prompt: "one two",
      maxRetries: 0,
    });
    expect(text === "Simulated answer: one two", text);
  };
}
checks["anthropic: has a PDF read"] = async () => {
  const file = { type: "file", mediaType: "application/pdf", data: "JVBERi0xLjQK" };
  const messages = [{ role: "user", content: [file, { type: "text", text: "What?" }] }];
  const { text } = await generateText({ model: anthropic(model("vision")), messages, maxRetries: 0 });
  expect(text !== "", text);
};
for (const [name, provider] of Object.entries(PROVIDERS)) {
  checks[`${name}: streams with usage`] = async () => {
    const result = streamText({ model: provider("echo"), prompt: "one two", maxRetries: 0 });
    const text = await result.text;
    const usage = await result.usage;
    expect(text === "Simulated answer: one two" && usage.outputTokens > 0, { text, usage });
  };
  for (const kind of ["tools-until-done", "reason"]) {
    checks[`${name}: a tool loop of its own, ${kind}`] = async () => {
      const result = await generateText({
        model: provider(kind),
        prompt: "Go",
        tools: { weather },
        stopWhen: stepCountIs(5),
        maxRetries: 0,
        ...(name === "anthropic" && { maxOutputTokens: 4000 }),
      });
      expect(result.steps.length > 1 && result.text.includes("done"), result.text);
    };
  }
  checks[`${name}: sees an image`] = async () => {
    const content = [
      { type: "text", text: "What?" },
      { type: "file", data: Buffer.from(PIXEL, "base64"), mediaType: "image/png" },
    ];
    const { text } = await generateText({
      model: provider("vision"),
      messages: [{ role: "user", content }],
      maxRetries: 0,
    });
    expect(text.includes("1 image: image/png"), text);
  };
  checks[`${name}: gives structured output`] = async () => {
    const output = Output.object({ schema: z.object({ city: z.string() }) });
    const kind = name === "anthropic" ? "tools" : "json";
    const result = await generateText({
      model: provider(kind),
      prompt: "Where? Answer in JSON.",
      output,
      maxRetries: 0,
    });
    expect(typeof result.output.city === "string", result.output);
  };
  checks[`${name}: errors have their true status`] = async () => {
    const error = await refusal(() => generateText({ model: provider("fail-429"), prompt: "x", maxRetries: 0 }));
    expect(error.statusCode === 429, String(error));
  };
}
await runAll(checks);
