import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema";
import type { TestKey } from "../../support/gateway.ts";
import { endedReceipt } from "../../support/receipts.ts";
import { type SimulatedGateway, startSimulatedGateway, THINKING, VISION } from "../../support/simulated-gateway.ts";

/** The official Anthropic client, unmodified, against a running gateway: the features that its users rely on work. */

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const ADDRESS = "https://pictures.example/cat.png";
const INPUT_SCHEMA = {
  type: "object" as const,
  properties: { city: { type: "string" as const, enum: ["Paris"] } },
  required: ["city"],
};

let simulated: SimulatedGateway;
let key: TestKey;
let anthropic: Anthropic;

beforeAll(async () => {
  simulated = await startSimulatedGateway({
    models: {
      "acme/echo": {
        created: "2026-09-01",
        display_name: "Echo",
        context_length: 100_000,
        max_completion_tokens: 8000,
      },
      "acme/tools": {},
      "acme/vision": VISION,
      "acme/json": {},
      "acme/long": {},
      "acme/stop": {},
      "acme/reason": THINKING,
      "acme/slow": { upstream_model: "slow@ms=20" },
      "acme/cached": {},
      "acme/fail-400": {},
      "acme/fail-401": {},
      "acme/fail-429": {},
      "acme/fail-500": {},
      "acme/error-mid": {},
      "acme/fails-twice": { upstream_model: "fail-first@n=2" },
      "chatty/echo": {},
      "away/gone": {},
    },
  });
  key = await simulated.gateway.newKey({
    aliases: [{ name: "fast", model: "acme/echo" }],
    prefix_aliases: [{ prefix: "claude-", model: "acme/echo" }],
  });
  anthropic = clientFor({ authToken: key.key });
});

afterAll(async () => {
  await simulated[Symbol.asyncDispose]();
});

type Credential = { authToken: string } | { apiKey: string };

