import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { type APIError, ContentFilterFinishReasonError, LengthFinishReasonError } from "openai/error";
import { ResponsesToolRunner } from "openai/helpers/responses-tool-runner";
import type { RunnableToolFunctionWithParse } from "openai/lib/RunnableFunction";
import type { TestKey } from "../../support/gateway.ts";
import { endedReceipt, type Receipt } from "../../support/receipts.ts";
import { type SimulatedGateway, startSimulatedGateway, THINKING, VISION } from "../../support/simulated-gateway.ts";

/** The official OpenAI client, unmodified, against a running gateway: the features that its users rely on work. */

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const ADDRESS = "https://pictures.example/cat.png";
const WEATHER_SCHEMA = {
  type: "object" as const,
  properties: { city: { type: "string" as const, enum: ["Paris"] } },
  required: ["city"],
  additionalProperties: false,
};
const CITY_SCHEMA = {
  type: "object",
  properties: { name: { type: "string" }, population: { type: "integer" } },
  required: ["name", "population"],
  additionalProperties: false,
} as const;

let simulated: SimulatedGateway;
let key: TestKey;
let openai: OpenAI;

beforeAll(async () => {
  simulated = await startSimulatedGateway({
    models: {
      "acme/echo": { created: "2026-09-01", context_length: 100_000, max_completion_tokens: 8000 },
      "acme/tools": {},
      "acme/vision": VISION,
      "acme/json": {},
      "acme/filter": {},
      "acme/long": {},
      "acme/reason": THINKING,
      "acme/slow": { upstream_model: "slow@ms=20" },
      "acme/cached": {},
      "acme/fail-400": {},
      "acme/fail-401": {},
      "acme/fail-429": {},
      "acme/fail-500": {},
      "acme/fail-503": {},
      "acme/error-mid": {},
      "acme/cut-mid": {},
      "acme/fails-twice": { upstream_model: "fail-first@n=2" },
      "acme/fails-twice-b": { upstream_model: "fail-first@n=2&status=500" },
      "away/gone": {},
    },
  });
  key = await simulated.gateway.newKey({
    aliases: [{ name: "fast", model: "acme/echo" }],
    prefix_aliases: [{ prefix: "gpt-", model: "acme/echo" }],
  });
  openai = clientFor(key.key);
});

afterAll(async () => {
  await simulated[Symbol.asyncDispose]();
});

function clientFor(apiKey: string, options: { maxRetries?: number; onRequest?: () => void } = {}): OpenAI {
  const { maxRetries = 0, onRequest } = options;
  return new OpenAI({
    apiKey,
    baseURL: `${simulated.gateway.url}/v1`,
    maxRetries,
    // Counts the client's requests.
    ...(onRequest === undefined
      ? {}
      : {
          fetch: (url, init) => {
            onRequest();
            return fetch(url, init);
          },
        }),
  });
}

const user = (content: string) => [{ role: "user", content } as const];
const vendorSaw = () => simulated.simulator.log.last?.body as Record<string, unknown>;

