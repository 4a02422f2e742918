import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Caller, type Json } from "../../support/calls.ts";
import { type DocumentedField, disagreements, documentedFields } from "../../support/documented-fields.ts";
import {
  PRICE,
  type SimulatedGateway,
  startSimulatedGateway,
  THINKING,
  VISION,
} from "../../support/simulated-gateway.ts";

/** docs/api.md 2: every object has the fields that its table says, of the types that it says. */

let simulated: SimulatedGateway;
let caller: Caller;

const WEATHER = {
  type: "object",
  properties: { city: { type: "string", enum: ["Paris"] } },
  required: ["city"],
  additionalProperties: false,
};

beforeAll(async () => {
  simulated = await startSimulatedGateway({
    models: {
      "acme/full": {
        ...THINKING,
        ...VISION,
        upstream_model: "echo",
        display_name: "Full",
        created: "2026-09-01",
        context_length: 200_000,
      },
      "acme/bare": { upstream_model: "echo" },
      "acme/always": { upstream_model: "echo", capabilities: { thinking: true } },
      "acme/decider": {
        kind: "decision",
        decide_with: { engine: "logprobs", model: "acme/bare" },
        price: { input: 0.1 },
      },
      "acme/tools": {},
      "acme/reason": THINKING,
      "acme/cached": {},
      "acme/filter": {},
      "acme/long": {},
      "acme/stop": {},
      "acme/hang": {},
      "acme/slow": { upstream_model: "slow@ms=20" },
      "acme/fail-first": { upstream_model: "fail-first@n=1" },
    },
  });
  const key = await simulated.gateway.newKey({
    aliases: [{ name: "fast", model: "acme/full" }],
    prefix_aliases: [{ prefix: "gpt-", model: "acme/bare" }],
  });
  caller = new Caller(simulated.gateway, key.key);
});

afterAll(async () => {
  await simulated[Symbol.asyncDispose]();
});

async function got(path: string): Promise<Json> {
  const { status, json } = await caller.get(path);
  expect(status).toBe(200);
  return json;
}

async function posted(path: string, body: Json): Promise<Json> {
  const { status, json, text } = await caller.post(path, body);
  expect({ status, text }).toMatchObject({ status: 200 });
  return json;
}

/** A table of the document's own that has no name: fields with their types. */
function fields(types: Readonly<Record<string, string>>): DocumentedField[] {
  return Object.entries(types).map(([name, type]) => ({ name, types: type.split(" or "), always: null }));
}

/** Fields of a model that only requests with `anthropic-version` get. */
const OF_STYLE_B = ["lifecycle", "line", "deprecated_at", "retires_at"];

describe("2.1 model object", () => {
  const documented = documentedFields("2.1");
  test.each([
    ["acme/full", ["root"]],
    ["acme/bare", ["root", "context_length", "max_completion_tokens"]],
    ["acme/decider", ["root", "context_length", "max_completion_tokens"]],
    ["fast", []],
    ["gpt-anything", ["context_length", "max_completion_tokens"]],
  ])("%s has every field but %p", async (name, absent) => {
    const model = await got(`/v1/models/${encodeURIComponent(name)}`);
    expect(disagreements(documented, model, [...absent, ...OF_STYLE_B])).toEqual([]);
    expect(model.id).toBe(name);
  });

  test("agrees with the configuration", async () => {
    expect(await got("/v1/models/acme%2Ffull")).toMatchObject({
      display_name: "Full",
      created: 1_788_220_800,
      created_at: "2026-09-01T00:00:00Z",
      owned_by: "acme",
      context_length: 200_000,
      max_completion_tokens: 64_000,
      max_input_tokens: 200_000,
      max_tokens: 64_000,
      architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
      kind: "chat",
    });
    expect(await got("/v1/models/acme%2Fbare")).toMatchObject({ max_input_tokens: null, max_tokens: null });
    expect(await got("/v1/models/acme%2Fdecider")).toMatchObject({ kind: "decision" });
    expect(await got("/v1/models/fast")).toMatchObject({ id: "fast", root: "acme/full", display_name: "Full" });
  });
});

