import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Compile } from "typebox/compile";
import { checkResponsesStream } from "../../../proofs/grammars/responses/stream-grammar.ts";
import { generation } from "../../../proofs/support/generation.ts";
import type { AnswerContext } from "../../core/answer/codec.ts";
import type { BlockKind, StreamEvent } from "../../core/answer/stream-event.ts";
import { foldEvents } from "../translate/fold-events.ts";
import { responsesClientCodec } from "./codec.ts";
import { ResponseStreamEvent } from "./wire-answer.ts";

const CODEX = JSON.parse(
  readFileSync(join(import.meta.dir, "../../../proofs/fixtures/responses/codex-request.json")).toString(),
) as Record<string, unknown>;

function contextOf(body: Record<string, unknown> = {}): AnswerContext {
  return { model: "acme/m", request: generation(), body, input_estimate_tokens: 1, created: 1_790_000_000 };
}

function block(index: number, kind: BlockKind, ...texts: readonly string[]): StreamEvent[] {
  return [
    { type: "block-start", index, block: kind },
    ...texts.map((text): StreamEvent => ({ type: "block-delta", index, text })),
    { type: "block-end", index },
  ];
}

const START: StreamEvent = { type: "start", id: null, created: null, usage: null };
const FINISH: StreamEvent = { type: "finish", reason: "stop", stop_sequence: null, raw_reason: null, usage: null };
const CALL: BlockKind = { kind: "tool-call", id: "call_1", name: "mcp__tides__lookup", tool: "function" };

type Event = { type: string } & Record<string, unknown>;

function encode(events: readonly StreamEvent[], body: Record<string, unknown> = {}): Event[] {
  const encoder = responsesClientCodec.openEncoder(contextOf(body));
  const stream = events.map((event) => encoder.encode(event)).join("");
  expect(checkResponsesStream(stream)).not.toHaveProperty("problem");
  return stream
    .trimEnd()
    .split("\n\n")
    .map((frame) => JSON.parse(frame.slice(frame.indexOf("data: ") + 6)));
}

const all = [
  START,
  ...block(0, { kind: "reasoning" }, "Hm"),
  ...block(1, { kind: "text" }, "Let ", "me look."),
  ...block(2, { kind: "refusal" }, "No."),
  ...block(3, CALL, '{"harbour":', '"Lisbon"}'),
  ...block(4, { kind: "tool-call", id: "call_2", name: "apply_patch", tool: "custom" }, "*** Begin"),
  FINISH,
];

test("an answer has its whole public life cycle of events", () => {
  const item = (...inner: string[]) => ["response.output_item.added", ...inner, "response.output_item.done"];
  const text = ["response.output_text.delta", "response.output_text.delta", "response.output_text.done"];
  const input = "response.custom_tool_call_input";
  const written = "response.function_call_arguments";
  expect(encode(all).map(({ type }) => type)).toEqual([
    "response.created",
    "response.in_progress",
    ...item(
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
    ),
    ...item(
      ...["response.content_part.added", ...text, "response.content_part.done"],
      ...[
        "response.content_part.added",
        "response.refusal.delta",
        "response.refusal.done",
        "response.content_part.done",
      ],
    ),
    ...item(`${written}.delta`, `${written}.delta`, `${written}.done`),
    ...item(`${input}.delta`, `${input}.done`),
    "response.completed",
  ]);
});

test("every event has its documented shape", () => {
  const isDocumented = Compile(ResponseStreamEvent);
  for (const event of encode(all, CODEX)) expect({ event, ok: isDocumented.Check(event) }).toEqual({ event, ok: true });
});

test("deltas pass at once, and an item's done event waits until its status is known", () => {
  const encoder = responsesClientCodec.openEncoder(contextOf());
  encoder.encode(START);
  const [start, delta, end] = block(0, { kind: "text" }, "Hi") as [StreamEvent, StreamEvent, StreamEvent];
  encoder.encode(start);
  expect(encoder.encode(delta)).toMatch(/^event: response.output_text.delta\ndata: \{.*"delta":"Hi".*\}\n\n$/);
  expect(encoder.encode(end)).not.toContain("output_item.done");
  const closing = encoder.encode({ ...FINISH, reason: "length" } as StreamEvent);
  expect(closing).toMatch(
    /event: response.output_item.done\n.*"status":"incomplete".*\n\nevent: response.incomplete\n/,
  );
});

describe("a call of a tool in a namespace", () => {
  const named = { type: "function_call", namespace: "mcp__tides", name: "lookup", call_id: "call_1" };

  test("has its name within the namespace, in the stream", () => {
    const events = encode([START, ...block(0, CALL, "{}"), FINISH], CODEX);
    const items = events.filter(({ item }) => item !== undefined).map(({ item }) => item);
    expect(items).toMatchObject([named, named]);
  });

  test("has its name within the namespace, in a whole answer", () => {
    const answer = foldEvents([START, ...block(0, CALL, "{}"), FINISH]);
    if (answer === null) throw new Error("The answer is not whole.");
    expect(JSON.parse(responsesClientCodec.encodeWhole(answer, contextOf(CODEX))).output).toMatchObject([named]);
  });
});

describe("the response object", () => {
  const responseTo = (body: Record<string, unknown>) => encode([START, FINISH], body).at(-1)?.response;

  test("repeats the request's fields", () => {
    const asked = {
      instructions: "Be brief.",
      max_output_tokens: 100,
      metadata: { a: "b" },
      parallel_tool_calls: false,
      prompt_cache_key: "k",
      reasoning: { effort: "low", summary: "auto" },
      safety_identifier: "s",
      temperature: 0,
      text: { format: { type: "json_object" }, verbosity: "low" },
      tool_choice: "required",
      tools: [{ type: "function", name: "f", description: "d", parameters: {}, strict: true }, { type: "web_search" }],
      top_logprobs: 2,
      top_p: 0.5,
      user: "u",
    };
    expect(responseTo({ model: "alias", input: "Hi", ...asked })).toMatchObject({ model: "acme/m", ...asked });
  });

  test("has the public defaults for fields that the request leaves out, and says that nothing is stored", () => {
    expect(responseTo({ tools: [{ type: "function", name: "f" }] })).toEqual({
      id: expect.stringMatching(/^resp_[0-9A-Za-z]{22}$/),
      object: "response",
      created_at: 1_790_000_000,
      status: "completed",
      completed_at: expect.any(Number),
      error: null,
      incomplete_details: null,
      model: "acme/m",
      output: [],
      usage: null,
      background: false,
      frequency_penalty: 0,
      instructions: null,
      max_output_tokens: null,
      max_tool_calls: null,
      metadata: {},
      parallel_tool_calls: true,
      presence_penalty: 0,
      previous_response_id: null,
      prompt_cache_key: null,
      prompt_cache_retention: null,
      reasoning: { effort: null, summary: null },
      safety_identifier: null,
      service_tier: "default",
      store: false,
      temperature: 1,
      text: { format: { type: "text" }, verbosity: "medium" },
      tool_choice: "auto",
      tools: [{ type: "function", name: "f", description: null, parameters: null, strict: null }],
      top_logprobs: 0,
      top_p: 1,
      truncation: "disabled",
      user: null,
    });
  });
});

test("a refusal without a refusal part is an incomplete answer, not a finished one", () => {
  const events = encode([START, ...block(0, { kind: "text" }, "I"), { ...FINISH, reason: "refusal" } as StreamEvent]);
  expect(events.at(-1)).toMatchObject({
    type: "response.incomplete",
    response: { incomplete_details: { reason: "content_filter" } },
  });
});
