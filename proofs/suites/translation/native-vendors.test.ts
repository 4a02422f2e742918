import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import OpenAI from "openai";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { Caller, GENERATION_NAMES } from "../../support/calls.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { plainModel } from "../../support/plain-model.ts";
import { PRICE, THINKING, VISION } from "../../support/simulated-gateway.ts";

/** Vendors whose protocols no client speaks, over real HTTP: their requests, and their answers in each style. */

const AWS = { access_key_id: "AKIDEXAMPLE", secret_access_key: "secret+/=", region: "eu-north-1" };
const GOOGLE_KEY = "AIzaSimulated0123456789";
const TOKEN = "ya29.simulated-token";

let google: Simulator;
let amazon: Simulator;
let vertex: Simulator;
let token_server: ReturnType<typeof Bun.serve>;
let tokens_given = 0;
let gateway: Gateway;
let key: string;

beforeAll(async () => {
  const keys = await generateKeyPair("RS256", { extractable: true });
  token_server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const assertion = new URLSearchParams(await request.text()).get("assertion") ?? "";
      await jwtVerify(assertion, keys.publicKey, { issuer: "gateway@acme.example" });
      tokens_given += 1;
      return Response.json({ access_token: TOKEN, expires_in: 3600 });
    },
  });
  [google, amazon, vertex] = await Promise.all([
    startSimulator({ api_key: GOOGLE_KEY }),
    startSimulator({ aws: AWS }),
    startSimulator({ api_key: TOKEN }),
  ]);
  const google_service_account = JSON.stringify({
    type: "service_account",
    client_email: "gateway@acme.example",
    private_key: await exportPKCS8(keys.privateKey),
    token_uri: `http://127.0.0.1:${token_server.port}/token`,
  });
  const publishers = `${vertex.base_url}/projects/acme-1/locations/global/publishers`;
  const vendors = {
    gemini: { protocol: "gemini", base_url: `${google.url}/v1beta`, api_key: GOOGLE_KEY },
    converse: { protocol: "bedrock-converse", base_url: amazon.url, aws: AWS },
    "google-vertex": { base_url: `${publishers}/google`, google_service_account },
    "google-vertex-anthropic": { base_url: `${publishers}/anthropic`, google_service_account },
  };
  const names = [
    "echo",
    "tools",
    "reason",
    "vision",
    "json",
    "stop",
    "filter",
    "long",
    "cached",
    "error-mid@after=2",
    "fail-429",
  ];
  const models = Object.keys(vendors).flatMap((vendor) =>
    names.map((name) => {
      const traits = { ...(/reason/.test(name) ? THINKING : {}), ...(name === "vision" ? VISION : {}) };
      const upstream_model = vendor === "converse" ? `anthropic.${name}` : name;
      return [`${vendor}/${name.replace(/@.*/, "")}`, plainModel({ price: PRICE, upstream_model, ...traits })];
    }),
  );
  gateway = await startGateway({
    config: JSON.stringify({ catalog: "none", vendors, models: Object.fromEntries(models) }),
  });
  key = (await gateway.newKey()).key;
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await Promise.all([google.stop(), amazon.stop(), vertex.stop(), token_server.stop(true)]);
});

const VENDORS = ["gemini", "converse", "google-vertex", "google-vertex-anthropic"] as const;
const WEATHER = { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] };

const openai = () => new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
const anthropic = () => new Anthropic({ apiKey: key, baseURL: gateway.url, maxRetries: 0 });