describe("2.2 capabilities object", () => {
  const documented = documentedFields("2.2");
  const REASONING = ["reasoning.toggle", "reasoning.effort", "reasoning.budget_tokens"];

  test.each([
    ["acme/full", [], { thinking: true, vision: true, reasoning: { budget_tokens: { min: 1024, max: 32_000 } } }],
    ["acme/always", REASONING, { thinking: true, reasoning: {} }],
    ["acme/bare", ["reasoning", ...REASONING], { thinking: false, vision: false }],
  ] as const)("%s has every field but %p", async (name, absent, says) => {
    const { capabilities } = await got(`/v1/models/${name}`);
    expect(disagreements(documented, capabilities, absent)).toEqual([]);
    expect(capabilities).toMatchObject(says);
  });
});

describe("2.3 model list", () => {
  const documented = documentedFields("2.3");

  test("is an envelope with the first id and the last", async () => {
    const list = await got("/v1/models");
    expect(disagreements(documented, list)).toEqual([]);
    const ids = (list.data as Json[]).map(({ id }) => id);
    expect(list).toMatchObject({ has_more: false, first_id: ids[0], last_id: ids.at(-1) });
  });

  test("has nulls for ids when it is empty", async () => {
    const key = await simulated.gateway.newKey({ models: ["none/*"] });
    const { json } = await new Caller(simulated.gateway, key.key).get("/v1/models");
    expect(disagreements(documented, json)).toEqual([]);
    expect(json).toEqual({ object: "list", data: [], has_more: false, first_id: null, last_id: null });
  });

  test("has model objects, with their kind on request", async () => {
    for (const [query, absent] of [
      ["", ["kind"]],
      ["?kind=all", []],
    ] as const) {
      for (const model of (await got(`/v1/models${query}`)).data as Json[]) {
        const optional = ["root", "context_length", "max_completion_tokens"].filter((name) => !(name in model));
        expect(disagreements(documentedFields("2.1"), model, [...absent, ...optional, ...OF_STYLE_B])).toEqual([]);
      }
    }
  });
});

describe("2.4 chat completion object", () => {
  const path = "/v1/chat/completions";
  const chat = (model: string, more: Json = {}) =>
    posted(path, { model, messages: [{ role: "user", content: "Hello!" }], ...more });
  const tools = [{ type: "function", function: { name: "weather", parameters: WEATHER } }];

  test("has every field", async () => {
    const completion = await chat("fast");
    expect(disagreements(documentedFields("2.4"), completion)).toEqual([]);
    expect(completion.model).toBe("acme/full");
    const [choice] = completion.choices as Json[];
    expect(disagreements(fields({ index: "integer", message: "object", finish_reason: "string" }), choice)).toEqual([]);
    expect(choice?.message).toMatchObject({ role: "assistant", content: "Simulated answer: Hello!" });
    expect(choice?.message).not.toHaveProperty("tool_calls");
  });

  test.each([
    ["stop", "acme/bare", {}],
    ["length", "acme/long", { max_tokens: 5 }],
    ["tool_calls", "acme/tools", { tools }],
    ["content_filter", "acme/filter", {}],
  ])("finish_reason %s", async (finish_reason, model, more) => {
    expect((await chat(model, more)).choices).toMatchObject([{ index: 0, finish_reason }]);
  });

  test("a message that only calls tools has null content, and arguments as a string of JSON", async () => {
    const { choices } = await chat("acme/tools", { tools });
    const [choice] = choices as { message: { content: unknown; tool_calls: Json[] } }[];
    expect(choice?.message.content).toBeNull();
    expect(choice?.message.tool_calls).toEqual([
      { id: expect.any(String), type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } },
    ]);
  });

  test("usage counts cached tokens in the prompt and reasoning in the completion", async () => {
    const count = "integer";
    const usage_fields = fields({
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
      "prompt_tokens_details.cached_tokens": count,
      "completion_tokens_details.reasoning_tokens": count,
    });
    const cached = (await chat("acme/cached", { messages: [{ role: "user", content: "x".repeat(40) }] })).usage;
    expect(disagreements(usage_fields, cached)).toEqual([]);
    expect(cached).toMatchObject({ prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 5 } });
    const reasoned = (await chat("acme/reason", { reasoning_effort: "high" })).usage as Record<string, number>;
    expect(disagreements(usage_fields, reasoned)).toEqual([]);
    expect(reasoned.total_tokens).toBe((reasoned.prompt_tokens ?? 0) + (reasoned.completion_tokens ?? 0));
    expect(reasoned).toMatchObject({ completion_tokens_details: { reasoning_tokens: expect.any(Number) } });
  });
});

