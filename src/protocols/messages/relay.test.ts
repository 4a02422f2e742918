import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type TargetOptions, targetFor } from "../../../proofs/support/target.ts";
import type { Exchange } from "../../core/answer/exchange.ts";
import { bytesOf } from "../../core/answer/sent-body.ts";
import { packOpaque } from "../shared/opaque.ts";
import { messages, readCountRequest } from "./client.ts";
import { estimatedCount, readCount, relayCount } from "./count-tokens.ts";
import { relayMessages } from "./relay.ts";

const HELLO = { model: "alias", max_tokens: 100, messages: [{ role: "user", content: "Hello" }] };
const HEADERS = new Headers({ "anthropic-version": "2023-06-01" });

function prepare(body: object | string, options: TargetOptions = {}, headers = HEADERS): Exchange {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return relayMessages.prepare(messages.readRequest(text, headers), targetFor("messages", options), headers);
}

function sent(body: object, options: TargetOptions = {}): Record<string, unknown> {
  return JSON.parse(prepare(body, options).body);
}

describe("the vendor's request", () => {
  test("goes to the messages endpoint", () => {
    expect(prepare(HELLO).path).toBe("/messages");
  });

  test("is the client's body byte for byte except for the model's name", () => {
    const text = `{ "max_tokens": 100,\t"model" : "alias", "messages":[{"role":"user","content":"\\u0048i"}],
      "future": 12345678901234567890.000, "metadata": {"user_id": "u", "model": "x"} }`;
    expect(prepare(text).body).toBe(text.replace('"alias"', '"upstream-1"'));
  });

  test("keeps every field that the gateway does not know", () => {
    const key = fc.string({ minLength: 1 }).filter((name) => !/^(model|thinking|output_config|metadata)$/.test(name));
    const taken = ["max_tokens", "messages", "system", "tools", "tool_choice", "stream", "service_tier"];
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue(), { noNullPrototype: true }), (extra) => {
        for (const name of [...taken, "temperature", "top_p", "top_k", "stop_sequences", "__proto__"])
          delete extra[name];
        expect(sent({ ...extra, ...HELLO })).toEqual({
          ...JSON.parse(JSON.stringify(extra)),
          ...HELLO,
          model: "upstream-1",
        });
      }),
    );
  });

  const LATER: TargetOptions = { endpoint: { later_versions: true } };
  const NEW = "2026-10-21";

  test("carries the protocol's headers as the client sent them", () => {
    const headers = new Headers({ "anthropic-version": "2026-10-21", "anthropic-beta": "a-2025-01-01,b-2026-02-02" });
    expect(prepare(HELLO, LATER, headers).headers).toEqual({
      "anthropic-version": "2026-10-21",
      "anthropic-beta": "a-2025-01-01,b-2026-02-02",
    });
  });

  test("carries the version under the header that vendors know", () => {
    const headers = new Headers({ "altstyle-version": "2023-06-01" });
    expect(prepare(HELLO, {}, headers).headers).toEqual({ "anthropic-version": "2023-06-01" });
    headers.set("anthropic-version", "2026-10-21");
    expect(prepare(HELLO, LATER, headers).headers).toEqual({ "anthropic-version": "2026-10-21" });
  });

  const cited = { type: "text", text: "a", citations: [{ type: "char_location", cited_text: "a" }] };
  const document = { type: "document", source: { type: "text", media_type: "text/plain", data: "x" } };
  const cited_answer = [...HELLO.messages, { role: "assistant", content: [cited] }, ...HELLO.messages];
  test.each([
    { name: "a vendor that imitates the protocol", options: {}, sent_version: "2023-06-01" },
    { name: "an earlier version", asked: "2023-01-01", sent_version: "2023-01-01" },
    { name: "a temperature", more: { temperature: 1 }, sent_version: "2023-06-01" },
    { name: "top_p and top_k", more: { top_p: 0.9, top_k: 4 }, sent_version: "2023-06-01" },
    {
      name: "citations of a user",
      more: { messages: [{ role: "user", content: [cited] }] },
      sent_version: "2023-06-01",
    },
    { name: "citations of an answer", more: { messages: cited_answer }, sent_version: NEW },
  ])(
    "sends a version under which the vendor takes $name",
    ({ more = {}, asked = NEW, options = LATER, sent_version }) => {
      const headers = new Headers({ "anthropic-version": asked });
      expect(prepare({ ...HELLO, ...more }, options, headers).headers["anthropic-version"]).toBe(sent_version);
    },
  );

  test("counts tokens of a document in an answer under a version that takes it", () => {
    const headers = new Headers({ "anthropic-version": "2026-10-21" });
    const turns = [...HELLO.messages, { role: "assistant", content: [document] }];
    const request = { ...readCountRequest(JSON.stringify(HELLO), headers), body: { ...HELLO, messages: turns } };
    const { headers: given } = relayCount(request, targetFor("messages", LATER), headers);
    expect(given["anthropic-version"]).toBe("2023-06-01");
  });

  test("names the end user where the vendor is to know it", () => {
    const body = { ...HELLO, metadata: { user_id: "u-1", team: "t" } };
    expect(sent(body).metadata).toEqual({ user_id: "u-1", team: "t" });
  });

  test("does not name the end user elsewhere, and the client is told", () => {
    const exchange = prepare(
      { ...HELLO, metadata: { user_id: "u-1", team: "t" } },
      { forwards_safety_identifier: false },
    );
    expect(JSON.parse(exchange.body).metadata).toEqual({ team: "t" });
    expect(exchange.ignored).toEqual(["metadata.user_id"]);
    expect(sent({ ...HELLO, metadata: { user_id: "u" } }, { forwards_safety_identifier: false })).not.toHaveProperty(
      "metadata",
    );
  });

  test("lacks fields that the vendor refuses, and the client is told", () => {
    const quirks = { unsupported_fields: ["top_k", "messages", "service_tier"] };
    const exchange = prepare({ ...HELLO, top_k: 5 }, { quirks });
    expect(JSON.parse(exchange.body)).toEqual({ ...HELLO, model: "upstream-1" });
    expect(exchange.ignored).toEqual(["top_k"]);
  });

  describe("goes on behind a call whose thinking another vendor signed", () => {
    const foreign = packOpaque({ family: "acme", form: "signature", data: "c2ln" });
    const capabilities = { thinking: true, reasoning: { budget_tokens: { min: 1024 } } };
    const call = { type: "tool_use", id: "t", name: "look", input: {} };
    const result = { type: "tool_result", tool_use_id: "t", content: "x" };
    const asked = (signature: string, thinking: object, last: object = result) => ({
      ...{ ...HELLO, max_tokens: 4000, thinking },
      messages: [
        ...HELLO.messages,
        { role: "assistant", content: [{ type: "thinking", thinking: "Hm", signature }, call] },
        { role: "user", content: [result] },
        ...(last === result ? [] : [{ role: "assistant", content: "Yes." }, last]),
      ],
    });
    const budget = { type: "enabled", budget_tokens: 1024 };

    test("without a budget for thinking, which the vendor refuses there, and the client is told", () => {
      const { body, ignored } = prepare(asked(foreign, budget), { capabilities });
      expect(JSON.parse(body)).not.toHaveProperty("thinking");
      expect(JSON.parse(body).messages[1].content).toEqual([call]);
      expect(ignored).toEqual(["thinking"]);
    });

    test.each([
      ["its own thinking", asked("c2ln", budget)],
      ["a later turn", asked(foreign, budget, { role: "user", content: "And?" })],
      ["thinking turned off", asked(foreign, { type: "disabled" })],
    ])("unchanged with %s", (_what, body) => {
      const exchange = prepare(body, { capabilities });
      expect([JSON.parse(exchange.body).thinking, exchange.ignored]).toEqual([body.thinking, []]);
    });
  });

  test("has its reasoning fitted to the model", () => {
    const capabilities = { thinking: true, reasoning: { effort: ["low"] } };
    const body = { ...HELLO, thinking: { type: "adaptive" }, output_config: { effort: "max" } };
    expect(sent(body, { capabilities })).toEqual({ ...body, model: "upstream-1", output_config: { effort: "low" } });
    const exchange = prepare(body, { capabilities: { thinking: false } });
    expect(JSON.parse(exchange.body)).toEqual({ ...HELLO, model: "upstream-1" });
    expect(exchange.ignored).toEqual(["thinking", "output_config.effort"]);
  });
});

