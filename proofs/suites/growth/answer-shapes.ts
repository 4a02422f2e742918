import { event } from "../../../simulator/protocols/bedrock-converse/event-message.ts";
import { type Fields, type Json, named, times } from "./shape.ts";

/** A vendor's answer that grows in one way. */
export interface AnswerShape {
  readonly name: string;
  readonly protocol: "chat-completions" | "responses" | "messages" | "gemini" | "bedrock-converse";
  /** The body of a whole answer, or the frames of a stream. */
  readonly write: (count: number) => string | readonly Uint8Array[];
}

type Events = (count: number) => Json[];

const data = (value: Json): Uint8Array => Buffer.from(`data: ${JSON.stringify(value)}\n\n`);
const DONE = Buffer.from("data: [DONE]\n\n");

const chunk = (delta: Json, reason: string | null = null): Fields => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "upstream-1",
  choices: [{ index: 0, delta, finish_reason: reason }],
});
const callDelta = (index: number, text: string, id?: string): Json => ({
  tool_calls: [
    { index, ...(id && { id, type: "function" }), function: { ...(id && { name: "look" }), arguments: text } },
  ],
});
const detail = (at: number): Json => ({ type: "reasoning.text", text: "Hm", index: at });
const sealOf = (id: string): Json => ({ type: "reasoning.encrypted", data: "QUJD", id, format: "google-gemini-v1" });
const logprob = (token: string): Json => ({ token, logprob: -0.1, bytes: [97], top_logprobs: [] });

const chatStreams: Readonly<Record<string, Events>> = {
  "pieces of text": (count) => times(count, (at) => chunk({ content: `word ${at} ` })),
  "pieces that may begin a stop sequence": (count) => times(count, () => chunk({ content: "a" })),
  "pieces of reasoning": (count) => times(count, (at) => chunk({ reasoning_content: `word ${at} ` })),
  "pieces with log-probabilities": (count) =>
    times(count, () => ({
      ...chunk({ content: "a" }),
      choices: [{ index: 0, delta: { content: "a" }, logprobs: { content: [logprob("a")] }, finish_reason: null }],
    })),
  "calls one after the other": (count) =>
    times(count, (at) => [chunk(callDelta(at, "", `call_${at}`)), chunk(callDelta(at, '{"a":1}'))]).flat(),
  "calls side by side": (count) => [
    ...times(count, (at) => chunk(callDelta(at, '{"a":', `call_${at}`))),
    ...times(count, (at) => chunk(callDelta(count - 1 - at, "1}"))),
  ],
  "pieces of arguments that close an object each": (count) => [
    chunk(callDelta(0, '{"a":[', "call_0")),
    ...times(count, () => chunk(callDelta(0, "{},{}"))),
    chunk(callDelta(0, "]}")),
  ],
  "pieces of arguments behind their end": (count) => [
    chunk(callDelta(0, "{}", "call_0")),
    chunk(callDelta(1, "", "call_1")),
    ...times(count, () => chunk(callDelta(1, "{}"))),
  ],
  "pieces of the arguments of a tool for a text": (count) => [
    chunk({
      tool_calls: [{ index: 0, id: "call_0", type: "function", function: { name: "patch", arguments: '{"note":"' } }],
    }),
    ...times(count, () => chunk(callDelta(0, "words "))),
    chunk(callDelta(0, '"}')),
  ],
  "escapes that JSON does not have, in such a text": (count) => [
    chunk({
      tool_calls: [
        {
          index: 0,
          id: "call_0",
          type: "function",
          function: { name: "patch", arguments: `{"input":"${"\\'".repeat(count)}"}` },
        },
      ],
    }),
  ],
  "details of the reasoning": (count) => times(count, (at) => chunk({ reasoning_details: [detail(at)] })),
  "calls with their seals": (count) =>
    times(count, (at) => [
      chunk(callDelta(at, "{}", `call_${at}`)),
      chunk({ reasoning_details: [sealOf(`call_${at}`)] }),
    ]).flat(),
  "reasons to finish": (count) => [chunk({ content: "Hi" }), ...times(count, () => chunk({}, "stop"))],
  "events without content": (count) => times(count, () => chunk({})),
};

