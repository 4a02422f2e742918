import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type TargetOptions, targetFor } from "../../../proofs/support/target.ts";
import type { Exchange } from "../../core/answer/exchange.ts";
import { bytesOf } from "../../core/answer/sent-body.ts";
import type { ReasoningControls } from "../../core/catalog/catalog.ts";
import { GatewayError } from "../../core/errors.ts";
import { responses } from "./client.ts";
import { relayResponses } from "./relay.ts";

const HELLO = { model: "alias", input: "Hello" };
const NO_HEADERS = new Headers();

function prepare(body: object | string, options: TargetOptions = {}): Exchange {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return relayResponses.prepare(responses.readRequest(text, NO_HEADERS), targetFor("responses", options), NO_HEADERS);
}

function sent(body: object, options: TargetOptions = {}): Record<string, unknown> {
  return JSON.parse(prepare(body, options).body);
}

describe("the vendor's request", () => {
  test("goes to the responses endpoint without headers of its own", () => {
    expect(prepare(HELLO)).toMatchObject({ path: "/responses", headers: {}, ignored: [] });
  });

  test("is the client's body byte for byte except for the model's name", () => {
    const text = `{ "input":[{"role":"user","content":"\\u0048i"}, {"type":"reasoning","summary":[],"model":"alias"}],
      "model" :\t"alias", "store": false, "future": 12345678901234567890.000 }`;
    expect(prepare(text).body).toBe(text.replace('"model" :\t"alias"', '"model" :\t"upstream-1"'));
  });

  test("keeps every field that the gateway does not know", () => {
    const taken = [...Object.keys(HELLO), "instructions", "max_output_tokens", "temperature", "top_p", "tools"];
    taken.push("tool_choice", "reasoning", "text", "safety_identifier", "metadata", "stream", "user", "__proto__");
    taken.push("background");
    const key = fc.string({ minLength: 1 }).filter((name) => !taken.includes(name));
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue(), { noNullPrototype: true }), (extra) => {
        expect(sent({ ...extra, ...HELLO })).toEqual({
          ...JSON.parse(JSON.stringify(extra)),
          ...HELLO,
          model: "upstream-1",
        });
      }),
    );
  });

  test("has every field outside the supported surface as the client sent it", () => {
    const fields = {
      previous_response_id: "resp_1",
      store: true,
      background: false,
      include: ["a"],
      service_tier: "flex",
    };
    expect(sent({ ...HELLO, ...fields })).toMatchObject(fields);
  });

  test("may run in the background if it streams", () => {
    expect(sent({ ...HELLO, background: true, stream: true })).toMatchObject({ background: true });
    expect(() => prepare({ ...HELLO, background: true })).toThrow(GatewayError);
    expect(() => prepare({ ...HELLO, background: true })).toThrow(/'background' was given, which works with 'stream'/);
  });

  test("has one name of the end user, and safety_identifier wins", () => {
    expect(sent({ ...HELLO, user: "u-1" })).toMatchObject({ user: "u-1" });
    const both = sent({ ...HELLO, user: "u-1", safety_identifier: "s-1" });
    expect(both).toEqual({ ...HELLO, model: "upstream-1", safety_identifier: "s-1" });
  });

  test("does not name the end user where the vendor is not to know it, and the client is told", () => {
    const options = { forwards_safety_identifier: false };
    const exchange = prepare({ ...HELLO, user: "u-1", safety_identifier: "s-1" }, options);
    expect(JSON.parse(exchange.body)).toEqual({ ...HELLO, model: "upstream-1" });
    expect(exchange.ignored).toEqual(["safety_identifier", "user"]);
    expect(prepare({ ...HELLO, user: null }, options)).toMatchObject({ ignored: [] });
  });

  test("lacks fields that the vendor refuses, and the client is told", () => {
    const quirks = { unsupported_fields: ["store", "input", "metadata"], no_stream_options: true };
    const exchange = prepare({ ...HELLO, store: true, stream_options: {}, metadata: null }, { quirks });
    expect(JSON.parse(exchange.body)).toEqual({ ...HELLO, model: "upstream-1" });
    expect(exchange.ignored).toEqual(["store", "stream_options"]);
  });

  test("has system for the developer role where the vendor has no such role, and nothing else changes", () => {
    const text = `{"model":"alias","input":[ {"role":"developer","content":"\\u0041"},{"role": "user","content":"developer"},
      {"type":"message","role" :"developer","content":[]} ,{"type":"function_call_output","call_id":"c","output":"1.0"}]}`;
    const expected = text
      .replace('"alias"', '"upstream-1"')
      .replace('"role":"developer"', '"role":"system"')
      .replace('"role" :"developer"', '"role" :"system"');
    expect(prepare(text, { quirks: { no_developer_role: true } }).body).toBe(expected);
    expect(sent(HELLO, { quirks: { no_developer_role: true } }).input).toBe("Hello");
  });
});

/**
 * Each row: the reasoning asked for, the model's controls (null: it does not reason), what is sent, what is left out.
 */
