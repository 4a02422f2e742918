import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { countTokens } from "../../../simulator/tokens.ts";

const WEATHER = {
  type: "function",
  name: "weather",
  strict: true,
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
} as const;

let simulator: Simulator;
let openai: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  openai = new OpenAI({ apiKey: "test", baseURL: simulator.base_url, maxRetries: 0 });
});
afterAll(() => simulator.stop());

describe("the official OpenAI client on responses", () => {
  test("gets an answer that says it is simulated, with usage by the documented count", async () => {
    const response = await openai.responses.create({ model: "echo", instructions: "Be kind.", input: "Good morning" });
    expect(response).toMatchObject({
      status: "completed",
      model: "echo",
      output_text: "Simulated answer: Good morning",
      instructions: "Be kind.",
      error: null,
      incomplete_details: null,
    });
    const input_tokens = countTokens("Be kind.Good morning");
    const output_tokens = countTokens("Simulated answer: Good morning");
    expect(response.usage).toMatchObject({ input_tokens, output_tokens, total_tokens: input_tokens + output_tokens });
  });

  test("streams the whole life cycle: numbered without gaps, with ids fixed when an item is added", async () => {
    const stream = openai.responses.stream({
      model: "everything",
      input: "Go",
      tools: [WEATHER, { type: "custom", name: "shell" }],
    });
    const events = await Array.fromAsync(stream);
    const types: string[] = events.map(({ type }) => type);
    const raw = types.filter((type, index, all) => type !== all[index - 1]);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    expect(raw).toEqual(LIFE_CYCLE);
    const final = await stream.finalResponse();
    expect(final.output.map(({ type }) => type)).toEqual(["reasoning", "message", "function_call", "custom_tool_call"]);
    const added = events.flatMap((event) => (event.type === "response.output_item.added" ? [event.item.id] : []));
    expect(final.output.map(({ id }) => id)).toEqual(added);
    expect(final.output_text).toBe("Simulated answer: Go");
    expect(final.usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
  });

  test("gets its tools called, and answers with their results", async () => {
    const first = await openai.responses.create({ model: "tools", input: "Weather?", tools: [WEATHER] });
    const call = first.output[0];
    if (call?.type !== "function_call") throw new Error("no call was made");
    expect(call).toMatchObject({ name: "weather", arguments: '{"city":"simulated"}', status: "completed" });
    const second = await openai.responses.create({
      model: "tools",
      tools: [WEATHER],
      input: [
        { role: "user", content: "Weather?" },
        call,
        { type: "function_call_output", call_id: call.call_id, output: "sunny" },
      ],
    });
    expect(second.output_text).toBe("Simulated answer from tool results: sunny");
  });

  test("may narrow, force and forbid tools", async () => {
    const tools = [WEATHER, { ...WEATHER, name: "time" }];
    const request = { model: "tools", input: "Go", tools };
    const called = async (more: Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming>) =>
      (await openai.responses.create({ ...request, ...more })).output.flatMap((item) =>
        item.type === "function_call" ? [item.name] : [],
      );
    expect(await called({})).toEqual(["weather", "time"]);
    expect(await called({ parallel_tool_calls: false })).toEqual(["weather"]);
    expect(await called({ tool_choice: { type: "function", name: "time" } })).toEqual(["time"]);
    expect(await called({ tool_choice: "none" })).toEqual([]);
    const only = { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "time" }] } as const;
    expect(await called({ tool_choice: { ...only, tools: [...only.tools] } })).toEqual(["time"]);
  });

  test("gets sealed reasoning where it asks for it, and must send it back unchanged", async () => {
    const request = { model: "reason", include: ["reasoning.encrypted_content" as const], store: false };
    const { output } = await openai.responses.create({ ...request, input: "Think" });
    const reasoning = output[0];
    if (reasoning?.type !== "reasoning") throw new Error("no reasoning was sent");
    expect(reasoning.summary[0]?.text).toStartWith("Simulated thought 1.");
    const again = (encrypted_content: string) =>
      openai.responses.create({
        ...request,
        input: [
          { role: "user", content: "Think" },
          { ...reasoning, encrypted_content },
          { role: "assistant", content: "Thought." },
          { role: "user", content: "Again" },
        ],
      });
    expect((await again(reasoning.encrypted_content ?? "")).status).toBe("completed");
    expect(await again("bm90IG91cnM=").catch((error: unknown) => error)).toMatchObject({ status: 400 });
    const plain = await openai.responses.create({ model: "reason", input: "Think" });
    expect(plain.output[0]).not.toHaveProperty("encrypted_content");
    const off = await openai.responses.create({ model: "reason", input: "Think", reasoning: { effort: "none" } });
    expect(off.output.map(({ type }) => type)).toEqual(["message"]);
  });

  test("may send back a vendor's searches, and add tools, but no items of unknown types", async () => {
    const ask = (type: string) =>
      openai.responses.create({
        model: "echo",
        input: [{ role: "user", content: "Go" }, { type, id: "ws_1", status: "completed" } as never],
      });
    for (const type of ["web_search_call", "additional_tools"]) {
      expect((await ask(type)).output_text).toBe("Simulated answer: Go");
    }
    expect(await ask("telepathy_call").catch((error: unknown) => error)).toMatchObject({ status: 400 });
  });

  test("has its images counted", async () => {
    const response = await openai.responses.create({
      model: "vision",
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "What is it?" },
            { type: "input_image", detail: "auto", image_url: "data:image/gif;base64,R0lGODlhAQABAAAAACw=" },
          ],
        },
      ],
    });
    expect(response.output_text).toBe("Simulated answer: 1 image: image/gif of 14 bytes");
  });

  test("parses structured output that satisfies its schema", async () => {
    const response = await openai.responses.parse({
      model: "json",
      input: "As JSON",
      text: { format: { type: "json_schema", name: "thing", strict: true, schema: { ...WEATHER.parameters } } },
    });
    expect(JSON.parse(response.output_text)).toEqual({ city: "simulated" });
  });

  test("ends incomplete at the output cap, and where a filter strikes", async () => {
    const events = await Array.fromAsync(
      await openai.responses.create({ model: "long", input: "Write", max_output_tokens: 20, stream: true }),
    );
    const last = events.at(-1);
    if (last?.type !== "response.incomplete") throw new Error(`the stream ended with ${last?.type}`);
    expect(last.response.incomplete_details).toEqual({ reason: "max_output_tokens" });
    expect(last.response.usage?.output_tokens).toBe(20);
    expect(last.response.output[0]).toMatchObject({ status: "incomplete" });
    const filtered = await openai.responses.create({ model: "filter", input: "Go" });
    expect(filtered.incomplete_details).toEqual({ reason: "content_filter" });
  });

  test("is refused in the public form", async () => {
    const { output } = await openai.responses.stream({ model: "refuse", input: "Go" }).finalResponse();
    const content = [{ type: "refusal", refusal: "Simulated refusal: I cannot help with that." }];
    expect(output).toMatchObject([{ type: "message", content }]);
  });

  test("gets a failure in both public forms", async () => {
    const last = async (model: string) => {
      const stream = await openai.responses.create({ model, input: "one two three four", stream: true });
      return Array.fromAsync(stream).catch((error: unknown) => error);
    };
    expect(await last("error-first")).toMatchObject({ message: expect.stringContaining("Simulated failure") });
    const events = await last("error-mid");
    expect(Array.isArray(events) ? events.at(-1) : events).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { code: "server_error" } },
    });
  });
});

const LIFE_CYCLE: string[] = [
  "response.created",
  "response.in_progress",
  "response.output_item.added",
  "response.reasoning_summary_part.added",
  "response.reasoning_summary_text.delta",
  "response.reasoning_summary_text.done",
  "response.reasoning_summary_part.done",
  "response.output_item.done",
  "response.output_item.added",
  "response.content_part.added",
  "response.output_text.delta",
  "response.output_text.done",
  "response.content_part.done",
  "response.output_item.done",
  "response.output_item.added",
  "response.function_call_arguments.delta",
  "response.function_call_arguments.done",
  "response.output_item.done",
  "response.output_item.added",
  "response.custom_tool_call_input.delta",
  "response.custom_tool_call_input.done",
  "response.output_item.done",
  "response.completed",
];