describe("chat completions", () => {
  test("are created, with usage and a request id whose receipt agrees", async () => {
    const completion = await openai.chat.completions.create({ model: "acme/echo", messages: user("Hello!") });
    expect(completion).toMatchObject({
      object: "chat.completion",
      model: "acme/echo",
      choices: [
        { index: 0, finish_reason: "stop", message: { role: "assistant", content: "Simulated answer: Hello!" } },
      ],
      usage: { prompt_tokens: 2, completion_tokens: 6, total_tokens: 8 },
    });
    const receipt = await openai.get<Receipt>(`/requests/${completion._request_id}`);
    expect(receipt).toMatchObject({
      id: completion._request_id,
      status: "settled",
      usage: { input_tokens: 2, output_tokens: 6 },
    });
  });

  test("stream: the raw chunks, the role first, the reason last, no usage unless requested", async () => {
    const stream = await openai.chat.completions.create({ model: "fast", messages: user("one two"), stream: true });
    const chunks = await Array.fromAsync(stream);
    expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe("Simulated answer: one two");
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
    expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set(["acme/echo"]));
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks.filter((chunk) => "usage" in chunk)).toEqual([]);
  });

  test("stream: the usage comes in a chunk of its own where it is requested", async () => {
    const stream = await openai.chat.completions.create({
      model: "acme/cached",
      messages: user("A prompt of forty bytes, all told, is it"),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 15,
        total_tokens: 25,
        prompt_tokens_details: { cached_tokens: 5 },
      },
    });
  });

  test("the stream helper has the deltas, the whole content and the final completion", async () => {
    const stream = openai.chat.completions.stream({ model: "acme/echo", messages: user("Say it.") });
    const deltas: string[] = [];
    let done = "";
    stream.on("content.delta", ({ delta }) => deltas.push(delta));
    stream.on("content.done", ({ content }) => {
      done = content;
    });
    const completion = await stream.finalChatCompletion();
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join("")).toBe("Simulated answer: Say it.");
    expect(done).toBe("Simulated answer: Say it.");
    expect(completion.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: done } });
  });

  const weather = {
    type: "function",
    function: { name: "weather", description: "The weather", parameters: WEATHER_SCHEMA, strict: true },
  } as const;

  test("call tools and take their results", async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = user("How is it in Paris?");
    const asked = await openai.chat.completions.create({ model: "acme/tools", messages, tools: [weather] });
    const [choice] = asked.choices;
    expect(choice).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: null,
        tool_calls: [{ type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } }],
      },
    });
    if (choice === undefined) throw new Error("there is no choice");
    messages.push(choice.message, {
      role: "tool",
      tool_call_id: choice.message.tool_calls?.[0]?.id ?? "",
      content: "sunny",
    });
    const answered = await openai.chat.completions.create({ model: "acme/tools", messages, tools: [weather] });
    expect(answered.choices[0]?.message.content).toBe("Simulated answer from tool results: sunny");
  });

  test("stream tool calls: each has its index, and its id and name once", async () => {
    const forecast = { ...weather, function: { ...weather.function, name: "forecast" } };
    const stream = await openai.chat.completions.create({
      model: "acme/tools",
      messages: user("Both?"),
      tools: [weather, forecast],
      stream: true,
    });
    const deltas = (await Array.fromAsync(stream)).flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
    for (const [index, name] of ["weather", "forecast"].entries()) {
      const own = deltas.filter((delta) => delta.index === index);
      expect(own[0]).toMatchObject({ type: "function", function: { name } });
      expect(own.filter(({ id }) => id !== undefined)).toHaveLength(1);
      expect(own.map((delta) => delta.function?.arguments ?? "").join("")).toBe('{"city":"Paris"}');
    }
  });

  test.each([false, true])("runTools calls the function and ends with the answer (stream: %p)", async (stream) => {
    const seen: unknown[] = [];
    const weather: RunnableToolFunctionWithParse<{ city: string }> = {
      type: "function",
      function: {
        name: "weather",
        description: "The weather",
        parameters: WEATHER_SCHEMA,
        parse: JSON.parse,
        function: (args) => {
          seen.push(args);
          return "rain";
        },
      },
    };
    const body = { model: "acme/tools", messages: user("How is it?"), tools: [weather] };
    const runner = stream
      ? openai.chat.completions.runTools({ ...body, stream: true })
      : openai.chat.completions.runTools(body);
    expect(await runner.finalContent()).toBe("Simulated answer from tool results: rain");
    expect(seen).toEqual([{ city: "Paris" }]);
  });

  test.each([
    ["a data URL", PIXEL, "1 image: image/png of 70 bytes"],
    ["a URL", ADDRESS, `1 image: ${ADDRESS}`],
  ])("take images by %s, which reaches the vendor as it is", async (_how, url, described) => {
    const content: OpenAI.ChatCompletionContentPart[] = [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url, detail: "low" } },
    ];
    const messages = [{ role: "user" as const, content }];
    const completion = await openai.chat.completions.create({ model: "acme/vision", messages });
    expect(completion.choices[0]?.message.content).toBe(`Simulated answer: ${described}`);
    expect(vendorSaw().messages).toEqual(messages);
  });

  test("parse structured output, whole and streamed", async () => {
    const body = {
      model: "acme/json",
      messages: user("A city, please."),
      response_format: { type: "json_schema", json_schema: { name: "city", schema: CITY_SCHEMA, strict: true } },
    } as const;
    const parsed = await openai.chat.completions.parse({ ...body, messages: [...body.messages] });
    expect(parsed.choices[0]?.message.parsed).toEqual({ name: expect.any(String), population: expect.any(Number) });
    const streamed = await openai.chat.completions
      .stream({ ...body, messages: [...body.messages] })
      .finalChatCompletion();
    expect(streamed.choices[0]?.message.parsed).toEqual(parsed.choices[0]?.message.parsed);
  });

  test("raise the client's own errors where structured output was cut or filtered", async () => {
    const response_format = { type: "json_schema", json_schema: { name: "x", schema: CITY_SCHEMA } } as const;
    const cut = openai.chat.completions.parse({
      model: "acme/long",
      messages: user("On and on"),
      max_completion_tokens: 5,
      response_format,
    });
    expect(await cut.catch((error: unknown) => error)).toBeInstanceOf(LengthFinishReasonError);
    const filtered = openai.chat.completions.parse({ model: "acme/filter", messages: user("Hm"), response_format });
    expect(await filtered.catch((error: unknown) => error)).toBeInstanceOf(ContentFilterFinishReasonError);
  });

  test("reason with the requested effort, and report the tokens of reasoning", async () => {
    const ask = async (reasoning_effort: "none" | "low" | "high") => {
      const { usage } = await openai.chat.completions.create({
        model: "acme/reason",
        messages: user("Think."),
        reasoning_effort,
      });
      return usage?.completion_tokens_details?.reasoning_tokens ?? 0;
    };
    expect(await ask("none")).toBe(0);
    const low = await ask("low");
    expect(low).toBeGreaterThan(0);
    expect(await ask("high")).toBeGreaterThan(low);
  });

  test("a reader that leaves ends the vendor's work, and is charged for the delivered part", async () => {
    const call = openai.chat.completions.create({
      model: "acme/slow",
      messages: user("word ".repeat(200)),
      stream: true,
    });
    const { data: stream, request_id } = await call.withResponse();
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    expect(await simulated.simulator.log.last?.ended).toMatchObject({ aborted: true, finished: false });
    const receipt = await endedReceipt(simulated.gateway, key.key, request_id ?? "");
    expect(receipt).toMatchObject({ status: "settled", estimated: true });
    expect(receipt.charge_micro).toBeGreaterThan(0);
    expect(receipt.usage?.output_tokens).toBeLessThan(100);
  });
});

