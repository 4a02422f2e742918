import { describe, expect, test } from "bun:test";
import { bytesOf } from "../../../src/core/answer/sent-body.ts";
import { NO_USAGE } from "../../../src/core/money/usage.ts";
import { adapterBetween, clientProtocols } from "../../../src/main/protocols.ts";
import { collectInput } from "../../../src/pipeline/request/collect-text.ts";
import { TARGETS } from "./targets.ts";

/**
 * Deep nesting overflows nothing where it is not the request's own body: in a vendor's answer, and in the arguments of
 * calls, which are JSON inside a string (docs/rulings.md 140). Requests are in bounds.test.ts.
 */

const HEADERS = { get: (name: string) => (name === "anthropic-version" ? "2023-06-01" : null) };
const DEEP = `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`;

const REQUESTS = {
  "chat.completions": { model: "m", messages: [{ role: "user", content: "Hi" }] },
  responses: { model: "m", input: "Hi" },
  messages: { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
} as const;
type Style = keyof typeof REQUESTS;
const STYLES = Object.keys(REQUESTS) as Style[];

function exchangeOf(style: Style, target: (typeof TARGETS)[string], body: object = REQUESTS[style]) {
  const request = clientProtocols[style].readRequest(JSON.stringify(body), HEADERS);
  const way = adapterBetween(request.protocol, target.endpoint.protocol);
  if (way === null) throw new Error("there is no such way");
  return way.prepare(request, target, HEADERS);
}

/** Whole answers of each protocol with a deep value: in a member that is read, and in one that is not. */
const WHOLES: Readonly<Record<string, readonly string[]>> = {
  "chat completions": [
    `{"model":"m","choices":[{"index":0,"message":{"content":${DEEP}},"finish_reason":"stop"}]}`,
    `{"model":"m","unknown":${DEEP},"choices":[{"index":0,"message":{"content":"Hi"},"finish_reason":"stop"}]}`,
  ],
  responses: [
    `{"id":"r","model":"m","status":"completed","output":[{"type":"message","content":[${DEEP}]}]}`,
    `{"id":"r","model":"m","status":"completed","metadata":${DEEP},"output":[]}`,
  ],
  messages: [
    `{"id":"m","model":"m","content":[{"type":"tool_use","id":"a","name":"look","input":${DEEP}}],"stop_reason":"tool_use"}`,
    `{"id":"m","model":"m","unknown":${DEEP},"content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn"}`,
  ],
  gemini: [
    `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"look","args":${DEEP}}}]},"finishReason":"STOP"}]}`,
  ],
  "bedrock-converse": [
    `{"output":{"message":{"content":[{"toolUse":{"toolUseId":"a","name":"look","input":${DEEP}}}]}},"stopReason":"end_turn"}`,
  ],
};

describe("a vendor's answer that nests too deep", () => {
  for (const [name, wholes] of Object.entries(WHOLES)) {
    const target = TARGETS[name];
    if (target === undefined) throw new Error(`there is no target ${name}`);

    test.each(STYLES)(`is no answer, whole, of ${name} for a client of %s`, (style) => {
      for (const body of wholes) {
        const answer = exchangeOf(style, target).readWhole(body);
        expect(answer.failure).toMatchObject({ status: 502 });
        expect(bytesOf(answer.body).length + answer.output_bytes + answer.output_sample.length).toBeNumber();
      }
    });

    test.each(STYLES)(`breaks nothing, streamed, of ${name} for a client of %s`, (style) => {
      const stream = exchangeOf(style, target, { ...REQUESTS[style], stream: true }).openStream();
      for (const body of wholes) {
        try {
          stream.push(Buffer.from(`event: message_start\ndata: ${body}\n\n`));
        } catch (thrown) {
          // An event stream of bytes has a checksum, and lines have a limit.
          expect(thrown).toMatchObject({ code: "provider_error" });
        }
      }
      stream.end();
      expect(stream.complete).toBe(false);
      expect(stream.cut(NO_USAGE)).toBeInstanceOf(Uint8Array);
    });
  }
});

describe("arguments that nest too deep", () => {
  const call = { id: "call_1", type: "function", function: { name: "look", arguments: DEEP } };
  const body = {
    ...REQUESTS["chat.completions"],
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "ok" },
    ],
  };

  for (const [name, target] of Object.entries(TARGETS)) {
    test(`reach ${name} as text`, () => {
      const { body: sent } = exchangeOf("chat.completions", target, body);
      expect(sent).toContain(JSON.stringify(DEEP));
      expect(JSON.stringify(JSON.parse(sent))).toBe(sent);
    });
  }

  test("are counted in an estimate", () => {
    expect(collectInput(body, 1000).characters).toBeGreaterThan(DEEP.length);
  });
});
