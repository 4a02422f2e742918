import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Simulator, startSimulator } from "../server.ts";

/** Gemini and Converse refuse a conversation that begins with the assistant. */

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

const model = (part: object) => ({
  contents: [
    { role: "model", parts: [part] },
    { role: "user", parts: [{ text: "Hi" }] },
  ],
});

test.each([
  [
    "/models/echo:generateContent",
    model({ text: "Welcome!" }),
    "Please ensure that multiturn requests alternate between user and model.",
  ],
  [
    "/models/echo:generateContent",
    model({ functionCall: { name: "f", args: {} } }),
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
  ],
  [
    "/model/echo/converse",
    { messages: [{ role: "assistant", content: [{ text: "Welcome!" }] }] },
    "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
  ],
])("%s refuses such a conversation", async (path, body, words) => {
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const reply = await fetch(simulator.base_url + path, init);
  expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining(words)]);
});
