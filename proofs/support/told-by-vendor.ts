import type { Protocol } from "../../src/core/endpoints.ts";

/** A vendor that answers each request with the bytes that a test has put down for its path, and keeps what it was asked. */
export interface ScriptedVendor extends AsyncDisposable {
  readonly url: string;
  /** What vendors of a configuration have as their base URL: one path for each protocol. */
  baseUrl(protocol: Protocol): string;
  /** Answers all further requests so: events are an SSE stream, an object is a whole answer. */
  answer(answer: Json | readonly Json[], fields?: { readonly named?: boolean; readonly done?: boolean }): void;
  readonly asked: Json[];
}

export type Json = Readonly<Record<string, unknown>>;

export function startScriptedVendor(): ScriptedVendor {
  const asked: Json[] = [];
  let answer: { readonly type: string; readonly body: string } = { type: "application/json", body: "{}" };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      asked.push((await request.json()) as Json);
      return new Response(answer.body, { headers: { "content-type": answer.type } });
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    asked,
    baseUrl: (protocol) => `${url}/${protocol}/v1`,
    answer(said, { named = false, done = false } = {}) {
      if (!isList(said)) answer = { type: "application/json", body: JSON.stringify(said) };
      else {
        const frames = said.map((event) => frameOf(event, named));
        answer = { type: "text/event-stream", body: [...frames, ...(done ? ["data: [DONE]\n\n"] : [])].join("") };
      }
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function isList(said: Json | readonly Json[]): said is readonly Json[] {
  return Array.isArray(said);
}

function frameOf(event: Json, named: boolean): string {
  return `${named ? `event: ${String(event.type)}\n` : ""}data: ${JSON.stringify(event)}\n\n`;
}

/** An answer with a text, or without, that tells its usage in one or more reports. */
export interface Told {
  readonly text: string;
  readonly reports: readonly Json[];
  /** Members beside the usage: `service_tier`. */
  readonly more?: Json;
}

type Teller = (told: Told) => Json | readonly Json[];

/** How a vendor of a protocol tells its usage, streamed and whole: every report stands where the protocol may have one. */
export const TELLERS: Readonly<
  Record<"chat-completions" | "responses" | "messages" | "gemini", Readonly<Record<"streamed" | "whole", Teller>>>
> = {
  "chat-completions": {
    streamed: ({ text, reports, more = {} }) => [
      ...(text === ""
        ? []
        : [
            {
              ...CHUNK,
              ...more,
              choices: [{ index: 0, delta: { role: "assistant", content: text }, finish_reason: null }],
            },
          ]),
      { ...CHUNK, ...more, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      ...reports.map((usage) => ({ ...CHUNK, ...more, choices: [], usage })),
    ],
    whole: ({ text, reports, more = {} }) => ({
      ...{ id: "c1", object: "chat.completion", created: 1, model: "m", ...more },
      choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
      usage: reports.at(-1),
    }),
  },
  responses: {
    streamed: ({ text, reports, more = {} }) =>
      [
        { type: "response.created", response: { ...responseOf(text, "in_progress"), usage: null } },
        ...(text === "" ? [] : said(text)),
        { type: "response.completed", response: { ...responseOf(text, "completed"), ...more, usage: reports.at(-1) } },
      ].map((event, sequence_number) => ({ ...event, sequence_number })),
    whole: ({ text, reports, more = {} }) => ({ ...responseOf(text, "completed"), ...more, usage: reports.at(-1) }),
  },
  messages: {
    streamed: ({ text, reports, more = {} }) => [
      { type: "message_start", message: { ...MESSAGE, ...more, content: [], usage: reports[0] } },
      ...(text === ""
        ? []
        : [
            { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
            { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
            { type: "content_block_stop", index: 0 },
          ]),
      ...reports
        .slice(1)
        .map((usage) => ({ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage })),
      { type: "message_stop" },
    ],
    whole: ({ text, reports, more = {} }) => ({
      ...MESSAGE,
      ...more,
      content: text === "" ? [] : [{ type: "text", text }],
      usage: reports.at(-1),
    }),
  },
  gemini: {
    streamed: ({ text, reports, more = {} }) => [
      ...reports.map((usageMetadata, index) => ({
        candidates: [
          {
            index: 0,
            content: { role: "model", parts: index === 0 && text !== "" ? [{ text }] : [] },
            ...(index === reports.length - 1 && { finishReason: "STOP" }),
          },
        ],
        usageMetadata: { ...usageMetadata, ...more },
      })),
    ],
    whole: ({ text, reports, more = {} }) => ({
      candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }],
      usageMetadata: { ...reports.at(-1), ...more },
    }),
  },
};

const CHUNK = { id: "c1", object: "chat.completion.chunk", created: 1, model: "m" };
const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  stop_reason: "end_turn",
  stop_sequence: null,
};

function item(text: string): Json {
  return {
    type: "message",
    id: "m1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
}

function responseOf(text: string, status: string): Json {
  const output = text === "" || status === "in_progress" ? [] : [item(text)];
  return {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status,
    error: null,
    incomplete_details: null,
    model: "m",
    output,
  };
}

function said(text: string): Json[] {
  const at = { item_id: "m1", output_index: 0, content_index: 0 };
  return [
    { type: "response.output_item.added", output_index: 0, item: { ...item(""), status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...at, part: { type: "output_text", text: "", annotations: [] } },
    { type: "response.output_text.delta", ...at, delta: text },
    { type: "response.output_text.done", ...at, text },
    { type: "response.content_part.done", ...at, part: { type: "output_text", text, annotations: [] } },
    { type: "response.output_item.done", output_index: 0, item: item(text) },
  ];
}