const REASONING: readonly [
  asked: Record<string, unknown>,
  controls: ReasoningControls | null,
  sent: Record<string, unknown> | undefined,
  ignored: string[],
][] = [
  [{ effort: "medium" }, { effort: ["low", "medium"] }, { effort: "medium" }, []],
  [{ effort: "xhigh", summary: "auto" }, { effort: ["low", "high"] }, { effort: "high", summary: "auto" }, []],
  [{ effort: "minimal" }, { effort: ["low", "high"] }, { effort: "low" }, []],
  [{ effort: "none" }, { effort: ["low"], toggle: true }, { effort: "none" }, []],
  [{ effort: "none" }, { effort: ["low"] }, { effort: "low" }, []],
  [{ effort: "high" }, { budget_tokens: { max: 1000 } }, { effort: "high" }, []],
  [{ effort: "high", summary: "auto" }, {}, { summary: "auto" }, ["reasoning.effort"]],
  [{ summary: "auto" }, {}, { summary: "auto" }, []],
  [{ effort: null }, { effort: ["low"] }, { effort: null }, []],
  [{ effort: "high", summary: "auto" }, null, undefined, ["reasoning"]],
  [{ summary: "auto" }, null, undefined, ["reasoning"]],
  [{ effort: "none" }, null, undefined, []],
];

describe("reasoning is fitted to the model:", () => {
  test.each(REASONING)("%j with %j is sent as %j", (reasoning, controls, expected, ignored) => {
    const capabilities = controls === null ? { thinking: false } : { thinking: true, reasoning: controls };
    const exchange = prepare({ ...HELLO, reasoning }, { capabilities });
    expect(JSON.parse(exchange.body).reasoning).toEqual(expected);
    expect(exchange.ignored).toEqual(ignored);
  });
});

function fixture(name: string): Buffer {
  return readFileSync(join(import.meta.dir, "../../../proofs/fixtures/responses", name));
}

describe("an answer in one piece", () => {
  const { readWhole } = prepare(HELLO, { model_id: "acme/swift" });

  test("is the vendor's except for the model's name, and its usage is read", () => {
    const answer = readWhole(fixture("response.json"));
    expect(bytesOf(answer.body).toString()).toBe(
      fixture("response.json").toString().replace("gpt-5.1-2025-11-13", "acme/swift"),
    );
    expect(answer).toMatchObject({
      failure: null,
      rejected_usage: null,
      usage: {
        input_tokens: 25,
        cache_read_tokens: 9,
        cache_write_tokens: 0,
        output_tokens: 44,
        reasoning_tokens: 12,
      },
    });
    expect(answer.output_sample).toBe('Short.The "model": is named once.{"n":3}');
    expect(answer.output_bytes).toBe(Buffer.byteLength(answer.output_sample));
  });

  test("shows the usage that is billed, with the details that strict clients read", () => {
    const body = JSON.parse(bytesOf(readWhole(fixture("without-details.json")).body).toString());
    expect(body).toEqual({
      ...JSON.parse(fixture("without-details.json").toString()),
      model: "acme/swift",
      usage: {
        input_tokens: 5,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens: 2,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 7,
      },
    });
  });

  test.each([
    ["failed", fixture("failed.json"), 429, /Rate limit reached/],
    ["not finished", fixture("queued.json"), 502, /unfinished/],
    ["an error's body", Buffer.from('{"error":{"type":"server_error","message":"Oops"}}'), 502, /Oops/],
    ["text", Buffer.from("upstream connect error"), 502, /no response/],
    ["nothing", Buffer.alloc(0), 502, /no response/],
    ["an object of another kind", Buffer.from('{"object":"chat.completion","choices":[]}'), 502, /no response/],
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
    ["more cached than sent", { input_tokens: 1, output_tokens: 2, input_tokens_details: { cached_tokens: 2 } }],
    ["negative reasoning", { input_tokens: 1, output_tokens: 2, output_tokens_details: { reasoning_tokens: -2 } }],
  ])("has no usage, and keeps the sent one for the log, when that is %s", (_name, usage) => {
    const output = [{ type: "message", content: [{ type: "output_text", text: "Hi" }] }];
    const answer = readWhole(Buffer.from(JSON.stringify({ status: "completed", output, usage })));
    expect(answer).toMatchObject({ usage: null, rejected_usage: usage, output_sample: "Hi", failure: null });
  });

  test("has no usage when the vendor sent none", () => {
    const answer = readWhole(
      Buffer.from(
        '{"id":"r","object":"response","created_at":1,"status":"completed","output":[{"id":"rs_1","type":"reasoning","summary":[]}],"usage":null}',
      ),
    );
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
    for (const usage of [null, { input_tokens: -1, output_tokens: 2 }]) {
      const body = { model: "m", status: "completed", output: [{ id: "rs_1", type: "reasoning", summary: [] }], usage };
      const answer = readWhole(Buffer.from(JSON.stringify(body)));
      expect(JSON.parse(bytesOf(answer.bodyWith?.(billed) ?? "").toString())).toMatchObject({
        model: "acme/swift",
        usage: { input_tokens: 9, input_tokens_details: { cached_tokens: 2 }, output_tokens: 3, total_tokens: 12 },
      });
    }
  });
});