describe("2.5 response object", () => {
  const respond = (model: string, more: Json = {}) => posted("/v1/responses", { model, input: "Hello!", ...more });
  const tools = [{ type: "function", name: "weather", parameters: WEATHER, strict: true }];

  test("has every field", async () => {
    const response = await respond("fast");
    expect(disagreements(documentedFields("2.5").filter(isTopLevel), response)).toEqual([]);
    expect(response).toMatchObject({ status: "completed", model: "acme/full" });
  });

  test("has a message item", async () => {
    const { output } = await respond("acme/bare");
    expect(output).toMatchObject([
      {
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Simulated answer: Hello!" }],
      },
    ]);
    const item_fields = fields({ id: "string", role: "string", status: "string", content: "array" });
    expect(disagreements(item_fields, (output as Json[])[0])).toEqual([]);
  });

  test("has a function call item", async () => {
    const { output } = await respond("acme/tools", { tools });
    expect(output).toMatchObject([{ type: "function_call", name: "weather", arguments: '{"city":"Paris"}' }]);
    const item_fields = fields({
      id: "string",
      call_id: "string",
      name: "string",
      arguments: "string",
      status: "string",
    });
    expect(disagreements(item_fields, (output as Json[])[0])).toEqual([]);
  });

  test("may have a reasoning item", async () => {
    const { output } = await respond("acme/reason", { reasoning: { effort: "high", summary: "auto" } });
    expect((output as Json[]).map(({ type }) => type)).toEqual(["reasoning", "message"]);
  });

  test.each([
    ["acme/long", { max_output_tokens: 16 }, "max_output_tokens"],
    ["acme/filter", {}, "content_filter"],
  ])("%s is incomplete, and says why", async (model, more, reason) => {
    expect(await respond(model, more)).toMatchObject({ status: "incomplete", incomplete_details: { reason } });
  });

  test("usage has every count", async () => {
    const count = "integer";
    const usage_fields = fields({
      input_tokens: count,
      output_tokens: count,
      total_tokens: count,
      "input_tokens_details.cached_tokens": count,
      "output_tokens_details.reasoning_tokens": count,
    });
    const { usage } = await respond("acme/cached", { input: "x".repeat(40) });
    expect(disagreements(usage_fields, usage)).toEqual([]);
    expect(usage).toMatchObject({ input_tokens: 10, input_tokens_details: { cached_tokens: 5 } });
  });

  /** The section's second table is of items. */
  function isTopLevel({ name }: DocumentedField): boolean {
    return ["id", "object", "status", "model", "output", "usage"].includes(name);
  }
});

describe("2.6 message object", () => {
  const message = (model: string, more: Json = {}) =>
    posted("/v1/messages", { model, max_tokens: 3000, messages: [{ role: "user", content: "Hello!" }], ...more });
  const tools = [{ name: "weather", input_schema: WEATHER }];

  test("has every field", async () => {
    const answer = await message("fast");
    expect(disagreements(documentedFields("2.6"), answer)).toEqual([]);
    expect(answer).toMatchObject({ model: "acme/full", content: [{ type: "text", text: "Simulated answer: Hello!" }] });
  });

  test.each([
    ["end_turn", "acme/bare", {}],
    ["max_tokens", "acme/long", { max_tokens: 5 }],
    ["stop_sequence", "acme/stop", { stop_sequences: ["END"] }],
    ["tool_use", "acme/tools", { tools }],
    ["refusal", "acme/filter", {}],
  ])("stop_reason %s", async (stop_reason, model, more) => {
    const answer = await message(model, more);
    expect(answer).toMatchObject({ stop_reason, stop_sequence: stop_reason === "stop_sequence" ? "END" : null });
  });

  test("has tool use blocks with their input as an object", async () => {
    const { content } = await message("acme/tools", { tools });
    expect(content).toMatchObject([{ type: "tool_use", name: "weather", input: { city: "Paris" } }]);
    expect((content as Json[])[0]?.id).toBeString();
  });

  test("has thinking blocks from models that reason", async () => {
    const { content } = await message("acme/reason", { thinking: { type: "enabled", budget_tokens: 2000 } });
    expect((content as Json[]).map(({ type }) => type)).toEqual(["thinking", "text"]);
  });

  test("usage has disjoint classes", async () => {
    const { usage } = await message("acme/cached", { messages: [{ role: "user", content: "x".repeat(40) }] });
    expect(usage).toMatchObject({ input_tokens: 3, cache_read_input_tokens: 5, cache_creation_input_tokens: 2 });
    const count = "integer";
    const usage_fields = fields({
      input_tokens: count,
      output_tokens: count,
      cache_creation_input_tokens: count,
      cache_read_input_tokens: count,
    });
    expect(disagreements(usage_fields, usage)).toEqual([]);
  });
});

