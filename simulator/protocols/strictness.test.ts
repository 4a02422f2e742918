import { afterAll, beforeAll, expect, test } from "bun:test";
import { sealOf } from "../seal.ts";
import { type Simulator, startSimulator } from "../server.ts";

/** Vendors' refusals of earlier answers that come back changed, in the vendors' own words. */

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

const call = (more: object = {}) => ({
  id: "c1",
  type: "function",
  function: { name: "look", arguments: "{}" },
  ...more,
});
const signed = (thought_signature: string) => ({ extra_content: { google: { thought_signature } } });
const answer = (more: object) => ({ role: "assistant", content: null, tool_calls: [call()], ...more });

async function said(path: string, body: object): Promise<string> {
  const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
  const reply = await fetch(`${simulator.base_url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const read = (await reply.json()) as { error?: { message: string } };
  expect(reply.status).toBe(read.error === undefined ? 200 : 400);
  return read.error?.message ?? "taken";
}

const chat = (replay: string, message: object) =>
  said("/chat/completions", {
    model: `reason@replay=${replay}`,
    messages: [{ role: "user", content: "Go." }, message, { role: "tool", tool_call_id: "c1", content: "done" }],
  });

test.each([
  ["deepseek", answer({}), "The `reasoning_content` in the thinking mode must be passed back to the API."],
  ["deepseek", answer({ reasoning_content: "" }), "taken"],
  [
    "moonshot",
    answer({}),
    "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1",
  ],
  ["moonshot", answer({ reasoning_content: "Hm" }), "taken"],
  [
    "groq",
    answer({ reasoning_content: "" }),
    "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
  ],
  ["groq", answer({ reasoning: "Hm" }), "taken"],
  [
    "google",
    answer({}),
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:look` , position 2. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
  ],
  ["google", answer({ tool_calls: [call(signed("Zm9yZ2Vk"))] }), "Corrupted thought signature."],
  ["google", answer({ tool_calls: [call(signed("skip_thought_signature_validator"))] }), "taken"],
  ["google", answer({ tool_calls: [call(signed(sealOf("Hm")))] }), "taken"],
  ["nobody", answer({}), "taken"],
])("chat completions, as %s: %j", async (replay, message, words) => {
  expect(await chat(replay, message)).toBe(words);
});

test.each([
  [[], "The `content[].thinking` in the thinking mode must be passed back to the API."],
  [[{ type: "thinking", thinking: "", signature: "" }], "taken"],
])("messages, as deepseek: %j before the call", async (before, words) => {
  const content = [...before, { type: "tool_use", id: "c1", name: "look", input: {} }];
  const results = [{ type: "tool_result", tool_use_id: "c1", content: "done" }];
  const body = {
    model: "reason@replay=deepseek",
    max_tokens: 99,
    messages: [
      { role: "user", content: "Go." },
      { role: "assistant", content },
      { role: "user", content: results },
    ],
  };
  expect(await said("/messages", body)).toBe(words);
});