function fixture(name: string): Buffer {
  return readFileSync(join(import.meta.dir, "../../../proofs/fixtures/messages", name));
}

describe("an answer in one piece", () => {
  const { readWhole } = prepare(HELLO, { model_id: "acme/sonnet" });

  test("is the vendor's except for the model's name, and its usage is read", () => {
    const answer = readWhole(fixture("message.json"));
    const expected = fixture("message.json").toString().replace("claude-sonnet-4-5-20250929", "acme/sonnet");
    expect(bytesOf(answer.body).toString()).toBe(expected);
    expect(answer).toMatchObject({
      failure: null,
      rejected_usage: null,
      usage: {
        input_tokens: 21,
        cache_read_tokens: 9,
        cache_write_tokens: 4,
        output_tokens: 44,
        reasoning_tokens: 12,
      },
    });
    expect(answer.output_sample).toBe('Short.The "model": is named once.{"model":"inner","n":3}');
    expect(answer.output_bytes).toBe(Buffer.byteLength(answer.output_sample));
  });

  test.each([
    ["an error's body", fixture("error.json"), 400, /64000, which is the maximum/],
    ["text", Buffer.from("upstream connect error"), 502, /no message/],
    ["nothing", Buffer.alloc(0), 502, /no message/],
    ["null", Buffer.from("null"), 502, /no message/],
    ["an object of another kind", Buffer.from('{"object":"chat.completion"}'), 502, /no message/],
  ])("is a failure when it is %s", (_name, bytes, status, words) => {
    const { failure, usage } = readWhole(bytes);
    expect(failure?.status).toBe(status);
    expect(failure?.message).toMatch(words);
    expect(usage).toBeNull();
  });

  test.each([
    ["negative", { input_tokens: -1, output_tokens: 2 }],
    ["fractional", { input_tokens: 1, output_tokens: 2.5 }],
    ["text", { input_tokens: "1", output_tokens: 2 }],
    ["absurd", { input_tokens: 1, output_tokens: 2 ** 32 }],
    ["incomplete", { output_tokens: 2 }],
    ["negative cache", { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: -3 }],
  ])("is not believed when its usage is %s", (_name, usage) => {
    const answer = readWhole(Buffer.from(JSON.stringify({ content: [{ type: "text", text: "Hi" }], usage })));
    expect(answer).toMatchObject({ usage: null, rejected_usage: usage, output_sample: "Hi", failure: null });
  });

  test("has no usage when the vendor sent none", () => {
    const answer = readWhole(Buffer.from('{"content":[]}'));
    expect([answer.usage, answer.rejected_usage, answer.failure]).toEqual([null, null, null]);
  });

  test("shows the billed usage in place of a missing or rejected one", () => {
    const billed = {
      input_tokens: 7,
      cache_read_tokens: 2,
      cache_write_tokens: 0,
      output_tokens: 3,
      reasoning_tokens: 0,
    };
    for (const usage of [undefined, { input_tokens: -1, output_tokens: 2 }]) {
      const answer = readWhole(Buffer.from(JSON.stringify({ model: "m", content: [], usage })));
      expect(JSON.parse(bytesOf(answer.bodyWith?.(billed) ?? "").toString())).toMatchObject({
        model: "acme/sonnet",
        usage: { input_tokens: 7, cache_read_input_tokens: 2, cache_creation_input_tokens: 0, output_tokens: 3 },
      });
    }
  });
});

describe("counting tokens", () => {
  const { max_tokens, ...question } = HELLO;
  const request = readCountRequest(JSON.stringify(question), HEADERS);

  test("is relayed to a vendor that speaks messages", () => {
    const exchange = relayCount(request, targetFor("messages"), HEADERS);
    expect(exchange).toMatchObject({
      path: "/messages/count_tokens",
      body: JSON.stringify({ ...question, model: "upstream-1" }),
      headers: { "anthropic-version": "2023-06-01" },
    });
    expect(readCount('{"input_tokens": 14, "more": 1}')).toBe('{"input_tokens": 14, "more": 1}');
  });

  test.each(["", "null", '{"input_tokens":-1}', '{"error":{"type":"api_error","message":"no"}}'])(
    "is left to an estimate when the vendor answers %p",
    (body) => {
      expect(readCount(body)).toBeNull();
    },
  );

  test("says when the count is an estimate", () => {
    expect(estimatedCount(12)).toEqual({ input_tokens: 12, estimated: true });
  });
});