describe.each(VENDORS)("%s", (vendor) => {
  test.each(GENERATION_NAMES)("answers %s whole and streamed, and is billed exactly", async (name) => {
    const caller = new Caller(gateway, key);
    for (const stream of [false, true]) {
      const answer = await caller.generate(name, `${vendor}/echo`, { stream });
      expect(answer.text).toContain("Simulated");
      expect(answer.status).toBe(200);
      const receipt = await caller.get(`/v1/requests/${answer.headers.get("x-camino-request-id")}`);
      // In the simulator's tokens, "Hello!" is two and the answer six.
      expect(receipt.json).toMatchObject({ status: "settled", estimated: false, charge_micro: 2 * 1 + 6 * 4 });
    }
  });

  test("has its tools called and their results read, its signatures kept, in chat completions", async () => {
    const tools = [{ type: "function" as const, function: { name: "weather", parameters: WEATHER } }];
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Weather in parallel?" }];
    const model = `${vendor}/reason`;
    const first = await openai().chat.completions.create({ model, messages, tools, reasoning_effort: "low" });
    const [choice] = first.choices;
    expect(choice?.finish_reason).toBe("tool_calls");
    if (choice === undefined) return;
    messages.push(choice.message);
    for (const call of choice.message.tool_calls ?? [])
      messages.push({ role: "tool", tool_call_id: call.id, content: "sunny" });
    const second = await openai().chat.completions.create({ model, messages, tools, reasoning_effort: "low" });
    expect(second.choices[0]?.message.content).toContain("tool results: sunny");
  });

  test("gets its thinking back unchanged, in messages", async () => {
    const tools = [{ name: "weather", input_schema: WEATHER }];
    const request = {
      model: `${vendor}/reason`,
      max_tokens: 9000,
      tools,
      thinking: { type: "enabled", budget_tokens: 2048 },
    } as const;
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Weather?" }];
    for (let turn = 0; turn < 3; turn++) {
      const said = await anthropic()
        .messages.stream({ ...request, messages })
        .finalMessage();
      const call = said.content.find((block) => block.type === "tool_use");
      messages.push({ role: "assistant", content: said.content });
      if (call === undefined) {
        expect(turn).toBe(1);
        expect(said.content.some((block) => block.type === "text" && block.text.includes("sunny"))).toBe(true);
        messages.push({ role: "user", content: "And tomorrow?" });
        break;
      }
      messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "sunny" }] });
    }
    expect((await anthropic().messages.create({ ...request, messages })).stop_reason).toBe("tool_use");
  });

  test("gets its encrypted reasoning back unchanged, in responses", async () => {
    const tools = [{ type: "function" as const, name: "weather", parameters: WEATHER, strict: false }];
    const request = {
      model: `${vendor}/reason`,
      tools,
      reasoning: { effort: "medium", summary: "auto" },
      include: ["reasoning.encrypted_content"],
      store: false,
    } as const;
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: "Weather?" }];
    const first = await openai().responses.create({ ...request, tools, include: [...request.include], input });
    input.push(...(first.output as OpenAI.Responses.ResponseInputItem[]));
    const call = first.output.find((item) => item.type === "function_call");
    input.push({ type: "function_call_output", call_id: call?.call_id ?? "", output: "sunny" });
    const second = await openai().responses.create({ ...request, tools, include: [...request.include], input });
    expect(second.output_text).toContain("tool results: sunny");
  });

  test("gives structured output, a cap, a stop sequence, a filter and cached input", async () => {
    const chat = (model: string, rest: object = {}) =>
      openai().chat.completions.create({
        model: `${vendor}/${model}`,
        messages: [{ role: "user", content: "x".repeat(400) }],
        ...rest,
      });
    const json_schema = { name: "place", schema: WEATHER };
    const json = await chat(vendor === "converse" ? "tools" : "json", {
      response_format: { type: "json_schema", json_schema },
    });
    expect(JSON.parse(json.choices[0]?.message.content ?? "")).toEqual({ city: "simulated" });
    expect(json.choices[0]?.finish_reason).toBe("stop");
    expect(await chat("long", { max_completion_tokens: 37 })).toMatchObject({
      choices: [{ finish_reason: "length" }],
      usage: { completion_tokens: 37 },
    });
    const stopped = await chat("stop", { stop: ["END"] });
    expect(stopped.choices[0]?.message.content).toBe("Simulated answer: before");
    expect((await chat("filter")).choices[0]?.finish_reason).toBe("content_filter");
    expect((await chat("cached")).usage).toMatchObject({
      prompt_tokens: 100,
      prompt_tokens_details: { cached_tokens: 50 },
    });
  });

  test("sees images", async () => {
    const url = "data:image/png;base64,R0lGODlhAQABAAAAACw=";
    const content = [
      { type: "image_url" as const, image_url: { url } },
      { type: "text" as const, text: "What?" },
    ];
    const answer = await openai().chat.completions.create({
      model: `${vendor}/vision`,
      messages: [{ role: "user", content }],
    });
    expect(answer.choices[0]?.message.content).toContain("1 image: image/png of 14 bytes");
  });

  test("fails correctly: its rate limit is reported, and a broken stream never ends as complete", async () => {
    const caller = new Caller(gateway, key);
    expect(await caller.generate("chat", `${vendor}/fail-429`)).toMatchObject({
      status: 429,
      error: { code: "provider_rate_limited" },
    });
    const broken = await caller.generate("chat", `${vendor}/error-mid`, { stream: true });
    expect(broken.text).toContain('"error"');
    expect(broken.text).not.toContain("[DONE]");
  });
});

describe("credentials", () => {
  test("of Google are exchanged once, and never sent to another vendor", () => {
    expect(tokens_given).toBe(2);
    for (const { headers } of google.log.requests) expect(headers).toMatchObject({ "x-goog-api-key": GOOGLE_KEY });
    for (const { headers } of vertex.log.requests) expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
    for (const { headers } of amazon.log.requests) {
      expect(headers.authorization).toStartWith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/");
      expect(headers).not.toHaveProperty("x-goog-api-key");
    }
  });
});
