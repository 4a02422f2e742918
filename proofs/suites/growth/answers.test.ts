import { describe, expect, test } from "bun:test";
import type { Exchange, StreamAnswer } from "../../../src/core/answer/exchange.ts";
import { bytesOf } from "../../../src/core/answer/sent-body.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { NO_USAGE } from "../../../src/core/money/usage.ts";
import { adapterBetween, clientProtocols } from "../../../src/main/protocols.ts";
import { ANSWER_SHAPES, type AnswerShape } from "./answer-shapes.ts";
import { growthOf, inWords, MOST_POWER } from "./measure.ts";
import type { Fields } from "./shape.ts";
import { TARGETS } from "./targets.ts";

/**
 * A vendor's answer costs time in proportion to its size (docs/rulings.md 140), whole and streamed, however it ends, and
 * in whatever style the client gets it. The requests ask for what makes reading an answer harder: stop sequences that
 * the gateway looks for itself, a tool for a text, a format that the vendor does not have.
 */

const HEADERS = { get: (name: string) => (name === "anthropic-version" ? "2023-06-01" : null) };
const COUNT = 2000;

const STOP = [`${"a".repeat(100_000)}b`, "abab"];
const SCHEMA = { type: "object", properties: {}, additionalProperties: true };

const REQUESTS = {
  "chat.completions": {
    model: "m",
    messages: [{ role: "user", content: "Hi" }],
    stop: [...STOP, "one", "two", "three"],
    logprobs: true,
    response_format: { type: "json_schema", json_schema: { name: "answer", schema: SCHEMA } },
  },
  responses: {
    model: "m",
    input: "Hi",
    tools: [{ type: "custom", name: "patch" }],
    include: ["message.output_text.logprobs"],
    top_logprobs: 1,
  },
  messages: { model: "m", max_tokens: 100, messages: [{ role: "user", content: "Hi" }], stop_sequences: STOP },
} as const satisfies Record<string, Fields>;

type Style = keyof typeof REQUESTS;

const TARGET_OF = {
  "chat-completions": TARGETS["chat completions of a strict vendor"],
  responses: TARGETS.responses,
  messages: TARGETS["messages of a strict vendor"],
  gemini: TARGETS["gemini without ids of calls"],
  "bedrock-converse": TARGETS["bedrock-converse"],
};

function exchangeOf(style: Style, protocol: AnswerShape["protocol"], stream: boolean): Exchange | null {
  const text = JSON.stringify({ ...REQUESTS[style], stream });
  const request = clientProtocols[style].readRequest(text, HEADERS);
  const target = TARGET_OF[protocol];
  const way = adapterBetween(request.protocol, protocol);
  return way === null || target === undefined ? null : way.prepare(request, target, HEADERS);
}

const FAILURE = new GatewayError("provider_error", "The model service went away.");

const PROTOCOL_OF = { "chat.completions": "chat-completions", responses: "responses", messages: "messages" } as const;
const WELL = "that ends well";
/** The ways in which a stream can end. */
const ENDINGS: Readonly<Record<string, (stream: StreamAnswer) => Uint8Array>> = {
  [WELL]: (stream) => stream.finish(NO_USAGE),
  "that is cut": (stream) => stream.cut(NO_USAGE),
  "that fails": (stream) => stream.fail(FAILURE, "req_1"),
};

function passStream(
  exchange: Exchange,
  frames: readonly Uint8Array[],
  end: (stream: StreamAnswer) => Uint8Array,
): number {
  const stream = exchange.openStream();
  let bytes = 0;
  for (const frame of frames) {
    bytes += stream.push(frame).length;
    bytes += stream.output_bytes + Number(stream.has_content) + Number(stream.complete);
  }
  return bytes + stream.end().length + end(stream).length + stream.output_sample.length;
}

function passWhole(exchange: Exchange, body: string): number {
  const answer = exchange.readWhole(body);
  const shown = answer.failure === null ? bytesOf(answer.bodyWith?.(NO_USAGE) ?? answer.body).length : 0;
  return shown + answer.output_bytes + answer.output_sample.length;
}

function steepPasses({ protocol, write }: AnswerShape): string[] {
  const written = new Map([COUNT, 2 * COUNT, 4 * COUNT].map((count) => [count, write(count)]));
  const steep: string[] = [];
  const look = (name: string, pass: (answer: string | readonly Uint8Array[]) => unknown) => {
    const growth = growthOf((count) => () => pass(written.get(count) ?? ""), COUNT);
    if (growth.power > MOST_POWER) steep.push(`${name}: ${inWords(growth)}`);
  };
  for (const style of Object.keys(REQUESTS) as Style[]) {
    const is_stream = typeof written.get(COUNT) !== "string";
    const exchange = exchangeOf(style, protocol, is_stream);
    if (exchange === null) continue;
    if (!is_stream) look(`for ${style}`, (answer) => passWhole(exchange, answer as string));
    else {
      for (const [name, end] of Object.entries(ENDINGS)) {
        // A translated stream is closed from what is open; a relayed one is put together again from all that passed.
        if (name !== WELL && PROTOCOL_OF[style] !== protocol) continue;
        look(`for ${style}, ${name}`, (answer) => passStream(exchange, answer as readonly Uint8Array[], end));
      }
    }
  }
  return steep;
}

describe("an answer costs time in proportion to its", () => {
  for (const shape of ANSWER_SHAPES) {
    test(shape.name, () => {
      expect(steepPasses(shape)).toEqual([]);
    });
  }
});