describe("responses", () => {
  test("are created, with output text, usage and a request id", async () => {
    const response = await openai.responses.create({ model: "acme/echo", input: "Hello!", instructions: "Be brief." });
    expect(response).toMatchObject({
      object: "response",
      status: "completed",
      model: "acme/echo",
      output: [{ type: "message", role: "assistant", status: "completed" }],
      usage: {
        output_tokens: 6,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
      },
    });
    expect(response.output_text).toBe("Simulated answer: Hello!");
    expect(response._request_id).toMatch(/^req_/);
  });

  test("stream every event: numbered without gaps, one end, stable ids", async () => {
    const stream = await openai.responses.create({ model: "gpt-anything", input: "Hi there", stream: true });
    const events = await Array.fromAsync(stream);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 4)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
    ]);
    expect(types.slice(-4)).toEqual([
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    const text = events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("");
    expect(text).toBe("Simulated answer: Hi there");
    const ids = events.flatMap((event) =>
      "item_id" in event ? [event.item_id] : "item" in event ? [event.item.id] : [],
    );
    expect(new Set(ids).size).toBe(1);
  });

  test("the stream helper has the events and the final response", async () => {
    const stream = openai.responses.stream({ model: "acme/echo", input: "Say it." });
    const snapshots: string[] = [];
    stream.on("response.output_text.delta", ({ snapshot }) => snapshots.push(snapshot));
    const final = await stream.finalResponse();
    expect(final.output_text).toBe("Simulated answer: Say it.");
    expect(snapshots.at(-1)).toBe(final.output_text);
    expect(final.usage?.total_tokens).toBeGreaterThan(0);
  });

  const weather = {
    type: "function",
    name: "weather",
    description: "The weather",
    parameters: WEATHER_SCHEMA,
    strict: true,
  } as const;

  test("call functions and take their outputs", async () => {
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "How is it in Paris?" }];
    const asked = await openai.responses.create({ model: "acme/tools", input, tools: [weather] });
    const call = asked.output.find((item) => item.type === "function_call");
    expect(call).toMatchObject({ name: "weather", arguments: '{"city":"Paris"}', status: "completed" });
    if (call === undefined) throw new Error("no function was called");
    input.push(call, { type: "function_call_output", call_id: call.call_id, output: "sunny" });
    const answered = await openai.responses.create({ model: "acme/tools", input, tools: [weather] });
    expect(answered.output_text).toBe("Simulated answer from tool results: sunny");
  });

  test("stream function calls: arguments in pieces, then whole", async () => {
    const stream = await openai.responses.create({
      model: "acme/tools",
      input: "How is it?",
      tools: [weather],
      stream: true,
    });
    let pieces = "";
    let whole = "";
    for await (const event of stream) {
      if (event.type === "response.function_call_arguments.delta") pieces += event.delta;
      if (event.type === "response.function_call_arguments.done") whole = event.arguments;
    }
    expect(pieces).toBe('{"city":"Paris"}');
    expect(whole).toBe(pieces);
  });

  test.each([false, true])("the tool runner runs to the answer (stream: %p)", async (stream) => {
    const seen: unknown[] = [];
    const runner = new ResponsesToolRunner({
      functions: [
        {
          tool: weather,
          execute: (args) => {
            seen.push(args);
            return "rain";
          },
        },
      ],
    });
    const final = await runner.run(openai, { model: "acme/tools", input: "How is it?" }, { stream });
    expect(final.output_text).toBe("Simulated answer from tool results: rain");
    expect(seen).toEqual([{ city: "Paris" }]);
  });

  test.each([
    ["a data URL", PIXEL, "1 image: image/png of 70 bytes"],
    ["a URL", ADDRESS, `1 image: ${ADDRESS}`],
  ])("take images by %s", async (_how, image_url, described) => {
    const content = [
      { type: "input_text", text: "What is this?" },
      { type: "input_image", image_url, detail: "auto" },
    ] as const;
    const response = await openai.responses.create({
      model: "acme/vision",
      input: [{ role: "user", content: [...content] }],
    });
    expect(response.output_text).toBe(`Simulated answer: ${described}`);
  });

  test("parse structured output", async () => {
    const format = { type: "json_schema", name: "city", schema: CITY_SCHEMA, strict: true } as const;
    const parsed = await openai.responses.parse({ model: "acme/json", input: "A city", text: { format } });
    expect(parsed.output_parsed).toEqual({ name: expect.any(String), population: expect.any(Number) });
  });

  test("reason, and accept their encrypted reasoning back byte for byte", async () => {
    const body = { model: "acme/reason", reasoning: { effort: "high", summary: "auto" } } as const;
    const include: ["reasoning.encrypted_content"] = ["reasoning.encrypted_content"];
    const first = await openai.responses.create({ ...body, input: "Think.", include, store: false });
    const reasoning = first.output.find((item) => item.type === "reasoning");
    expect(reasoning?.encrypted_content).toBeString();
    expect(first.usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
    // The whole output is sent back; the client's types of output and input differ in items that do not occur here.
    const said = first.output as OpenAI.Responses.ResponseInput;
    const input = [...user("Think."), ...said, ...user("Again.")];
    const second = await openai.responses.create({ ...body, input, include, store: false });
    // The simulator refuses reasoning that it did not give.
    expect(second.output_text).toBe("Simulated answer: Again.");
  });

  test("report that the cap has cut the output", async () => {
    const response = await openai.responses.create({ model: "acme/long", input: "On and on", max_output_tokens: 16 });
    expect(response).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
    expect(response.usage?.output_tokens).toBe(16);
  });
});

