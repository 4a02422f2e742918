import Anthropic from "@anthropic-ai/sdk";
import { ApiError, GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import type { GenerationEndpoint } from "../../../src/core/endpoints.ts";

/** What a client has of an answer: its text, and its calls in their order. */
export interface Reading {
  readonly text: string;
  /** Each with its name and its arguments, as JSON with sorted keys where they are JSON. */
  readonly calls: readonly string[];
}

/** A reading, or the error of the gateway that the client was given instead. */
export type Read = Reading | { readonly refused: string };

/** An answer of the gateway as HTTP. */
export type Answered = { readonly status: number; readonly body: string; readonly is_stream: boolean };

/** Reads an answer as the official client of a style does. Throws whatever that client throws but an error the gateway sent. */
export async function readBySdk(style: GenerationEndpoint, answered: Answered): Promise<Read> {
  try {
    return await READERS[style](answered);
  } catch (thrown) {
    if (thrown instanceof ApiError) return { refused: thrown.message };
    if (thrown instanceof OpenAI.APIError || thrown instanceof Anthropic.APIError) {
      if (!(thrown instanceof OpenAI.APIConnectionError) && !(thrown instanceof Anthropic.APIConnectionError))
        return { refused: thrown.message };
    }
    // openai-node refuses events that it does not know; relay passes them on for clients that do (docs/rulings.md 202). And it refuses more
    // calls than any model makes.
    if (
      thrown instanceof OpenAI.OpenAIError &&
      [UNKNOWN_EVENT, TOO_MANY_CALLS].some((words) => words.test(thrown.message))
    )
      return { refused: thrown.message };
    throw thrown;
  }
}

/** A reading for comparison: which call comes first is not a matter of what a client has. */
export function sorted(read: Read): Read {
  return "calls" in read ? { ...read, calls: read.calls.toSorted() } : read;
}

const UNKNOWN_EVENT = /^Unhandled response stream event/;
const TOO_MANY_CALLS = /invalid tool call index: (?:12[89]|1[3-9]\d|[2-9]\d\d|\d{4,})$/;
const ASK = "What is the tide at Brest?";
const CHAT = { model: "acme/swift", messages: [{ role: "user" as const, content: ASK }] };
const RESPONSE = { model: "acme/swift", input: ASK };
const MESSAGE = { ...CHAT, max_tokens: 1000 };

const READERS: Readonly<Record<GenerationEndpoint, (answered: Answered) => Promise<Reading>>> = {
  async "chat.completions"(answered) {
    const { completions } = openai(answered).chat;
    const completion = answered.is_stream
      ? await completions.stream(CHAT).finalChatCompletion()
      : await completions.create(CHAT);
    const message = completion.choices[0]?.message;
    const calls = (message?.tool_calls ?? []).map((call) =>
      call.type === "function"
        ? callOf(call.function.name, call.function.arguments)
        : callOf(call.custom.name, call.custom.input),
    );
    return { text: (message?.content ?? "") + (message?.refusal ?? ""), calls };
  },
  async responses(answered) {
    const { responses } = openai(answered);
    const response = answered.is_stream
      ? await responses.stream(RESPONSE).finalResponse()
      : await responses.create(RESPONSE);
    if (response.status === "failed")
      return Promise.reject(new OpenAI.APIError(502, undefined, response.error?.message, undefined));
    return readingOfOutput(response.output);
  },
  async messages(answered) {
    const { messages } = new Anthropic({
      apiKey: "cm-test",
      maxRetries: 0,
      fetch: () => Promise.resolve(httpOf(answered)),
    });
    const message = answered.is_stream ? await messages.stream(MESSAGE).finalMessage() : await messages.create(MESSAGE);
    let text = "";
    const calls: string[] = [];
    for (const block of message.content) {
      if (block.type === "text") text += block.text;
      if (block.type === "tool_use") calls.push(callOf(block.name, JSON.stringify(block.input)));
    }
    return { text, calls };
  },
  async generateContent(answered) {
    const google = new GoogleGenAI({
      apiKey: "cm-test",
      httpOptions: { baseUrl: "http://127.0.0.1", fetch: () => Promise.resolve(httpOf(answered)) },
    });
    const asked = { model: "acme/swift", contents: ASK };
    const pieces = answered.is_stream
      ? await Array.fromAsync(await google.models.generateContentStream(asked))
      : [await google.models.generateContent(asked)];
    let text = "";
    const calls: string[] = [];
    for (const piece of pieces) {
      for (const part of piece.candidates?.[0]?.content?.parts ?? [])
        if (typeof part.text === "string" && part.thought !== true) text += part.text;
      for (const { name = "", args = {} } of piece.functionCalls ?? []) calls.push(callOf(name, JSON.stringify(args)));
    }
    return { text, calls };
  },
};

function openai(answered: Answered): OpenAI {
  return new OpenAI({ apiKey: "cm-test", maxRetries: 0, fetch: () => Promise.resolve(httpOf(answered)) });
}

function httpOf({ status, body, is_stream }: Answered): Response {
  const type = is_stream && status === 200 ? "text/event-stream" : "application/json";
  return new Response(body, { status, headers: { "content-type": type } });
}

/** The reading of a response's output. */
export function readingOfOutput(output: readonly object[]): Reading {
  let text = "";
  const calls: string[] = [];
  for (const item of output as readonly Item[]) {
    if (item.type === "message") for (const part of item.content ?? []) text += part.text ?? part.refusal ?? "";
    if (item.type === "function_call") calls.push(callOf(item.name ?? "", item.arguments ?? ""));
    if (item.type === "custom_tool_call") calls.push(callOf(item.name ?? "", item.input ?? ""));
  }
  return { text, calls };
}

interface Item {
  readonly type: string;
  readonly content?: readonly { readonly text?: string; readonly refusal?: string }[];
  readonly name?: string;
  readonly arguments?: string;
  readonly input?: string;
}

export function callOf(name: string, args: string): string {
  try {
    return `${name} ${JSON.stringify(JSON.parse(args))}`;
  } catch {
    return `${name} ${args}`;
  }
}
