import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type OpenAI from "openai";
import { type FiveVendors, PROTOCOLS, startFiveVendors } from "./five-vendors.ts";

/**
 * What Cursor's agent sends, in the shape that its users have recorded: responses' body to chat completions, whose answer it reads as chunks of chat
 * completions (docs/rulings.md 14b). Cursor itself runs nowhere without a screen and an account.
 */

let five: FiveVendors;
beforeAll(async () => {
  five = await startFiveVendors();
});
afterAll(() => five[Symbol.asyncDispose]());

const PLACE = { type: "object", properties: { place: { type: "string" } }, required: ["place"] };
const BODY = {
  stream: true,
  stream_options: { include_usage: true },
  store: false,
  include: ["reasoning.encrypted_content"],
  reasoning: { effort: "medium", summary: "auto" },
  text: { verbosity: "low" },
  truncation: "disabled",
  tool_choice: "auto",
  tools: [
    { type: "function", name: "Shell", description: "Runs a command.", parameters: PLACE, strict: false },
    {
      type: "custom",
      name: "ApplyPatch",
      description: "Edits files.",
      format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
    },
  ],
};

/** The text and the calls of a streamed answer, put together as a reader of chat completions does. */
async function ask(model: string, input: readonly object[]) {
  const answer = await fetch(`${five.gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${five.key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...BODY, model, input }),
  });
  const whole = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status} ${whole}`);
  const events = whole.trimEnd().split("\n\n");
  expect(events.at(-1)).toBe("data: [DONE]");
  const chunks = events.slice(0, -1).map((event): OpenAI.ChatCompletionChunk => JSON.parse(event.slice(6)));
  expect(new Set(chunks.map(({ object }) => object))).toEqual(new Set(["chat.completion.chunk"]));
  const choices = chunks.flatMap((chunk) => chunk.choices);
  const calls = choices.flatMap(({ delta }) => delta.tool_calls ?? []);
  return {
    text: choices.map(({ delta }) => delta.content ?? "").join(""),
    call_id: calls.find(({ id }) => id !== undefined)?.id ?? "",
    name: calls.find((call) => call.function?.name !== undefined)?.function?.name ?? "",
    arguments: calls.map((call) => call.function?.arguments ?? "").join(""),
    ended: choices.findLast(({ finish_reason }) => finish_reason !== null)?.finish_reason,
    usage: chunks.at(-1)?.usage,
  };
}

describe.each([...PROTOCOLS])("Cursor's agent on %s", (vendor) => {
  test("calls a tool, hears of its result, and answers", async () => {
    const question = { role: "user", content: [{ type: "input_text", text: "Go on until it is done." }] };
    const first = await ask(`${vendor}/tools`, [{ role: "system", content: "Be brief." }, question]);
    expect(first).toMatchObject({ name: "Shell", ended: "tool_calls" });
    expect(JSON.parse(first.arguments)).toBeObject();
    expect(first.usage?.total_tokens).toBeGreaterThan(0);
    const second = await ask(`${vendor}/tools`, [
      question,
      { type: "function_call", call_id: first.call_id, name: first.name, arguments: first.arguments },
      { type: "function_call_output", call_id: first.call_id, output: "all of it done" },
    ]);
    expect(second).toMatchObject({ text: "Simulated answer from tool results: all of it done", ended: "stop" });
  });
});
