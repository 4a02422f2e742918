import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { UNICODE_TEXT } from "../../../simulator/contents/index.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { countTokens } from "../../../simulator/tokens.ts";

const WEATHER = {
  type: "function",
  function: {
    name: "weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer", minimum: 3 } },
      required: ["city", "days"],
    },
  },
} as const;
const TIME = { type: "function", function: { name: "time", parameters: { type: "object", properties: {} } } } as const;
const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let simulator: Simulator;
let openai: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  openai = new OpenAI({ apiKey: "test", baseURL: simulator.base_url, maxRetries: 0 });
});
afterAll(() => simulator.stop());

function user(content: string): OpenAI.ChatCompletionUserMessageParam[] {
  return [{ role: "user", content }];
}

describe("the official OpenAI client on chat completions", () => {
  test("gets an answer that says it is simulated, with usage by the documented count", async () => {
    const { data, response } = await openai.chat.completions
      .create({ model: "echo", messages: user("Good morning, vendor") })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe("Simulated answer: Good morning, vendor");
    expect(data.choices[0]?.finish_reason).toBe("stop");
    expect(data.model).toBe("echo");
    expect(response.headers.get("x-camino-simulated")).toBe("true");
    expect(data.usage).toMatchObject({
      prompt_tokens: countTokens("Good morning, vendor"),
      completion_tokens: countTokens("Simulated answer: Good morning, vendor"),
      total_tokens: countTokens("Good morning, vendor") + countTokens("Simulated answer: Good morning, vendor"),
    });
  });

  test("streams the same answer, with a usage chunk where it asked for one", async () => {
    const stream = openai.chat.completions.stream({
      model: "echo",
      messages: user("Good morning"),
      stream_options: { include_usage: true },
    });
    const completion = await stream.finalChatCompletion();
    expect(completion.choices[0]?.message.content).toBe("Simulated answer: Good morning");
    expect(completion.usage?.completion_tokens).toBe(countTokens("Simulated answer: Good morning"));
  });

  test("streams no usage where the client did not ask for it", async () => {
    const stream = await openai.chat.completions.create({ model: "echo", messages: user("Hi"), stream: true });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.every((chunk) => !("usage" in chunk))).toBe(true);
    expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
    expect(chunks.at(-1)?.choices[0]).toMatchObject({ delta: {}, finish_reason: "stop" });
  });

  test("runs tools in a loop until the answer has their results", async () => {
    const asked: string[] = [];
    const runner = openai.chat.completions.runTools({
      model: "tools",
      messages: user("What is the weather?"),
      stream: true,
      tools: [
        {
          type: "function",
          function: {
            name: "weather",
            parameters: { ...WEATHER.function.parameters, required: ["city", "days"] },
            description: "The weather",
            function: (given: string) => {
              asked.push(given);
              return "sunny";
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe("Simulated answer from tool results: sunny");
    expect(asked).toEqual(['{"city":"simulated","days":3}']);
  });

  test("gets one call for each of several tools, unless parallel calls are turned off", async () => {
    const request = { model: "tools", messages: user("Go"), tools: [WEATHER, TIME] };
    const both = await openai.chat.completions.create(request);
    expect(both.choices[0]?.finish_reason).toBe("tool_calls");
    expect(both.choices[0]?.message.content).toBeNull();
    expect(names(both)).toEqual(["weather", "time"]);
    expect(names(await openai.chat.completions.create({ ...request, parallel_tool_calls: false }))).toEqual([
      "weather",
    ]);
    const twice = { ...request, tools: [WEATHER], messages: user("Two calls in parallel, please") };
    expect(names(await openai.chat.completions.create(twice))).toEqual(["weather", "weather"]);
  });

  test("has its tool choice honoured", async () => {
    const request = { model: "tools", messages: user("Go"), tools: [WEATHER, TIME] };
    const forced = { type: "function", function: { name: "time" } } as const;
    expect(names(await openai.chat.completions.create({ ...request, tool_choice: forced }))).toEqual(["time"]);
    const none = await openai.chat.completions.create({ ...request, tool_choice: "none" });
    expect(none.choices[0]?.message).toMatchObject({ content: "Simulated answer: Go" });
    expect(none.choices[0]?.message.tool_calls).toBeUndefined();
    const named = await openai.chat.completions.create({ ...request, messages: user("Use time now") });
    expect(names(named)).toEqual(["time"]);
  });

  test("gets custom tools called with text", async () => {
    const tools = [{ type: "custom", custom: { name: "shell" } }] as const;
    const completion = await openai.chat.completions.create({
      model: "tools",
      messages: user("Go"),
      tools: [...tools],
    });
    const call = completion.choices[0]?.message.tool_calls?.[0];
    expect(call).toMatchObject({ type: "custom", custom: { name: "shell", input: "simulated input" } });
  });

  test("reads reasoning text, in the dialect that the name chooses, and its tokens", async () => {
    const request = { messages: user("Think"), reasoning_effort: "low" } as const;
    const { choices, usage } = await openai.chat.completions.create({ ...request, model: "reason" });
    const thought = "Simulated thought 1. Simulated thought 2.";
    expect(choices[0]?.message).toMatchObject({ reasoning_content: thought, content: "Simulated answer: Think" });
    expect(usage?.completion_tokens_details?.reasoning_tokens).toBe(countTokens(thought));
    expect(usage?.completion_tokens).toBe(countTokens(thought) + countTokens("Simulated answer: Think"));
    const other = await openai.chat.completions.create({ ...request, model: "reason@dialect=reasoning" });
    expect(other.choices[0]?.message).toMatchObject({ reasoning: thought });
    const off = await openai.chat.completions.create({ ...request, model: "reason", reasoning_effort: "none" });
    expect(off.usage?.completion_tokens_details?.reasoning_tokens).toBe(0);
  });

  test("has its images counted, typed and measured", async () => {
    const content = [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: PIXEL } },
      { type: "image_url", image_url: { url: "https://example.com/cat.jpg" } },
    ] as const;
    const completion = await openai.chat.completions.create({
      model: "vision",
      messages: [{ role: "user", content: [...content] }],
    });
    const bytes = Buffer.from(PIXEL.split(",")[1] ?? "", "base64").length;
    expect(completion.choices[0]?.message.content).toBe(
      `Simulated answer: 2 images: image/png of ${bytes} bytes, https://example.com/cat.jpg`,
    );
  });

  test("parses structured output that satisfies its schema", async () => {
    const schema = {
      type: "object",
      properties: { name: { type: "string" }, tags: { type: "array", items: { enum: ["a", "b"] } } },
      required: ["name", "tags"],
      additionalProperties: false,
    };
    const completion = await openai.chat.completions.parse({
      model: "json",
      messages: user("As JSON"),
      response_format: { type: "json_schema", json_schema: { name: "thing", strict: true, schema } },
    });
    expect(JSON.parse(completion.choices[0]?.message.content ?? "")).toEqual({ name: "simulated", tags: ["a"] });
    const any = await openai.chat.completions.create({
      model: "json",
      messages: user("As JSON"),
      response_format: { type: "json_object" },
    });
    expect(JSON.parse(any.choices[0]?.message.content ?? "")).toEqual({ simulated: true, answer: "As JSON" });
  });

  test("gets exactly as many tokens as the output cap", async () => {
    const completion = await openai.chat.completions.create({
      model: "long",
      messages: user("Write"),
      max_completion_tokens: 37,
    });
    expect(completion.usage?.completion_tokens).toBe(37);
    expect(completion.choices[0]?.message.content).toHaveLength(37 * 4);
    expect(completion.choices[0]?.finish_reason).toBe("length");
  });

  test("gets no text from its stop sequence on", async () => {
    const completion = await openai.chat.completions.create({ model: "stop", messages: user("Go"), stop: ["END"] });
    expect(completion.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { content: "Simulated answer: before" },
    });
  });

  test("is refused and filtered in the public forms", async () => {
    const refused = await openai.chat.completions.create({ model: "refuse", messages: user("Go") });
    expect(refused.choices[0]?.message).toMatchObject({
      content: null,
      refusal: "Simulated refusal: I cannot help with that.",
    });
    const filtered = await openai.chat.completions
      .stream({ model: "filter", messages: user("Go") })
      .finalChatCompletion();
    expect(filtered.choices[0]?.finish_reason).toBe("content_filter");
  });

  test("gets as many choices as it asked for, each counted", async () => {
    const request = { model: "echo", messages: user("Hi"), n: 3 };
    const whole = await openai.chat.completions.create(request);
    expect(whole.choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(whole.usage?.completion_tokens).toBe(3 * countTokens("Simulated answer: Hi"));
    const streamed = await openai.chat.completions.stream(request).finalChatCompletion();
    expect(streamed.choices.map(({ message }) => message.content)).toEqual(Array(3).fill("Simulated answer: Hi"));
  });

  test("gets log probabilities where it asks for them, streamed or not", async () => {
    const request = { model: "echo", messages: user("Hi"), logprobs: true, top_logprobs: 1 };
    const whole = await openai.chat.completions.create(request);
    const streamed = await openai.chat.completions.stream(request).finalChatCompletion();
    const tokens = whole.choices[0]?.logprobs?.content?.map(({ token }) => token) ?? [];
    expect(tokens.join("")).toBe("Simulated answer: Hi");
    expect(whole.choices[0]?.logprobs?.content?.[0]?.top_logprobs).toHaveLength(1);
    expect(streamed.choices[0]?.logprobs?.content).toEqual(whole.choices[0]?.logprobs?.content ?? null);
  });

  test("streams difficult characters unbroken", async () => {
    const stream = openai.chat.completions.stream({ model: "unicode", messages: user("Go") });
    expect(await stream.finalContent()).toBe(UNICODE_TEXT);
  });

  test("gets the vendor's own error for a wrong request", async () => {
    const stray = { role: "tool", tool_call_id: "call_unknown", content: "x" } as const;
    const attempt = openai.chat.completions.create({ model: "echo", messages: [...user("Hi"), stray] });
    expect(await attempt.catch((error: unknown) => error)).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      param: "messages[1].tool_call_id",
    });
  });
});

function names({ choices }: OpenAI.ChatCompletion): string[] {
  const calls = choices[0]?.message.tool_calls ?? [];
  return calls.map((call) => (call.type === "function" ? call.function.name : call.custom.name));
}
