import { describe, expect, test } from "bun:test";
import { generation, user } from "../../../proofs/support/generation.ts";
import type { ClientCodec } from "../../core/answer/codec.ts";
import type { ClientRequest } from "../../core/answer/exchange.ts";
import { responses } from "../responses/client.ts";
import { chatCompletions, chatCompletionsWith } from "./client.ts";
import { chatClientCodec, responsesInChatCodec } from "./codec.ts";

/** A responses request on the chat endpoint (docs/rulings.md 14b). */

const HEADERS = { get: () => null };
const endpoint = chatCompletionsWith(responses.readRequest);
const BODY = { model: "acme/swift", input: "Hi", stream: true, stream_options: { include_usage: true } };

describe("a body with input and no messages", () => {
  test("is read as a responses request, which no vendor gets unchanged", () => {
    const request = endpoint.readRequest(JSON.stringify(BODY), HEADERS);
    expect(request).toMatchObject({ protocol: "responses-in-chat", model: "acme/swift", stream: true, body: BODY });
  });

  test("is checked like a responses request", () => {
    const text = JSON.stringify({ ...BODY, input: [{ type: "message", role: "king", content: "Hi" }] });
    expect(() => endpoint.readRequest(text, HEADERS)).toThrow("input[0].role");
  });

  test("is the only kind of body that is not read as a chat request", () => {
    const text = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }], input: "ignored" });
    expect(endpoint.readRequest(text, HEADERS)).toEqual(chatCompletions.readRequest(text, HEADERS));
    expect(() => endpoint.readRequest("{", HEADERS)).toThrow("not valid JSON");
  });

  test("is decoded and refused by its own protocol, and answered as chat", () => {
    const decoded = generation({ messages: [user("Hi")], stream: true });
    const half: ClientCodec = {
      ...chatClientCodec,
      refusal: "unsupported_responses_feature",
      names: { format: "text.format" },
      decodeRequest: () => decoded,
    };
    const codec = responsesInChatCodec(half);
    const request = { body: BODY } as Partial<ClientRequest> as ClientRequest;
    expect(codec.decodeRequest(request)).toEqual({ ...decoded, include_usage: true });
    expect(codec.decodeRequest({ ...request, body: {} })).toEqual(decoded);
    expect([codec.refusal, codec.names.format]).toEqual(["unsupported_responses_feature", "text.format"]);
    expect([codec.openEncoder, codec.encodeWhole]).toEqual([chatClientCodec.openEncoder, chatClientCodec.encodeWhole]);
  });
});