function clientFor(credential: Credential, options: { maxRetries?: number; onRequest?: () => void } = {}): Anthropic {
  const { maxRetries = 0, onRequest } = options;
  return new Anthropic({
    ...credential,
    baseURL: simulated.gateway.url,
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

const user = (content: string) => [{ role: "user" as const, content }];
const say = (model: string, content: string) => ({ model, max_tokens: 200, messages: user(content) });

describe("messages", () => {
  test.each(["authToken", "apiKey"])(
    "are created with the key as %s, and have usage and a request id",
    async (kind) => {
      const client = clientFor(kind === "apiKey" ? { apiKey: key.key } : { authToken: key.key });
      const message = await client.messages.create(say("acme/echo", "Hello!"));
      expect(message).toMatchObject({
        type: "message",
        role: "assistant",
        model: "acme/echo",
        content: [{ type: "text", text: "Simulated answer: Hello!" }],
        stop_reason: "end_turn",
        stop_sequence: null,
        usage: { input_tokens: 2, output_tokens: 6, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
      });
      const receipt = await endedReceipt(simulated.gateway, key.key, message._request_id ?? "");
      expect(receipt).toMatchObject({ status: "settled", usage: { input_tokens: 2, output_tokens: 6 } });
    },
  );

  test("carry the client's version and betas to the vendor, and the vendor's own credential", async () => {
    await anthropic.beta.messages.create({ ...say("acme/echo", "Hello!"), betas: ["files-api-2025-04-14"] });
    const seen = simulated.simulator.log.last?.headers ?? {};
    expect(seen["anthropic-version"]).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(seen["anthropic-beta"]).toBe("files-api-2025-04-14");
    expect(JSON.stringify(seen)).not.toContain(key.key);
  });

  test("stream: the raw events in their order, blocks whole, usage exact at the end", async () => {
    const stream = await anthropic.messages.create({ ...say("fast", "one two"), stream: true });
    const events = await Array.fromAsync(stream);
    const order = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
    expect(order).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(events[0]).toMatchObject({ type: "message_start", message: { model: "acme/echo", content: [] } });
    expect(events.find(({ type }) => type === "message_delta")).toMatchObject({
      delta: { stop_reason: "end_turn" },
      usage: { output_tokens: 7 },
    });
  });

  test("the stream helper has the text and the final message, with cache classes apart", async () => {
    const stream = anthropic.messages.stream(say("acme/cached", "A prompt of forty bytes, all told, is it"));
    const deltas: string[] = [];
    stream.on("text", (delta) => deltas.push(delta));
    const message = await stream.finalMessage();
    expect(deltas.length).toBeGreaterThan(1);
    expect(message.content).toMatchObject([{ type: "text", text: deltas.join("") }]);
    expect(message.usage).toMatchObject({
      input_tokens: 3,
      cache_read_input_tokens: 5,
      cache_creation_input_tokens: 2,
      output_tokens: 15,
    });
    expect(stream.request_id).toMatch(/^req_/);
  });

  const weather = { name: "weather", description: "The weather", input_schema: INPUT_SCHEMA };

  test("use tools and take their results", async () => {
    const messages: Anthropic.MessageParam[] = user("How is it in Paris?");
    const asked = await anthropic.messages.create({ ...say("acme/tools", ""), messages, tools: [weather] });
    expect(asked.stop_reason).toBe("tool_use");
    const call = asked.content.find((block) => block.type === "tool_use");
    expect(call).toMatchObject({ name: "weather", input: { city: "Paris" } });
    messages.push(
      { role: "assistant", content: asked.content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: call?.id ?? "", content: "sunny" }] },
    );
    const answered = await anthropic.messages.create({ ...say("acme/tools", ""), messages, tools: [weather] });
    expect(answered.content).toMatchObject([{ type: "text", text: "Simulated answer from tool results: sunny" }]);
  });

  test("stream the input of tools in pieces that make up JSON", async () => {
    const stream = anthropic.messages.stream({ ...say("acme/tools", "How is it?"), tools: [weather] });
    const pieces: string[] = [];
    stream.on("inputJson", (piece) => pieces.push(piece));
    const message = await stream.finalMessage();
    expect(message.stop_reason).toBe("tool_use");
    expect(pieces.filter((piece) => piece !== "").length).toBeGreaterThan(1);
    expect(JSON.parse(pieces.join(""))).toEqual({ city: "Paris" });
    expect(message.content).toMatchObject([{ type: "tool_use", input: { city: "Paris" } }]);
  });

  test.each([false, true])("the tool runner runs to the answer (stream: %p)", async (stream) => {
    const seen: unknown[] = [];
    const tool = betaTool({
      name: "weather",
      description: "The weather",
      inputSchema: INPUT_SCHEMA,
      run: (input) => {
        seen.push(input);
        return "rain";
      },
    });
    const runner = anthropic.beta.messages.toolRunner({ ...say("acme/tools", "How is it?"), tools: [tool], stream });
    const final = await runner.runUntilDone();
    expect(final.content).toMatchObject([{ type: "text", text: "Simulated answer from tool results: rain" }]);
    expect(seen).toEqual([{ city: "Paris" }]);
    expect(simulated.simulator.log.last?.body).toMatchObject({ messages: [{}, {}, {}] });
  });

  test.each([
    ["base64", { type: "base64", media_type: "image/png", data: PIXEL }, "1 image: image/png of 70 bytes"],
    ["URL", { type: "url", url: ADDRESS }, `1 image: ${ADDRESS}`],
  ] as const)("take images by %s", async (_how, source, described) => {
    const content = [
      { type: "image" as const, source },
      { type: "text" as const, text: "What is this?" },
    ];
    const message = await anthropic.messages.create({
      ...say("acme/vision", ""),
      messages: [{ role: "user", content }],
    });
    expect(message.content).toMatchObject([{ type: "text", text: `Simulated answer: ${described}` }]);
  });

  test("parse structured output", async () => {
    const format = jsonSchemaOutputFormat({
      type: "object",
      properties: { name: { type: "string" }, population: { type: "integer" } },
      required: ["name", "population"],
    });
    const parsed = await anthropic.messages.parse({ ...say("acme/json", "A city"), output_config: { format } });
    expect(parsed.parsed_output).toEqual({ name: expect.any(String), population: expect.any(Number) });
  });

  test("think, and accept their signed thinking back byte for byte", async () => {
    const thinking = { type: "enabled", budget_tokens: 2000 } as const;
    const body = { model: "acme/reason", max_tokens: 4000, thinking };
    const stream = anthropic.messages.stream({ ...body, messages: user("Think.") });
    const thoughts: string[] = [];
    stream.on("thinking", (delta) => thoughts.push(delta));
    const first = await stream.finalMessage();
    const [block] = first.content;
    expect(block).toMatchObject({ type: "thinking", thinking: thoughts.join("") });
    const messages = [...user("Think."), { role: "assistant" as const, content: first.content }, ...user("Again.")];
    // The simulator refuses thinking with a signature that it did not give.
    const second = await anthropic.messages.create({ ...body, messages });
    expect(second.content.at(-1)).toMatchObject({ type: "text", text: "Simulated answer: Again." });
  });

  test("say why they stopped: the cap, a stop sequence", async () => {
    const cut = await anthropic.messages.create({ ...say("acme/long", "On and on"), max_tokens: 16 });
    expect(cut).toMatchObject({ stop_reason: "max_tokens", usage: { output_tokens: 16 } });
    const stopped = await anthropic.messages.create({ ...say("acme/stop", "Go"), stop_sequences: ["END"] });
    expect(stopped).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: "END" });
  });

  test("a reader that leaves ends the vendor's work, and is charged for the delivered part", async () => {
    const stream = anthropic.messages.stream(say("acme/slow", "word ".repeat(200)));
    for await (const event of stream) if (event.type === "content_block_delta") break;
    expect(await simulated.simulator.log.last?.ended).toMatchObject({ aborted: true, finished: false });
    const receipt = await endedReceipt(simulated.gateway, key.key, stream.request_id ?? "");
    expect(receipt.status).toBe("settled");
    expect(receipt.charge_micro).toBeGreaterThan(0);
    expect(receipt.usage?.output_tokens).toBeLessThan(100);
  });
});