const message = (fields: Fields): Json => ({
  ...chunk({}),
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi", ...fields }, finish_reason: "stop" }],
});

const chatWholes: Readonly<Record<string, (count: number) => Json>> = {
  calls: (count) =>
    message({
      tool_calls: times(count, (at) => ({
        id: `call_${at}`,
        type: "function",
        function: { name: "look", arguments: "{}" },
      })),
    }),
  "calls with their seals": (count) =>
    message({
      tool_calls: times(count, (at) => ({
        id: `call_${at}`,
        type: "function",
        function: { name: "look", arguments: "{}" },
      })),
      reasoning_details: times(count, (at) => sealOf(`call_${count - 1 - at}`)),
    }),
  "parts of the content": (count) => message({ content: times(count, (at) => ({ type: "text", text: `word ${at}` })) }),
  "letters of the text": (count) => message({ content: "a ".repeat(count * 100) }),
  "log-probabilities": (count) => ({
    ...chunk({}),
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "a".repeat(count * 10) },
        logprobs: { content: times(count * 10, () => logprob("a")) },
        finish_reason: "stop",
      },
    ],
  }),
  "members of the usage": (count) => ({
    ...(message({}) as Fields),
    usage: { prompt_tokens: 1, completion_tokens: 1, ...named(count, (at) => at) },
  }),
  choices: (count) => ({
    ...chunk({}),
    choices: times(count, (index) => ({ index, message: { content: "Hi" }, finish_reason: "stop" })),
  }),
};

const USAGE = { input_tokens: 1, output_tokens: 1 };
const responsesText = (at: number): Json => ({
  type: "message",
  id: `msg_${at}`,
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text: `word ${at}`, annotations: [] }],
});
const response = (output: Json[], status = "completed"): Fields => ({
  ...{ id: "resp_1", object: "response", created_at: 1, model: "upstream-1", status },
  ...{ output, usage: USAGE },
});
const named_event = (type: string, fields: Fields): Fields => ({ type, ...fields });
const started = named_event("response.created", { response: response([], "in_progress") });
const addedText = (output_index: number): Json =>
  named_event("response.output_item.added", {
    output_index,
    item: { type: "message", id: `msg_${output_index}`, role: "assistant", status: "in_progress", content: [] },
  });

const responsesStreams: Readonly<Record<string, Events>> = {
  "pieces of text": (count) => [
    ...[started, addedText(0)],
    ...times(count, () =>
      named_event("response.output_text.delta", { output_index: 0, content_index: 0, delta: "word " }),
    ),
  ],
  "items side by side": (count) => [
    started,
    ...times(count, addedText),
    ...times(count, (at) =>
      named_event("response.output_text.delta", { output_index: count - 1 - at, content_index: 0, delta: "word " }),
    ),
  ],
  "items one after the other": (count) => [
    started,
    ...times(count, (at) => [
      addedText(at),
      named_event("response.output_item.done", { output_index: at, item: responsesText(at) }),
    ]).flat(),
  ],
  annotations: (count) => [
    ...[started, addedText(0)],
    named_event("response.content_part.added", {
      output_index: 0,
      content_index: 0,
      part: { type: "output_text", text: "" },
    }),
    named_event("response.output_text.delta", { output_index: 0, content_index: 0, delta: "Hi" }),
    ...times(count, (at) =>
      named_event("response.output_text.annotation.added", { output_index: 0, content_index: 0, annotation: { at } }),
    ),
  ],
};

const responsesWholes: Readonly<Record<string, (count: number) => Json>> = {
  items: (count) => response(times(count, responsesText)),
  "parts of an item": (count) =>
    response([
      {
        type: "message",
        id: "msg",
        role: "assistant",
        content: times(count, () => ({ type: "output_text", text: "Hi" })),
      },
    ]),
  calls: (count) =>
    response(
      times(count, (at) => ({
        type: "function_call",
        id: `fc_${at}`,
        call_id: `call_${at}`,
        name: "look",
        arguments: "{}",
      })),
    ),
  "parts of a summary": (count) =>
    response([
      {
        type: "reasoning",
        id: "rs",
        summary: times(count, () => ({ type: "summary_text", text: "Hm" })),
        encrypted_content: "QUJD",
      },
    ]),
};

