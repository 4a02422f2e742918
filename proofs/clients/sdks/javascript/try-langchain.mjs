/** LangChain's ChatOpenAI (chat completions and responses) and ChatAnthropic. */

import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import { expect, KEY, model, PIXEL, refusal, runAll, URL_ } from "./checks.mjs";

const openai = (kind, more) =>
  new ChatOpenAI({ model: model(kind), apiKey: KEY, maxRetries: 0, configuration: { baseURL: `${URL_}/v1` }, ...more });
const anthropic = (kind, more) =>
  new ChatAnthropic({
    model: model(kind),
    apiKey: KEY,
    maxRetries: 0,
    maxTokens: 4000,
    anthropicApiUrl: URL_,
    ...more,
  });
const CHATS = {
  "ChatOpenAI, chat": (kind) => openai(kind, { streamUsage: true }),
  "ChatOpenAI, responses": (kind) => openai(kind, { useResponsesApi: true }),
  ChatAnthropic: anthropic,
};
const City = z.object({ city: z.string() });
const weather = tool(async () => "sunny, done", { name: "weather", description: "Weather", schema: City });

/** Asks, and answers tool calls until there are no more. */
async function loop(chat) {
  const messages = [new HumanMessage("Go")];
  for (let step = 0; step < 4; step += 1) {
    const answer = await chat.invoke(messages);
    messages.push(answer);
    if (!answer.tool_calls?.length) break;
    for (const { id } of answer.tool_calls) messages.push(new ToolMessage({ content: "done", tool_call_id: id }));
  }
  const last = messages.at(-1);
  expect(messages.length > 2 && last.text.includes("done"), last);
}

const checks = {};
for (const [name, chatOf] of Object.entries(CHATS)) {
  checks[`${name}: answers with usage`] = async () => {
    const answer = await chatOf("echo").invoke([new SystemMessage("Be brief."), new HumanMessage("one two")]);
    expect(answer.text === "Simulated answer: one two" && answer.usage_metadata.output_tokens > 0, answer);
  };
  checks[`${name}: streams with usage`] = async () => {
    let whole;
    for await (const chunk of await chatOf("echo").stream("one two"))
      whole = whole === undefined ? chunk : whole.concat(chunk);
    expect(whole.text === "Simulated answer: one two" && whole.usage_metadata.output_tokens > 0, whole);
  };
  for (const kind of ["tools-until-done", "reason"])
    checks[`${name}: a tool loop, ${kind}`] = () => loop(chatOf(kind).bindTools([weather]));
  checks[`${name}: sees an image`] = async () => {
    const image = { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } };
    const content = [{ type: "text", text: "What?" }, image];
    const answer = await chatOf("vision").invoke([new HumanMessage({ content })]);
    expect(answer.text.includes("1 image: image/png"), answer);
  };
  checks[`${name}: gives structured output`] = async () => {
    const chat = name === "ChatAnthropic" ? chatOf("tools") : chatOf("json");
    const method = name === "ChatAnthropic" ? "functionCalling" : "jsonSchema";
    const found = await chat.withStructuredOutput(City, { name: "city", method }).invoke("Where? Answer in JSON.");
    expect(typeof found.city === "string", found);
  };
  checks[`${name}: errors have their true status`] = async () => {
    const error = await refusal(() => chatOf("fail-429").invoke("x"));
    expect(error.status === 429, String(error));
  };
}
checks["ChatAnthropic: a tool loop with thinking given back"] = () =>
  loop(anthropic("reason", { thinking: { type: "enabled", budget_tokens: 1024 } }).bindTools([weather]));

await runAll(checks);
