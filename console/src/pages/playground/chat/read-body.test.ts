import { describe, expect, test } from "bun:test";
import { readBody } from "./read-body.ts";
import type { Turn } from "./turns.ts";

const OF = { model: "acme/swift", endpoint: "chat.completions" };
const said = (turns: readonly Turn[]) =>
  turns.map((turn) =>
    turn.role === "assistant" ? `a: ${turn.run.answer.text}` : turn.role === "user" ? `u: ${turn.text}` : "t",
  );

describe("a body that went to a vendor", () => {
  test.each<[string, object]>([
    [
      "of chat completions",
      {
        messages: [
          { role: "developer", content: "Be brief." },
          { role: "user", content: [{ type: "text", text: "One?" }] },
          { role: "assistant", content: "One." },
          { role: "user", content: "Two?" },
        ],
        ...{ model: "swift-upstream", max_completion_tokens: 50, temperature: 0.5, stop: ["A", "B"] },
      },
    ],
    [
      "of messages",
      {
        system: [{ type: "text", text: "Be brief." }],
        messages: [
          { role: "user", content: "One?" },
          { role: "assistant", content: [{ type: "text", text: "One." }] },
          { role: "user", content: [{ type: "text", text: "Two?" }] },
        ],
        ...{ max_tokens: 50, temperature: 0.5, stop_sequences: ["A", "B"] },
      },
    ],
    [
      "of responses",
      {
        instructions: "Be brief.",
        input: [
          { role: "user", content: "One?" },
          { type: "message", role: "assistant", content: [{ type: "output_text", text: "One." }] },
          { role: "user", content: [{ type: "input_text", text: "Two?" }] },
        ],
        ...{ max_output_tokens: 50, temperature: 0.5, stop: ["A", "B"] },
      },
    ],
    [
      "of Gemini",
      {
        systemInstruction: { parts: [{ text: "Be brief." }] },
        contents: [
          { role: "user", parts: [{ text: "One?" }] },
          { role: "model", parts: [{ text: "One." }] },
          { parts: [{ text: "Two?" }] },
        ],
        generationConfig: { maxOutputTokens: 50, temperature: 0.5, stopSequences: ["A", "B"] },
      },
    ],
    [
      "of Bedrock Converse",
      {
        system: [{ text: "Be brief." }],
        messages: [
          { role: "user", content: [{ text: "One?" }] },
          { role: "assistant", content: [{ text: "One." }] },
          { role: "user", content: [{ text: "Two?" }] },
        ],
        inferenceConfig: { maxTokens: 50, temperature: 0.5, stopSequences: ["A", "B"] },
      },
    ],
  ])("%s is a conversation and a form", (_, body) => {
    const read = readBody(JSON.stringify(body), OF);
    expect(read?.content).toEqual({
      ...{ model: "acme/swift", style: "chat", message: "Two?", system: "Be brief." },
      ...{ max_tokens: "50", temperature: "0.5", stop: "A\nB" },
    });
    expect(said(read?.turns ?? [])).toEqual(["u: One?", "a: One."]);
    expect(read?.is_partial).toBe(false);
  });

  test("with pictures and tools says that they are not taken along", () => {
    const picture = { type: "image_url", image_url: { url: "data:…" } };
    const of = (messages: object[], more: object = {}) => readBody(JSON.stringify({ messages, ...more }), OF);
    expect(of([{ role: "user", content: [{ type: "text", text: "This?" }, picture] }])).toMatchObject({
      content: { message: "This?" },
      is_partial: true,
    });
    expect(
      of([
        { role: "user", content: "x" },
        { role: "tool", content: "y" },
      ])?.is_partial,
    ).toBe(true);
    expect(of([{ role: "user", content: "x" }], { tools: [] })?.is_partial).toBe(true);
  });

  test("of responses may be a single text", () => {
    const read = readBody(JSON.stringify({ input: "Hello" }), { ...OF, endpoint: "responses" });
    expect(read).toMatchObject({ content: { style: "responses", message: "Hello" }, turns: [], is_partial: false });
  });

  test.each([
    ["no JSON", "<html>", OF.endpoint],
    ["no conversation", '{"input":["a"]}', "embeddings"],
    ["nothing said", '{"messages":[]}', OF.endpoint],
  ])("that is %s is not for the playground", (_, text, endpoint) => {
    expect(readBody(text, { ...OF, endpoint })).toBeNull();
  });
});