const begun = {
  type: "message_start",
  message: { id: "msg", type: "message", role: "assistant", model: "upstream-1", content: [], usage: USAGE },
};
const ended = [
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
  { type: "message_stop" },
];

const messagesStreams: Readonly<Record<string, Events>> = {
  "pieces of text": (count) => [
    ...[begun, { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }],
    ...times(count, () => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "word " } })),
    { type: "content_block_stop", index: 0 },
    ...ended,
  ],
  blocks: (count) => [
    begun,
    ...times(count, (index) => [
      {
        type: "content_block_start",
        index,
        content_block: { type: "tool_use", id: `call_${index}`, name: "look", input: {} },
      },
      { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: "{}" } },
      { type: "content_block_stop", index },
    ]).flat(),
    ...ended,
  ],
  usages: (count) => [
    begun,
    ...times(count, (at) => ({ type: "message_delta", delta: {}, usage: { output_tokens: at, [`member_${at}`]: at } })),
    ...ended,
  ],
};

const messagesWholes: Readonly<Record<string, (count: number) => Json>> = {
  blocks: (count) => ({
    ...begun.message,
    stop_reason: "tool_use",
    content: times(count, (at) => ({ type: "tool_use", id: `call_${at}`, name: "look", input: { at } })),
  }),
};

const candidate = (parts: Json[]): Json => ({
  responseId: "r".repeat(200),
  candidates: [{ content: { parts }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
});

const BEDROCK_END = [
  event("messageStop", JSON.stringify({ stopReason: "end_turn" })),
  event("metadata", JSON.stringify({ usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } })),
];

function shapes<Value>(
  protocol: AnswerShape["protocol"],
  kind: "whole" | "streamed",
  all: Readonly<Record<string, (count: number) => Value>>,
  written: (value: Value) => string | readonly Uint8Array[],
): AnswerShape[] {
  return Object.entries(all).map(([name, make]) => ({
    name: `${protocol}, ${kind}: ${name}`,
    protocol,
    write: (count) => written(make(count)),
  }));
}

const events = (all: Json[]): Uint8Array[] =>
  all.map((one) => Buffer.from(`event: ${(one as Fields).type}\ndata: ${JSON.stringify(one)}\n\n`));

/** Every way in which a vendor's answer can grow. */
export const ANSWER_SHAPES: readonly AnswerShape[] = [
  ...shapes("chat-completions", "streamed", chatStreams, (all) => [...all.map(data), DONE]),
  ...shapes("chat-completions", "whole", chatWholes, (whole) => JSON.stringify(whole)),
  ...shapes("responses", "streamed", responsesStreams, (all) =>
    events([...all, named_event("response.completed", { response: response([]) })]),
  ),
  ...shapes("responses", "whole", responsesWholes, (whole) => JSON.stringify(whole)),
  ...shapes("messages", "streamed", messagesStreams, events),
  ...shapes("messages", "whole", messagesWholes, (whole) => JSON.stringify(whole)),
  {
    name: "gemini, whole: calls",
    protocol: "gemini",
    write: (count) =>
      JSON.stringify(candidate(times(count, (at) => ({ functionCall: { name: "look", args: { at } } })))),
  },
  {
    name: "gemini, streamed: parts",
    protocol: "gemini",
    write: (count) => times(count, (at) => data(candidate([{ text: `word ${at}` }]))),
  },
  {
    name: "bedrock-converse, streamed: blocks",
    protocol: "bedrock-converse",
    write: (count) => [
      ...times(count, (at) => [
        event("contentBlockDelta", JSON.stringify({ contentBlockIndex: at, delta: { text: `word ${at}` } })),
        event("contentBlockStop", JSON.stringify({ contentBlockIndex: at })),
      ]).flat(),
      ...BEDROCK_END,
    ],
  },
  {
    name: "chat-completions, streamed: bytes of a piece, one by one",
    protocol: "chat-completions",
    write: (count) => {
      const frame = data(chunk({ content: "a".repeat(count * 4) }));
      return [...times(frame.length, (at) => frame.subarray(at, at + 1)), DONE];
    },
  },
];