describe("models", () => {
  test("are listed: aliases first, then the whole catalogue", async () => {
    const ids = (await Array.fromAsync(openai.models.list())).map(({ id }) => id);
    expect(ids.slice(0, 3)).toEqual(["fast", "gpt-*", "acme/echo"]);
    expect(ids).toContain("away/gone");
  });

  test.each([
    ["acme/echo", undefined],
    ["fast", "acme/echo"],
    ["gpt-5", "acme/echo"],
  ])("%s is retrieved, with its root %p", async (id, root) => {
    const model = await openai.models.retrieve(id);
    expect(model).toMatchObject({ id, object: "model", created: Date.UTC(2026, 8, 1) / 1000, owned_by: "acme" });
    expect((model as { root?: string }).root).toBe(root);
  });

  test("that do not exist are not found", async () => {
    const error: unknown = await openai.models.retrieve("acme/nothing").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error).toMatchObject({ status: 404, code: "model_not_found", type: "invalid_request_error" });
  });
});

describe("errors have the client's own classes", () => {
  const FORGED = "cm-0000000000000000000000000000000000000000000000000000000";

  interface Refusal {
    readonly name: string;
    readonly model?: string;
    readonly with?: "poor" | "limited" | "forged";
    readonly error: new (...parts: never[]) => Error;
    readonly told: Record<string, unknown>;
    readonly retry: boolean;
  }

  const refusals: Refusal[] = [
    {
      name: "400 of the vendor",
      model: "acme/fail-400",
      error: OpenAI.BadRequestError,
      told: { status: 400, type: "invalid_request_error" },
      retry: false,
    },
    {
      name: "401",
      with: "forged",
      error: OpenAI.AuthenticationError,
      told: { status: 401, type: "authentication_error", code: "invalid_api_key" },
      retry: false,
    },
    {
      name: "402",
      with: "poor",
      error: OpenAI.APIError,
      told: { status: 402, type: "billing_error", code: "insufficient_balance" },
      retry: false,
    },
    {
      name: "404",
      model: "acme/nothing",
      error: OpenAI.NotFoundError,
      told: { status: 404, type: "invalid_request_error", code: "model_not_found", param: "model" },
      retry: false,
    },
    {
      name: "429 of ours",
      with: "limited",
      error: OpenAI.RateLimitError,
      told: { status: 429, type: "rate_limit_error", code: "rate_limit_exceeded" },
      retry: true,
    },
    {
      name: "429 of the vendor",
      model: "acme/fail-429",
      error: OpenAI.RateLimitError,
      told: { status: 429, type: "rate_limit_error", code: "provider_rate_limited" },
      retry: true,
    },
    {
      name: "502 where the vendor refuses our credential",
      model: "acme/fail-401",
      error: OpenAI.InternalServerError,
      told: { status: 502, type: "provider_error", code: "provider_error" },
      retry: true,
    },
    {
      name: "502 where the vendor fails",
      model: "acme/fail-500",
      error: OpenAI.InternalServerError,
      told: { status: 502, type: "provider_error", code: "provider_error" },
      retry: true,
    },
    {
      name: "503 where the vendor is not there",
      model: "away/gone",
      error: OpenAI.InternalServerError,
      told: { status: 503, type: "api_error", code: "model_unavailable" },
      retry: true,
    },
  ];

  const keys: Record<string, string> = { forged: FORGED };
  beforeAll(async () => {
    keys.poor = (await simulated.gateway.newKey({ credit: "0" })).key;
    const limited = await simulated.gateway.newKey({ rpm: 1 });
    await clientFor(limited.key).responses.create({ model: "acme/echo", input: "first" });
    keys.limited = limited.key;
  });

  const calls = {
    chat: (client: OpenAI, model: string, stream: boolean) =>
      client.chat.completions.create({ model, messages: user("Hi"), stream }),
    responses: (client: OpenAI, model: string, stream: boolean) =>
      client.responses.create({ model, input: "Hi", stream }),
  };

  const cases = refusals.flatMap((refusal) =>
    (["chat", "responses"] as const).flatMap((endpoint) =>
      [false, true].map((stream) => ({ ...refusal, endpoint, stream })),
    ),
  );

  test.each(cases)("$name ($endpoint, stream: $stream)", async (refusal) => {
    const client = clientFor(keys[refusal.with ?? ""] ?? key.key);
    const call = calls[refusal.endpoint](client, refusal.model ?? "acme/echo", refusal.stream);
    const error: unknown = await call.then(
      () => "no error",
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(refusal.error);
    expect(error).toMatchObject(refusal.told);
    const { headers, requestID, message } = error as APIError<number, Headers>;
    expect(requestID).toMatch(/^req_/);
    expect(message.length).toBeGreaterThan(20);
    expect(headers.get("x-should-retry")).toBe(refusal.retry ? null : "false");
    expect(headers.has("retry-after")).toBe(refusal.retry);
  });

  test("the gateway's own 400 names the field", async () => {
    const call = openai.chat.completions.create({ model: "acme/echo", messages: [] });
    const error: unknown = await call.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ code: "invalid_messages", param: "messages", type: "invalid_request_error" });
  });

  test("a stream that breaks after content raises an error, on both endpoints", async () => {
    const chat = await openai.chat.completions.create({ model: "acme/error-mid", messages: user("Hi"), stream: true });
    expect(await Array.fromAsync(chat).catch((error: unknown) => error)).toBeInstanceOf(OpenAI.APIError);
    const stream = openai.responses.stream({ model: "acme/cut-mid", input: "Hi" });
    let last = "";
    stream.on("event", ({ type }) => {
      last = type;
    });
    const final: unknown = await stream.finalResponse().catch((error: unknown) => error);
    expect(last).toBe("response.failed");
    expect(final instanceof OpenAI.OpenAIError || (final as { status: string }).status === "failed").toBeTrue();
  });
});

describe("retries", () => {
  test.each(["chat", "responses"] as const)("%s: a passing error is retried, and succeeds", async (endpoint) => {
    let asked = 0;
    const client = clientFor(key.key, { maxRetries: 2, onRequest: () => (asked += 1) });
    const text =
      endpoint === "chat"
        ? (await client.chat.completions.create({ model: "acme/fails-twice", messages: user("Hi") })).choices[0]
            ?.message.content
        : (await client.responses.create({ model: "acme/fails-twice-b", input: "Hi" })).output_text;
    expect(text).toBe("Simulated answer: Hi");
    expect(asked).toBe(endpoint === "chat" ? 2 : 3);
  });

  test.each(["acme/fail-400", "acme/nothing"])("%s: a permanent error is not retried", async (model) => {
    let asked = 0;
    const client = clientFor(key.key, { maxRetries: 2, onRequest: () => (asked += 1) });
    const call = client.chat.completions.create({ model, messages: user("Hi") });
    expect(await call.catch((thrown: unknown) => thrown)).toBeInstanceOf(OpenAI.APIError);
    expect(asked).toBe(1);
  });
});
