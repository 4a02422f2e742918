import type { JsonObject, JsonValue } from "../../../core/json.ts";
import type { Example, SampleSettings } from "./operation.ts";

/** The requests and answers in the document; a test checks each against its schema. */

type Examples = Readonly<Record<string, Example>>;

const WEATHER = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
};
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export function chatExamples({ model_a }: SampleSettings): Examples {
  return {
    plain: {
      summary: "A question",
      value: {
        model: model_a,
        messages: [
          { role: "system", content: "Answer in one sentence." },
          { role: "user", content: "Why is the sky blue?" },
        ],
        max_completion_tokens: 256,
      },
    },
    stream: {
      summary: "A stream with its usage",
      value: {
        model: model_a,
        messages: [{ role: "user", content: "Say hello." }],
        stream: true,
        stream_options: { include_usage: true },
      },
    },
    image: {
      summary: "An image",
      value: {
        model: model_a,
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "What is in this picture?" },
              { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
            ],
          },
        ],
      },
    },
    tools: {
      summary: "A tool, and its result",
      value: {
        model: model_a,
        messages: [
          { role: "user", content: "What is the weather in Lima?" },
          {
            role: "assistant",
            content: null,
            tool_calls: [
              { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Lima"}' } },
            ],
          },
          { role: "tool", tool_call_id: "call_1", content: "19 °C, fog" },
        ],
        tools: [{ type: "function", function: { name: "weather", description: "Weather now", parameters: WEATHER } }],
        tool_choice: "auto",
      },
    },
  };
}

export function chatAnswer({ model_a }: SampleSettings): JsonValue {
  return {
    id: "chatcmpl-8q0Zb2",
    object: "chat.completion",
    created: 1795219200,
    model: model_a,
    choices: [{ index: 0, message: { role: "assistant", content: "Hello!" }, finish_reason: "stop" }],
    usage: {
      prompt_tokens: 11,
      completion_tokens: 3,
      total_tokens: 14,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
      cost: 0.000065,
    },
  };
}

export function chatStream({ model_a }: SampleSettings): string {
  const chunk = (choices: unknown, more = {}) =>
    `data: ${JSON.stringify({ id: "chatcmpl-8q0Zb2", object: "chat.completion.chunk", created: 1795219200, model: model_a, choices, ...more })}\n\n`;
  const delta = (delta: unknown, finish_reason: string | null = null) => chunk([{ index: 0, delta, finish_reason }]);
  const usage = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14, cost: 0.000065 };
  return [
    delta({ role: "assistant", content: "" }),
    delta({ content: "Hel" }),
    delta({ content: "lo!" }),
    delta({}, "stop"),
    chunk([], { usage }),
    "data: [DONE]\n\n",
  ].join("");
}

export function responsesExamples({ model_a }: SampleSettings): Examples {
  return {
    plain: {
      summary: "A question",
      value: {
        model: model_a,
        instructions: "Answer in one sentence.",
        input: "Why is the sky blue?",
        max_output_tokens: 256,
      },
    },
    items: {
      summary: "Items: an image, a call and its output",
      value: {
        model: model_a,
        input: [
          {
            type: "message",
            role: "user",
            content: [
              { type: "input_text", text: "What is the weather here?" },
              { type: "input_image", image_url: `data:image/png;base64,${PIXEL}`, detail: "auto" },
            ],
          },
          { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Lima"}' },
          { type: "function_call_output", call_id: "call_1", output: "19 °C, fog" },
        ],
        tools: [{ type: "function", name: "weather", description: "Weather now", parameters: WEATHER, strict: false }],
      },
    },
    reasoning: {
      summary: "With reasoning, streamed",
      value: { model: model_a, input: "What is 17 × 23?", reasoning: { effort: "low" }, stream: true },
    },
  };
}

export function responsesAnswer({ model_a }: SampleSettings): JsonValue {
  return {
    id: "resp_5Tq1",
    object: "response",
    created_at: 1795219200,
    status: "completed",
    error: null,
    incomplete_details: null,
    model: model_a,
    output: [
      {
        type: "message",
        id: "msg_5Tq1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Hello!", annotations: [] }],
      },
    ],
    usage: {
      input_tokens: 11,
      output_tokens: 3,
      total_tokens: 14,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
      cost: 0.000065,
    },
  };
}

export function responsesStream(settings: SampleSettings): string {
  const whole = responsesAnswer(settings) as JsonObject;
  const begun = { ...whole, status: "in_progress", output: [], usage: null };
  const item = { type: "message", id: "msg_5Tq1", role: "assistant", status: "in_progress", content: [] };
  const place = { item_id: "msg_5Tq1", output_index: 0, content_index: 0 };
  const part = { type: "output_text", text: "", annotations: [] };
  const events = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.content_part.added", ...place, part },
    { type: "response.output_text.delta", ...place, delta: "Hello!" },
    { type: "response.output_text.done", ...place, text: "Hello!" },
    { type: "response.content_part.done", ...place, part: { ...part, text: "Hello!" } },
    { type: "response.output_item.done", output_index: 0, item: (whole.output as JsonObject[])[0] },
    { type: "response.completed", response: whole },
  ];
  return named(events.map((event, sequence_number) => ({ ...event, sequence_number })));
}

export function messagesExamples({ model_b }: SampleSettings): Examples {
  return {
    plain: {
      summary: "A question",
      value: {
        model: model_b,
        max_tokens: 256,
        system: "Answer in one sentence.",
        messages: [{ role: "user", content: "Why is the sky blue?" }],
      },
    },
    image: {
      summary: "An image",
      value: {
        model: model_b,
        max_tokens: 256,
        messages: [
          {
            role: "user",
            content: [
              { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
              { type: "text", text: "What is in this picture?" },
            ],
          },
        ],
      },
    },
    tools: {
      summary: "A tool, and its result",
      value: {
        model: model_b,
        max_tokens: 256,
        messages: [
          { role: "user", content: "What is the weather in Lima?" },
          {
            role: "assistant",
            content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Lima" } }],
          },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "19 °C, fog" }] },
        ],
        tools: [{ name: "weather", description: "Weather now", input_schema: WEATHER }],
        tool_choice: { type: "auto" },
      },
    },
    thinking: {
      summary: "With thinking, streamed",
      value: {
        model: model_b,
        max_tokens: 4096,
        thinking: { type: "enabled", budget_tokens: 2048 },
        messages: [{ role: "user", content: "What is 17 × 23?" }],
        stream: true,
      },
    },
  };
}

export function messagesAnswer({ model_b }: SampleSettings): JsonValue {
  return {
    id: "msg_01Xy",
    type: "message",
    role: "assistant",
    model: model_b,
    content: [{ type: "text", text: "Hello!" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: {
      ...{ input_tokens: 11, output_tokens: 3, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
      cost: 0.000065,
    },
  };
}

export function messagesStream(settings: SampleSettings): string {
  const start = { ...(messagesAnswer(settings) as JsonObject), content: [], stop_reason: null };
  return named([
    { type: "message_start", message: { ...start, usage: { input_tokens: 11, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello!" } },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: {
        ...{ input_tokens: 11, output_tokens: 3, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
        cost: 0.000065,
      },
    },
    { type: "message_stop" },
  ]);
}

/** Writes events with their type as the event's name. */
function named(events: readonly (Record<string, unknown> & { readonly type: string })[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
