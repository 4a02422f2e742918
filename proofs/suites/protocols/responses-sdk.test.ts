import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import type { AssembledAnswer } from "../../../src/core/answer/answer.ts";
import type { AnswerContext } from "../../../src/core/answer/codec.ts";
import type { BlockKind, StreamEvent } from "../../../src/core/answer/stream-event.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { responsesClientCodec } from "../../../src/protocols/responses/codec.ts";
import { foldEvents } from "../../../src/protocols/translate/fold-events.ts";
import { generation } from "../../support/generation.ts";

/** The official client reads translated answers: it checks every event against those before it. */

const USAGE = {
  input_tokens: 10,
  cache_read_tokens: 5,
  cache_write_tokens: 0,
  output_tokens: 7,
  reasoning_tokens: 3,
};

type Piece = readonly [BlockKind, readonly string[]] | readonly [BlockKind, readonly string[], string];

function answer(pieces: readonly Piece[], reason: AssembledAnswer["reason"] = "stop"): StreamEvent[] {
  const events: StreamEvent[] = [{ type: "start", id: "x", created: 1, usage: null }];
  for (const [index, [block, texts, signature]] of pieces.entries()) {
    events.push({ type: "block-start", index, block });
    for (const text of texts) events.push({ type: "block-delta", index, text });
    const opaque = signature && { opaque: { family: "anthropic", form: "signature", data: signature } as const };
    events.push({ type: "block-end", index, ...opaque });
  }
  return [...events, { type: "finish", reason, stop_sequence: null, raw_reason: null, usage: USAGE }];
}

const TEXT = { kind: "text" } as const;
const tool = (id: string, name: string, custom = false): BlockKind => ({
  kind: "tool-call",
  id,
  name,
  tool: custom ? "custom" : "function",
});

const ANSWERS: Readonly<Record<string, StreamEvent[]>> = {
  text: answer([[TEXT, ["Hel", "lo, ", "水"]]]),
  texts: answer([
    [TEXT, ["One. "]],
    [TEXT, ["Two."]],
  ]),
  json: answer([[TEXT, ['{"city":', '"Lisbon"}']]]),
  refusal: answer([[{ kind: "refusal" }, ["I ", "won't."]]], "refusal"),
  tools: answer(
    [
      [{ kind: "reasoning" }, ["Think", "ing"], "sig+/="],
      [TEXT, ["Let me look."]],
      [tool("call_1", "look"), ['{"city":', '"Lisbon"}'], "sealed"],
      [tool("call_2", "look"), []],
      [tool("call_3", "shell", true), ["ls -l"]],
    ],
    "tool-calls",
  ),
  cut: answer([[TEXT, ["One, two, thr"]]], "length"),
  filtered: answer([[TEXT, ["Once"]]], "content-filter"),
  nothing: answer([]),
};

function contextOf(body: Record<string, unknown>): AnswerContext {
  return { model: "acme/m", request: generation(), body, input_estimate_tokens: 1, created: 1_790_000_000 };
}

function stream(body: Record<string, unknown>): string {
  const encoder = responsesClientCodec.openEncoder(contextOf(body));
  const is_broken = body.model === "broken";
  const events = (is_broken ? ANSWERS.text?.slice(0, 4) : ANSWERS[String(body.model)]) ?? [];
  const out = events.map((event) => encoder.encode(event)).join("");
  return is_broken ? out + encoder.fail(new GatewayError("provider_error", "It broke."), "req_1") : out;
}

function whole(body: Record<string, unknown>): string {
  return responsesClientCodec.encodeWhole(
    foldEvents(ANSWERS[String(body.model)] ?? []) as AssembledAnswer,
    contextOf(body),
  );
}

let server: ReturnType<typeof Bun.serve>;
let openai: OpenAI;
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = (await request.json()) as Record<string, unknown>;
      const type = body.stream ? "text/event-stream" : "application/json";
      return new Response(body.stream ? stream(body) : whole(body), { headers: { "content-type": type } });
    },
  });
  openai = new OpenAI({ apiKey: "none", baseURL: server.url.href, maxRetries: 0 });
});
afterAll(() => server.stop(true));

