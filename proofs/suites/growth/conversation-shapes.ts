import { packHidden, packOpaque } from "../../../src/protocols/shared/opaque.ts";
import { type Fields, type Json, named, type RequestShape, times } from "./shape.ts";
import { CHAT, MESSAGES, RESPONSES, type Style } from "./styles.ts";

type Messages = (count: number) => Json[];

const chatMessages: Readonly<Record<string, Messages>> = {
  messages: (count) => times(count, (at) => ({ role: at % 2 === 0 ? "user" : "assistant", content: "Hi" })),
  "system messages": (count) => times(count, () => ({ role: "system", content: "Hi" })),
  "messages, the last of which is wrong": (count) => [
    ...times(count, () => ({ role: "user", content: "Hi" })),
    { role: "user", content: [{ type: "text" }] },
  ],
  "messages with names": (count) => times(count, (at) => ({ role: "user", name: `n${at}`, content: "Hi" })),
  "blocks of a message": (count) => [{ role: "user", content: times(count, () => ({ type: "text", text: "Hi" })) }],
  "blocks of a system message": (count) => [
    { role: "system", content: times(count, () => ({ type: "text", text: "Hi" })) },
    { role: "user", content: "Hi" },
  ],
  "blocks, the last of which is wrong": (count) => [
    { role: "user", content: [...times(count, () => ({ type: "text", text: "Hi" })), { type: "nothing" }] },
  ],
  "blocks with cache hints": (count) => [
    { role: "user", content: times(count, () => ({ type: "text", text: "Hi", cache_control: { type: "ephemeral" } })) },
  ],
  images: (count) => [
    {
      role: "user",
      content: times(count, () => ({ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } })),
    },
  ],
  "files of one name": (count) => [
    {
      role: "user",
      content: times(count, () => ({
        type: "file",
        file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" },
      })),
    },
  ],
  "calls of a message, and their results": (count) => [
    { role: "user", content: "Hi" },
    { role: "assistant", content: null, tool_calls: times(count, chatCall) },
    ...times(count, (at) => ({ role: "tool", tool_call_id: `call_${count - 1 - at}`, content: "ok" })),
  ],
  "calls with one result, which is none of them": (count) => [
    { role: "assistant", content: null, tool_calls: times(count, chatCall) },
    { role: "tool", tool_call_id: "other", content: "ok" },
  ],
  "rounds of calls": (count) =>
    times(count, (at) => [
      { role: "assistant", content: null, tool_calls: [chatCall(at)] },
      { role: "tool", tool_call_id: `call_${at}`, content: [{ type: "text", text: "ok" }] },
    ]).flat(),
  "details of the reasoning": (count) => [
    { role: "user", content: "Hi" },
    {
      role: "assistant",
      content: "Hello",
      reasoning_details: times(count, (index) => ({ type: "reasoning.text", text: "Hm", index })),
    },
  ],
  "calls with their seals": (count) => [
    { role: "user", content: "Hi" },
    {
      role: "assistant",
      content: "Hello",
      tool_calls: times(count, chatCall),
      reasoning_details: times(count, (at) => ({
        type: "reasoning.encrypted",
        data: "QUJD",
        id: `call_${count - 1 - at}`,
        format: "google-gemini-v1",
      })),
    },
  ],
  "arguments of a call": (count) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ ...chatCall(0), function: { name: "look", arguments: JSON.stringify(named(count, (at) => at)) } }],
    },
  ],
  "levels in the arguments of a call": (count) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { ...chatCall(0), function: { name: "look", arguments: `${'{"a":'.repeat(count)}1${"}".repeat(count)}` } },
      ],
    },
  ],
};

function chatCall(at: number): Fields {
  return { type: "function", id: `call_${at}`, function: { name: "look", arguments: `{"at":${at}}` } };
}

const seal = (id: string) => packOpaque({ family: "google", form: "signature", data: "QUJD", id });

