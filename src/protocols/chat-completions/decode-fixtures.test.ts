import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { checkChatStream } from "../../../proofs/grammars/chat-completions/stream-grammar.ts";
import { decodeInPieces, outcomeOf } from "../../../proofs/support/decoded-answer.ts";
import { generation } from "../../../proofs/support/generation.ts";
import { PIECE_SIZES, withCrlf } from "../../../proofs/support/replay-stream.ts";
import type { FinishReason } from "../../core/answer/stream-event.ts";
import { ChatStreamDecoder, chatClientCodec, decodeResponse } from "./codec.ts";

/** Recorded vendor traffic decoded to events: the content of each answer and its finish reason. */

const FOLDER = new URL("../../../proofs/fixtures/chat-completions/", import.meta.url);
const fixture = (name: string) => readFileSync(new URL(name, FOLDER));
const namesOf = (ending: string) => readdirSync(FOLDER).filter((name) => name.endsWith(ending));

type Said = readonly [blocks: Readonly<Record<string, string>>[], reason: FinishReason];
type Expected = Said | "unfinished" | { readonly status: number };

const STREAMS: Readonly<Record<string, Expected>> = {
  "openai-text.sse": [[{ text: 'The tide says "model":"gpt"\nat dawn, café.' }], "stop"],
  "openai-tools.sse": [[{ call_Kx1: '{"port":"Brest"}' }], "tool-calls"],
  "openai-parallel-tools.sse": [[{ call_P1: '{"a":2,"b":3}' }, { call_P2: '{"a":2,"b":3}' }], "tool-calls"],
  // A translated request never asks for two choices; the first is read.
  "openai-two-choices.sse": [[{ text: "Up" }], "stop"],
  "openai-content-filter.sse": [[{ text: "I was about" }], "content-filter"],
  "deepseek-reasoning.sse": [[{ reasoning: "Two and two." }, { text: "Four." }], "stop"],
  "xai-reasoning.sse": [[{ reasoning: "First think" }, { text: "Olá!" }], "stop"],
  "groq-reasoning.sse": [[{ reasoning: "User greets." }, { text: "Hello there" }], "stop"],
  "mistral-thinking.sse": [[{ reasoning: "Let me count" }, { text: "Three." }], "stop"],
  "mistral-tools.sse": [[{ D681PevKs: '{"a": 1}' }, { D681PevKt: '{"b": 2}' }], "tool-calls"],
  "azure-prompt-filter.sse": [[{ text: "Hi" }], "stop"],
  "moonshot-usage-in-choice.sse": [[{ text: "Moon" }], "stop"],
  "openrouter-comments.sse": [[{ reasoning: "Hm" }, { text: "Yes" }], "stop"],
  "openrouter-sealed.sse": [[{ reasoning: "Looking" }, { call_1: "{}" }], "tool-calls"],
  "openrouter-mid-stream-error.sse": { status: 502 },
  "openai-first-event-error.sse": { status: 502 },
  "overloaded-first-event.sse": { status: 529 },
  "spaced-without-done.sse": [[{ text: "Grüße, Welt 🌊" }], "stop"],
  "cut-in-the-middle.sse": "unfinished",
  "unbelievable-usage.sse": [[{ text: "Free?" }], "stop"],
};

const BODIES: Readonly<Record<string, Expected>> = {
  "openai-text.json": [[{ text: 'It says "model":"gpt-4" there.' }], "stop"],
  "openai-tools.json": [[{ call_1: '{"model":"port"}' }], "tool-calls"],
  "deepseek-reasoning.json": [[{ reasoning: "2+2" }, { text: "4" }], "stop"],
  "xai-reasoning.json": [[{ text: "Hi" }], "stop"],
  "openrouter-sealed.json": [[{ reasoning: "Looking" }, { call_1: "{}" }], "tool-calls"],
  "model-last.json": [[{ text: "x" }], "stop"],
  "error-in-200.json": { status: 429 },
  "no-choices.json": { status: 502 },
};

function summary(outcome: ReturnType<typeof outcomeOf>): unknown {
  if (outcome === "unfinished") return outcome;
  if ("status" in outcome) return { status: outcome.status };
  const blocks = outcome.blocks.map((block) => ({ [block.kind === "tool-call" ? block.id : block.kind]: block.text }));
  return [blocks, outcome.reason];
}

test("every fixture has an expected outcome", () => {
  expect(Object.keys(STREAMS).sort()).toEqual(namesOf(".sse").sort());
  expect(Object.keys(BODIES).sort()).toEqual(namesOf(".json").sort());
});

describe("a vendor's stream", () => {
  for (const [name, expected] of Object.entries(STREAMS)) {
    test(`${name} has the same content in any pieces and with any line ends`, () => {
      const bytes = fixture(name);
      const whole = outcomeOf(decodeInPieces(new ChatStreamDecoder(generation()), bytes, null));
      expect(summary(whole)).toEqual(expected);
      for (const variant of [bytes, withCrlf(bytes)]) {
        for (const size of PIECE_SIZES)
          expect(outcomeOf(decodeInPieces(new ChatStreamDecoder(generation()), variant, size))).toEqual(whole);
      }
    });
  }

  const whole = Object.entries(STREAMS).filter(([, expected]) => Array.isArray(expected));
  for (const [name] of whole) {
    test(`${name} becomes a legal stream for chat clients`, () => {
      const request = generation({ stream: true });
      const context = { model: "acme/swift", request, body: {}, input_estimate_tokens: 1, created: 1 };
      const encoder = chatClientCodec.openEncoder(context);
      const events = decodeInPieces(new ChatStreamDecoder(request), fixture(name), 64);
      expect(checkChatStream(events.map((event) => encoder.encode(event)).join(""))).toEqual({ end: "done" });
    });
  }

  test("shows the same usage as when it is relayed", () => {
    const decoder = new ChatStreamDecoder(generation());
    decodeInPieces(decoder, fixture("unbelievable-usage.sse"), null);
    expect([decoder.usage, decoder.rejected_usage]).toMatchObject([null, { prompt_tokens: -5 }]);
    const other = new ChatStreamDecoder(generation());
    decodeInPieces(other, fixture("openai-parallel-tools.sse"), null);
    expect(other.usage).toMatchObject({ input_tokens: 37, cache_read_tokens: 64, output_tokens: 52 });
  });
});

describe("a vendor's whole answer", () => {
  for (const [name, expected] of Object.entries(BODIES)) {
    test(`${name} is decoded to its expected outcome`, () => {
      expect(summary(outcomeOf(decodeResponse(fixture(name), generation()).events))).toEqual(expected);
    });
  }

  test("that is no answer is an error, never an exception", () => {
    for (const text of [
      "",
      "<html>",
      "[]",
      '{"id":',
      '{"choices":"x"}',
      '{"choices":[null]}',
      '{"choices":[{"message":7}]}',
    ]) {
      const { events } = decodeResponse(Buffer.from(text), generation());
      expect(["error", "finish"]).toContain(events.at(-1)?.type as string);
    }
  });
});