describe("counting tokens", () => {
  test("is the vendor's count, and free", async () => {
    const before = await credits();
    const counted = await anthropic.messages.countTokens({ model: "acme/echo", messages: user("Hello!") });
    expect(counted).toMatchObject({ input_tokens: 2 });
    expect(counted).not.toHaveProperty("estimated");
    expect(await credits()).toEqual(before);
  });

  test("is a marked estimate where the vendor does not count", async () => {
    const counted = await anthropic.messages.countTokens({ model: "chatty/echo", messages: user("Hello there!") });
    expect(counted).toHaveProperty("estimated", true);
    expect(counted.input_tokens).toBeGreaterThan(2);
  });

  function credits(): Promise<unknown> {
    return anthropic.get("/v1/credits");
  }
});

const [YES, NO] = [{ supported: true }, { supported: false }];

interface Listed {
  readonly data: readonly { readonly capabilities: { readonly thinking: unknown } }[];
}

describe("models", () => {
  test("are listed: aliases first, then the whole catalogue", async () => {
    const models = await Array.fromAsync(anthropic.models.list({ limit: 2 }));
    const ids = models.map(({ id }) => id);
    expect(ids.slice(0, 3)).toEqual(["fast", "claude-*", "acme/echo"]);
    expect(ids).toContain("away/gone");
  });

  test.each(["acme/echo", "fast", "claude-9"])("%s is retrieved", async (id) => {
    expect(await anthropic.models.retrieve(id)).toMatchObject({
      id,
      type: "model",
      display_name: "Echo",
      created_at: "2026-09-01T00:00:00Z",
      max_input_tokens: 100_000,
      max_tokens: 8000,
    });
  });

  test("say what they can as the client reads it, and nothing else reads other than a boolean", async () => {
    const plain = { supported: false, types: { adaptive: NO, enabled: NO, disabled: YES, between_tools: NO } };
    const own = { lifecycle: "active", line: null, deprecated_at: null, retires_at: null };
    expect(await anthropic.models.retrieve("acme/echo")).toMatchObject({ ...own, capabilities: { thinking: plain } });
    for await (const model of anthropic.models.list()) {
      expect(model).toMatchObject(own);
      const { supported, types } = model.capabilities?.thinking ?? expect.unreachable();
      expect(types).toMatchObject({ adaptive: { supported }, enabled: { supported }, between_tools: NO });
    }
    const others: Record<string, string>[] = [
      { authorization: `Bearer ${key.key}` },
      { "x-api-key": key.key },
      { "x-api-key": key.key, "altstyle-version": "2023-06-01" },
    ];
    for (const headers of others) {
      const { data } = (await (await fetch(`${simulated.gateway.url}/v1/models`, { headers })).json()) as Listed;
      expect(data.filter(({ capabilities }) => typeof capabilities.thinking !== "boolean")).toEqual([]);
      expect(data.some((model) => "lifecycle" in model)).toBe(false);
    }
  });

  test("that do not exist are not found, in the style of the credential's header", async () => {
    const missing = async (headers: Record<string, string>): Promise<unknown> =>
      await anthropic.models.retrieve("acme/nothing", {}, { headers }).catch((thrown: unknown) => thrown);
    const of_key_header = await missing({ "x-api-key": key.key });
    expect(of_key_header).toBeInstanceOf(Anthropic.NotFoundError);
    expect(of_key_header).toMatchObject({ status: 404, type: "not_found_error" });
    // The client always sends its key as a bearer token, for which the endpoint answers in style A.
    const of_bearer = await missing({});
    expect(of_bearer).toBeInstanceOf(Anthropic.NotFoundError);
    expect(of_bearer).toMatchObject({ status: 404, type: "invalid_request_error" });
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
      error: Anthropic.BadRequestError,
      told: { status: 400, type: "invalid_request_error" },
      retry: false,
    },
    {
      name: "401",
      with: "forged",
      error: Anthropic.AuthenticationError,
      told: { status: 401, type: "authentication_error" },
      retry: false,
    },
    {
      name: "402",
      with: "poor",
      error: Anthropic.PaymentRequiredError,
      told: { status: 402, type: "permission_error" },
      retry: false,
    },
    {
      name: "404",
      model: "acme/nothing",
      error: Anthropic.NotFoundError,
      told: { status: 404, type: "invalid_request_error" },
      retry: false,
    },
    {
      name: "429 of ours",
      with: "limited",
      error: Anthropic.RateLimitError,
      told: { status: 429, type: "rate_limit_error" },
      retry: true,
    },
    {
      name: "429 of the vendor",
      model: "acme/fail-429",
      error: Anthropic.RateLimitError,
      told: { status: 429, type: "rate_limit_error" },
      retry: true,
    },
    {
      name: "502 where the vendor refuses our credential",
      model: "acme/fail-401",
      error: Anthropic.InternalServerError,
      told: { status: 502, type: "api_error" },
      retry: true,
    },
    {
      name: "502 where the vendor fails",
      model: "acme/fail-500",
      error: Anthropic.InternalServerError,
      told: { status: 502, type: "api_error" },
      retry: true,
    },
    {
      name: "503 where the vendor is not there",
      model: "away/gone",
      error: Anthropic.InternalServerError,
      told: { status: 503, type: "overloaded_error" },
      retry: true,
    },
  ];

  const keys: Record<string, string> = { forged: FORGED };
  beforeAll(async () => {
    keys.poor = (await simulated.gateway.newKey({ credit: "0" })).key;
    const limited = await simulated.gateway.newKey({ rpm: 1 });
    await clientFor({ authToken: limited.key }).messages.create(say("acme/echo", "first"));
    keys.limited = limited.key;
  });

  test.each(refusals.flatMap((refusal) => [false, true].map((stream) => ({ ...refusal, stream }))))(
    "$name (stream: $stream)",
    async (refusal) => {
      const client = clientFor({ authToken: keys[refusal.with ?? ""] ?? key.key });
      const body = { ...say(refusal.model ?? "acme/echo", "Hi"), stream: refusal.stream };
      const error: unknown = await client.messages.create(body).then(
        () => "no error",
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(refusal.error);
      expect(error).toMatchObject(refusal.told);
      const { headers, requestID, error: told } = error as InstanceType<typeof Anthropic.BadRequestError>;
      expect(requestID).toMatch(/^req_/);
      expect(told).toMatchObject({ type: "error", request_id: requestID });
      expect(headers.get("x-should-retry")).toBe(refusal.retry ? null : "false");
      expect(headers.has("retry-after")).toBe(refusal.retry);
    },
  );

  test("a stream that breaks after content raises an error", async () => {
    const stream = anthropic.messages.stream(say("acme/error-mid", "Hi"));
    const texts: string[] = [];
    stream.on("text", (delta) => texts.push(delta));
    const error: unknown = await stream.finalMessage().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect(texts.length).toBeGreaterThan(0);
  });
});

describe("retries", () => {
  test("a passing error is retried, and the retry succeeds", async () => {
    let asked = 0;
    const client = clientFor({ authToken: key.key }, { maxRetries: 2, onRequest: () => (asked += 1) });
    const message = await client.messages.create(say("acme/fails-twice", "Hi"));
    expect(message.content).toMatchObject([{ type: "text", text: "Simulated answer: Hi" }]);
    // The gateway itself has retried before the client did.
    expect(asked).toBe(2);
  });

  test.each(["acme/fail-400", "acme/nothing"])("%s: a permanent error is not retried", async (model) => {
    let asked = 0;
    const client = clientFor({ authToken: key.key }, { maxRetries: 2, onRequest: () => (asked += 1) });
    expect(await client.messages.create(say(model, "Hi")).catch((thrown: unknown) => thrown)).toBeInstanceOf(
      Anthropic.APIError,
    );
    expect(asked).toBe(1);
  });
});