describe("2.8 usage object", () => {
  test("has a currency and three windows with every field", async () => {
    const usage = await got("/v1/usage");
    expect(Object.keys(usage)).toEqual(["currency", "daily", "weekly", "monthly"]);
    for (const window of ["daily", "weekly", "monthly"])
      expect(disagreements(documentedFields("2.8"), usage[window], ["units"])).toEqual([]);
  });
});

describe("2.9 credits object", () => {
  test("has every field", async () => {
    expect(disagreements(documentedFields("2.9"), await got("/v1/credits"))).toEqual([]);
  });

  test("has zeros for an account without a wallet", async () => {
    const key = await simulated.gateway.newKey({ credit: "0" });
    const { json } = await new Caller(simulated.gateway, key.key).get("/v1/credits");
    expect(json).toEqual({ currency: "USD", balance_micro: 0, uncollected_micro: 0 });
  });
});

describe("2.10 error objects", () => {
  test("style A has a message, a type, a param and a code", async () => {
    const { json } = await caller.post("/v1/chat/completions", { model: "acme/bare" });
    expect(Object.keys(json)).toEqual(["error"]);
    expect(
      disagreements(fields({ message: "string", type: "string", param: "string or null", code: "string" }), json.error),
    ).toEqual([]);
  });

  test("style B has a type, an error and the request's id", async () => {
    const { json, headers } = await caller.post("/v1/messages", { model: "acme/bare" });
    expect(json).toEqual({
      type: "error",
      error: { type: "invalid_request_error", message: expect.any(String) },
      request_id: headers.get("request-id"),
    });
  });
});

describe("2.11 request object", () => {
  const documented = documentedFields("2.11");
  const receipt = (id: string | null) => got(`/v1/requests/${id}`);

  test("of an answered request has every field, and the charge follows from the usage", async () => {
    const body = { model: "fast", stream: true, input: "x".repeat(40) };
    const { headers } = await caller.post("/v1/responses", body, { "x-request-id": "mine-1" });
    const found = await receipt(headers.get("x-camino-request-id"));
    expect(disagreements(documented, found, ["tags_counted", "hook_ms"])).toEqual([]);
    expect(found).toMatchObject({
      client_request_id: "mine-1",
      endpoint: "responses",
      stream: true,
      requested_model: "fast",
      model: "acme/full",
      status: "settled",
      error: null,
      estimated: false,
      late: false,
      usage: { input_tokens: 10, cache_read_tokens: 0, cache_write_tokens: 0, output_tokens: 15, reasoning_tokens: 0 },
      charge_micro: 10 * PRICE.input + 15 * PRICE.output,
      operator_loss_micro: 0,
      currency: "USD",
      attempts: [{ vendor: "acme", upstream_model: "echo", status: 200, error: null }],
    });
    expect(found.hold_micro as number).toBeGreaterThanOrEqual(found.charge_micro as number);
    expect(found.price).toMatchObject({
      version: expect.any(String),
      input_micro_per_mtok: 1_000_000,
      output_micro_per_mtok: 4_000_000,
      cache_read_micro_per_mtok: 100_000,
      cache_write_micro_per_mtok: 1_250_000,
      tiers: [],
    });
  });

  test("of a request that failed has its error, no charge, and both attempts", async () => {
    const refused = await caller.generate("messages", "acme/fail-first", { max_tokens: 100_000_000 });
    expect(refused.status).toBe(402);
    const first = await caller.generate("messages", "acme/fail-first");
    expect(first.status).toBe(200);
    const found = await receipt(first.headers.get("x-camino-request-id"));
    expect(disagreements(documented, found, ["tags_counted", "hook_ms"])).toEqual([]);
    expect(found.attempts).toMatchObject([
      { status: 503, error: "provider_error" },
      { status: 200, error: null },
    ]);
  });

  test("of a request that still runs is held, without a usage", async () => {
    const stream = await caller.send("POST", "/v1/chat/completions", {
      model: "acme/slow",
      stream: true,
      messages: [{ role: "user", content: "word ".repeat(500) }],
    });
    const running = await receipt(stream.headers.get("x-camino-request-id"));
    expect(disagreements(documented, running, ["tags_counted", "hook_ms"])).toEqual([]);
    expect(running).toMatchObject({ status: "held", usage: null, charge_micro: 0, duration_ms: null });
    await stream.body?.cancel();
  });
});
