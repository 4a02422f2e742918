import { describe, expect, test } from "bun:test";
import type { BilledEndpoint } from "../../core/endpoints.ts";
import { answerIdOf, streamIdOf } from "./answer-id.ts";

const LONG = "x".repeat(600 * 1024);

describe("the id of a whole answer", () => {
  test.each<[string, BilledEndpoint, string | string[], string | null]>([
    ["the first member", "chat.completions", '{"id":"chatcmpl-1","choices":[{"id":"other"}]}', "chatcmpl-1"],
    [
      "behind what has ids of its own",
      "chat.completions",
      '{"choices":[{"id":"other"}],"id":"chatcmpl-1"}',
      "chatcmpl-1",
    ],
    ["with escapes", "responses", '{"object":"response","id":"resp_\\u0031"}', "resp_1"],
    ["a body in parts", "messages", ['{"model":"a/b",', '"id":"msg_1"}'], "msg_1"],
    ["Gemini's", "generateContent", '{"candidates":[{"id":1}],"responseId":"r-1"}', "r-1"],
    ["a large body that begins with it", "completions", `{"id":"cmpl-1","text":"${LONG}"}`, "cmpl-1"],
    ["a large body that does not", "completions", `{"text":"${LONG}","id":"cmpl-1"}`, null],
    ["none", "moderations", '{"results":[]}', null],
    ["a number", "rerank", '{"results":[],"id":7}', null],
    ["an endpoint whose answers have none", "embeddings", '{"id":"x"}', null],
  ])("%s", (_, endpoint, body, id) => {
    expect(answerIdOf(endpoint, body)).toBe(id);
  });
});

describe("the id in a stream's first piece", () => {
  test.each<[string, BilledEndpoint, string, string | null]>([
    ["a chunk", "chat.completions", 'data: {"id":"chatcmpl-1","choices":[]}\n\n', "chatcmpl-1"],
    [
      "behind a call's id",
      "chat.completions",
      'data: {"choices":[{"delta":{"tool_calls":[{"id":"call"}]}}],"id":"c-1"}\n\n',
      "c-1",
    ],
    [
      "a message",
      "messages",
      'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1"}}\n\n',
      "msg_1",
    ],
    [
      "a response",
      "responses",
      'event: response.created\r\ndata: {"type":"x","response":{"id":"resp_1"}}\r\n\r\n',
      "resp_1",
    ],
    [
      "a long event",
      "responses",
      `data: {"type":"x","response":{"id":"resp_1","instructions":"${LONG}"}}\n\n`,
      "resp_1",
    ],
    [
      "Gemini's object",
      "generateContent",
      'data: {"candidates":[{"functionCall":{"id":"f"}}],"responseId":"r"}\n\n',
      "r",
    ],
    ["Gemini's in a list", "generateContent", '[{"responseId":"r","candidates":[]}', "r"],
    ["a comment", "messages", ": beat\n\n", null],
  ])("%s", (_, endpoint, piece, id) => {
    const read = () => streamIdOf(endpoint, new TextEncoder().encode(piece));
    expect(read()).toBe(id);
  });
});
