import { describe, expect, test } from "bun:test";
import { targetFor } from "../../../proofs/support/target.ts";
import type { Target } from "../../core/answer/exchange.ts";
import { bytesOf } from "../../core/answer/sent-body.ts";
import { messages } from "./client.ts";
import { relayMessages } from "./relay.ts";
import { throughVertex } from "./vertex.ts";

const plain = targetFor("messages", { upstream_model: "claude-sonnet-4-5@20250929" });
const vertex: Target = { ...plain, endpoint: { ...plain.endpoint, dialect: "vertex" } };
const HEADERS = new Headers({ "anthropic-version": "2023-06-01", "anthropic-beta": "b-1" });

function prepare(target: Target, stream: boolean) {
  const text = `{ "model": "acme/swift", "max_tokens": 9, "stream": ${stream}, "messages": [{"role":"user","content":"Hi"}], "x": 1.0 }`;
  return throughVertex(relayMessages).prepare(messages.readRequest(text, HEADERS), target, HEADERS);
}

describe("messages on Vertex AI", () => {
  test.each([
    [true, "streamRawPredict"],
    [false, "rawPredict"],
  ])("have the model in the path and the version in the body (stream: %p)", (stream, method) => {
    const { path, body, headers } = prepare(vertex, stream);
    expect(path).toBe(`/models/claude-sonnet-4-5@20250929:${method}`);
    expect(body).toBe(
      `{ "max_tokens": 9, "stream": ${stream}, "messages": [{"role":"user","content":"Hi"}], "x": 1.0,"anthropic_version":"vertex-2023-10-16" }`,
    );
    expect(headers).toMatchObject({ "anthropic-beta": "b-1" });
  });

  test("for other vendors are unchanged", () => {
    const usual = relayMessages.prepare(
      messages.readRequest('{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}', HEADERS),
      plain,
      HEADERS,
    );
    expect(usual.path).toBe("/messages");
    expect(prepare(plain, true)).toMatchObject({
      path: "/messages",
      body: expect.stringContaining('"model": "claude-sonnet-4-5@20250929"'),
    });
  });

  test("have answers that are read like those of messages", () => {
    const answer = prepare(vertex, false).readWhole(
      Buffer.from(
        '{"id":"msg_vrtx_1","type":"message","role":"assistant","model":"claude","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":2}}',
      ),
    );
    expect(answer).toMatchObject({ failure: null, usage: { input_tokens: 3, output_tokens: 2 } });
    expect(bytesOf(answer.body).toString()).toContain('"model":"acme/swift"');
  });
});
