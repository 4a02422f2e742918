import { describe, expect, test } from "bun:test";
import { checkGeminiStream } from "./stream-grammar.ts";

/** Legal streams, and the smallest streams that break each of the grammar's rules. */

type Fields = Readonly<Record<string, unknown>>;

const NAMES = { modelVersion: "acme/a", responseId: "r1" };
const USAGE = { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 };

const frame = (object: Fields) => `data: ${JSON.stringify(object)}\n\n`;
const says = (part: unknown, more: Fields = {}) =>
  frame({ candidates: [{ content: { parts: [part], role: "model" }, index: 0, ...more }], ...NAMES });
const ends = (usage: unknown = USAGE, finishReason: unknown = "STOP") =>
  frame({
    candidates: [{ content: { parts: [{ text: "" }], role: "model" }, finishReason }],
    usageMetadata: usage,
    ...NAMES,
  });
const ERROR = frame({ error: { code: 502, message: "no", status: "UNAVAILABLE" } });

const LEGAL: Readonly<Record<string, string>> = {
  text: says({ text: "Hi" }) + ends(),
  "empty lines anywhere": `\n\n${says({ text: "Hi" })}\n${ends()}\n`.replace(/\n$/, ""),
  "thoughts, a call and signatures":
    says({ text: "Hm", thought: true }) +
    says({ functionCall: { id: "c", name: "look", args: {} }, thoughtSignature: "c2ln" }) +
    ends(),
  "a prompt that was blocked": frame({ promptFeedback: { blockReason: "SAFETY" }, usageMetadata: USAGE, ...NAMES }),
  "an error after content": says({ text: "Hi" }) + ERROR,
};

const BROKEN: Readonly<Record<string, readonly [stream: string, problem: RegExp]>> = {
  "no end": [says({ text: "Hi" }), /without a finishReason/],
  "no usage": [says({ text: "Hi" }, { finishReason: "STOP" }), /no usageMetadata/],
  "a frame that is cut": [`${says({ text: "Hi" })}data: {`, /ends within a frame/],
  "two lines": [`data: {}\ndata: {}\n\n`, /not one line/],
  "no JSON": ["data: x\n\n", /no JSON object/],
  "an error first": [ERROR, /belongs into the status/],
  "more after an error": [says({ text: "Hi" }) + ERROR + ends(), /follows the error/],
  "another model": [says({ text: "a" }) + frame({ ...NAMES, modelVersion: "b" }), /name changes/],
  "no names": [frame({ candidates: [] }), /is no name/],
  "a part of nothing": [says({}) + ends(), /a part is/],
  "a text of no text": [says({ text: 1 }) + ends(), /'text' is/],
  "a call without a name": [says({ functionCall: {} }) + ends(), /name is/],
  "a call with arguments of a text": [says({ functionCall: { name: "a", args: "{}" } }) + ends(), /'args' are/],
  "a count of no count": [ends({ ...USAGE, totalTokenCount: -1 }), /totalTokenCount/],
  "a reason of no word": [ends(USAGE, 1), /'finishReason' is/],
};

describe("a stream with", () => {
  test.each(Object.entries(LEGAL))("%s is legal", (_name, stream) => {
    expect(checkGeminiStream(stream)).toHaveProperty("end");
  });

  test.each(Object.entries(BROKEN))("%s is not", (_name, [stream, problem]) => {
    expect(checkGeminiStream(stream)).toMatchObject({ problem: expect.stringMatching(problem) });
  });
});