const LOOK = {
  type: "function" as const,
  name: "look",
  strict: true,
  parameters: { type: "object", properties: { city: { type: "string" } }, required: [], additionalProperties: false },
};
const FORMAT = { type: "json_schema" as const, name: "place", schema: { type: "object" }, strict: true };

/** Two ways to ask: streamed through the client's helper, and answered whole. */
const WAYS = {
  streamed: (model: string, more: object) => openai.responses.stream({ model, input: "Hi", ...more }).finalResponse(),
  whole: (model: string, more: object) => openai.responses.parse({ model, input: "Hi", ...more }),
} as const;

describe.each(Object.keys(WAYS) as (keyof typeof WAYS)[])("the official client reads an answer that is %s", (way) => {
  const ask = (model: string, more: object = {}) => WAYS[way](model, more);

  test("its text, model and usage", async () => {
    const response = await ask("text", { instructions: "Be brief.", temperature: 0.5 });
    expect(response).toMatchObject({
      object: "response",
      status: "completed",
      model: "acme/m",
      output_text: "Hello, 水",
      instructions: "Be brief.",
      temperature: 0.5,
      created_at: 1_790_000_000,
      usage: {
        input_tokens: 15,
        input_tokens_details: { cached_tokens: 5 },
        output_tokens: 7,
        output_tokens_details: { reasoning_tokens: 3 },
        total_tokens: 22,
      },
    });
  });

  test("several texts as one", async () => {
    const response = await ask("texts");
    expect(response.output_text).toBe("One. Two.");
    expect(response.output).toHaveLength(1);
  });

  test("structured output, parsed", async () => {
    const response = await ask("json", { text: { format: FORMAT } });
    expect(response.output_parsed).toEqual({ city: "Lisbon" } as never);
  });

  test("a refusal", async () => {
    const { output } = await ask("refusal");
    expect(output).toMatchObject([{ type: "message", content: [{ type: "refusal", refusal: "I won't." }] }]);
  });

  test("reasoning, text and calls, the arguments parsed, in their order", async () => {
    const { output, status } = await ask("tools", { tools: [LOOK, { type: "custom", name: "shell" }] });
    expect(status).toBe("completed");
    expect(output).toMatchObject([
      { type: "reasoning", summary: [{ type: "summary_text", text: "Thinking" }] },
      { type: "message", status: "completed", content: [{ text: "Let me look." }] },
      { type: "function_call", call_id: "call_1", status: "completed", parsed_arguments: { city: "Lisbon" } },
      { type: "reasoning", summary: [], encrypted_content: expect.stringContaining("sealed") },
      { type: "function_call", call_id: "call_2", arguments: "{}", parsed_arguments: {} },
      { type: "custom_tool_call", call_id: "call_3", name: "shell", input: "ls -l" },
    ] as never);
    expect(output[0]).toMatchObject({ encrypted_content: expect.stringContaining("sig+/=") });
  });

  test.each([
    ["cut", "max_output_tokens"],
    ["filtered", "content_filter"],
  ])("that is incomplete: %s", async (model, reason) => {
    const response = await ask(model);
    expect(response).toMatchObject({ status: "incomplete", incomplete_details: { reason } });
    expect(response.output).toMatchObject([{ type: "message", status: "incomplete" }] as never);
  });

  test("without any content", async () => {
    expect(await ask("nothing")).toMatchObject({ status: "completed", output: [], output_text: "" });
  });
});

test("the official client shows deltas as they arrive, and the snapshot after each", async () => {
  const deltas: string[] = [];
  const snapshots = openai.responses.stream({ model: "text", input: "Hi" });
  snapshots.on("response.output_text.delta", ({ delta, snapshot }) => deltas.push(`${delta}|${snapshot}`));
  await snapshots.finalResponse();
  expect(deltas).toEqual(["Hel|Hel", "lo, |Hello, ", "水|Hello, 水"]);
});

test("the official client throws when the stream fails in the middle", async () => {
  const events = await openai.responses.create({ model: "broken", input: "Hi", stream: true });
  const seen = [];
  for await (const event of events) seen.push(event);
  expect(seen.at(-1)).toMatchObject({
    type: "response.failed",
    response: {
      status: "failed",
      error: { code: "provider_error", message: "It broke." },
      output: [{ type: "message", status: "incomplete", content: [{ text: "Hello, " }] }],
    },
  });
});