const messagesMessages: Readonly<Record<string, Messages>> = {
  messages: (count) => times(count, (at) => ({ role: at % 2 === 0 ? "user" : "assistant", content: "Hi" })),
  "system messages amid the conversation": (count) =>
    times(count, (at) => [
      { role: "user", content: `Hi ${at}` },
      { role: "system", content: "Mind this." },
      { role: "system", content: [{ type: "text", text: "And this." }] },
    ]).flat(),
  "messages, the last of which is wrong": (count) => [
    ...times(count, () => ({ role: "user", content: "Hi" })),
    { role: "user", content: [{ type: "text" }] },
  ],
  "messages, the last of which has no role": (count) => [...times(count, () => ({ role: "user", content: "Hi" })), {}],
  "blocks of a message": (count) => [
    { role: "user", content: times(count, () => ({ type: "text", text: "Hi", cache_control: { type: "ephemeral" } })) },
  ],
  "blocks of types that nobody knows": (count) => [
    { role: "user", content: "Hi" },
    { role: "assistant", content: times(count, (at) => ({ type: `unknown_${at}` })) },
  ],
  "calls of a message, and their results": (count) => [
    { role: "user", content: "Hi" },
    { role: "assistant", content: times(count, messagesCall) },
    {
      role: "user",
      content: times(count, (at) => ({
        type: "tool_result",
        tool_use_id: `call_${count - 1 - at}`,
        content: [{ type: "text", text: "ok" }],
      })),
    },
  ],
  "rounds of calls": (count) =>
    times(count, (at) => [
      { role: "assistant", content: [messagesCall(at)] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `call_${at}`, content: "ok" }] },
    ]).flat(),
  "numbers of twenty digits in calls": (count) => [
    { role: "user", content: "Hi" },
    {
      role: "assistant",
      content: times(count, (at) => ({ ...messagesCall(at), input: { id: "@12345678901234567890@" } })),
    },
  ],
  "documents in a result": (count) => [
    { role: "assistant", content: [messagesCall(0)] },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "call_0",
          content: times(count, () => ({
            type: "document",
            source: { type: "base64", media_type: "application/pdf", data: "AAAA" },
          })),
        },
      ],
    },
  ],
  "images in a result": (count) => [
    { role: "assistant", content: [messagesCall(0)] },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "call_0",
          content: times(count, () => ({
            type: "image",
            source: { type: "base64", media_type: "image/png", data: "AAAA" },
          })),
        },
      ],
    },
  ],
  "thinking that this gateway packed": (count) => [
    { role: "user", content: "Hi" },
    {
      role: "assistant",
      content: times(count, (at) => ({
        type: "thinking",
        thinking: "",
        signature: packHidden(`Hm ${at}`, packOpaque({ family: "openai", form: "encrypted", data: "QUJD" })),
      })),
    },
    { role: "user", content: "And?" },
  ],
  "seals of calls in other messages": (count) => [
    { role: "user", content: "Hi" },
    { role: "assistant", content: times(count, messagesCall) },
    { role: "user", content: "And?" },
    { role: "assistant", content: times(count, (at) => ({ type: "redacted_thinking", data: seal(`call_${at}`) })) },
    { role: "user", content: "And?" },
  ],
  "seals of one call": (count) => [
    { role: "user", content: "Hi" },
    { role: "assistant", content: times(count, () => messagesCall(0)) },
    { role: "user", content: "And?" },
    { role: "assistant", content: times(count, () => ({ type: "redacted_thinking", data: seal("call_0") })) },
    { role: "user", content: "And?" },
  ],
};

function messagesCall(at: number): Fields {
  return { type: "tool_use", id: `call_${at}`, name: "look", input: { at } };
}

const responsesItems: Readonly<Record<string, Messages>> = {
  items: (count) => times(count, (at) => ({ role: at % 2 === 0 ? "user" : "assistant", content: "Hi" })),
  "items of the developer": (count) => times(count, () => ({ role: "developer", content: "Hi" })),
  "items, the last of which is wrong": (count) => [...times(count, () => ({ role: "user", content: "Hi" })), {}],
  "parts of an item": (count) => [{ role: "user", content: times(count, () => ({ type: "input_text", text: "Hi" })) }],
  "calls, and their outputs": (count) => [
    ...times(count, (at) => responsesCall(at)),
    ...times(count, (at) => ({ type: "function_call_output", call_id: `call_${count - 1 - at}`, output: "ok" })),
  ],
  "calls of custom tools, and their outputs": (count) =>
    times(count, (at) => [
      { type: "custom_tool_call", call_id: `call_${at}`, name: "patch", input: "x" },
      { type: "custom_tool_call_output", call_id: `call_${at}`, output: "ok" },
    ]).flat(),
  "reasoning before each call": (count) =>
    times(count, (at) => [
      { type: "reasoning", id: `rs_${at}`, summary: [{ type: "summary_text", text: "Hm" }], encrypted_content: "QUJD" },
      responsesCall(at),
    ]).flat(),
  "seals of calls": (count) => [
    ...times(count, (at) => responsesCall(at)),
    ...times(count, (at) => ({
      type: "reasoning",
      summary: [],
      encrypted_content: `camino-of:${`call_${at}`.length}:call_${at}:${seal("")}`,
    })),
  ],
  "calls of hosted tools": (count) =>
    times(count, (at) => ({ type: "web_search_call", id: `ws_${at}`, status: "completed" })),
  "files of one name": (count) => [
    {
      role: "user",
      content: times(count, () => ({
        type: "input_file",
        filename: "a.pdf",
        file_data: "data:application/pdf;base64,AAAA",
      })),
    },
  ],
};

function responsesCall(at: number): Fields {
  return { type: "function_call", call_id: `call_${at}`, name: "look", arguments: `{"at":${at}}` };
}

/** The names of conversations that are refused. */
const WRONG = /is wrong|none of them|no role/;

function conversations(style: Style, member: string, all: Readonly<Record<string, Messages>>): RequestShape[] {
  return Object.entries(all).map(([name, write]) => ({
    name: `${style.endpoint}: ${name}`,
    endpoint: style.endpoint,
    ...(WRONG.test(name) && { is_refused: true as const }),
    // Numbers that no double can hold are written between two signs.
    write: (count) => JSON.stringify({ ...style.base, [member]: write(count) }).replaceAll(/"@(\d+)@"/g, "$1"),
  }));
}

/** The ways in which a conversation can grow. */
export const CONVERSATION_SHAPES: readonly RequestShape[] = [
  ...conversations(CHAT, "messages", chatMessages),
  ...conversations(MESSAGES, "messages", messagesMessages),
  ...conversations(RESPONSES, "input", responsesItems),
];
