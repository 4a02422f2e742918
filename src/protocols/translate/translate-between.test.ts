import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { checkChatStream } from "../../../proofs/grammars/chat-completions/stream-grammar.ts";
import { legalEvents } from "../../../proofs/support/legal-events.ts";
import { type TargetOptions, targetFor } from "../../../proofs/support/target.ts";
import type { VendorCodec, VendorTraits } from "../../core/answer/codec.ts";
import type { Exchange, SentBody } from "../../core/answer/exchange.ts";
import type { GenerationRequest } from "../../core/answer/generation.ts";
import { bytesOf } from "../../core/answer/sent-body.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Usage } from "../../core/money/usage.ts";
import { chatCompletions } from "../chat-completions/client.ts";
import { chatClientCodec, chatVendorCodec } from "../chat-completions/codec.ts";
import { translateBetween } from "./translate-between.ts";

/**
 * Chat clients on a vendor whose frames are neutral events as JSON lines, so that every difference comes from
 * translation itself.
 */

type SomeTraits = Partial<VendorTraits>;
type Traits = SomeTraits | ((request: GenerationRequest | undefined) => SomeTraits);

function vendor(traits: Traits = {}, refuses?: () => never): VendorCodec {
  return {
    traits: (target, request) => ({
      ...chatVendorCodec.traits(target),
      ...(typeof traits === "function" ? traits(request) : traits),
    }),
    encodeRequest: (request) => {
      refuses?.();
      return { path: "/x", body: JSON.stringify(request), headers: { "x-v": "1" }, ignored: ["reasoning", "seed"] };
    },
    openDecoder: () => {
      let usage: Usage | null = null;
      return {
        rejected_usage: null,
        get usage() {
          return usage;
        },
        push(chunk) {
          const events = eventsIn(chunk);
          for (const event of events) if (event.type === "finish") usage = event.usage;
          return events;
        },
        end: () => [],
      };
    },
    decodeWhole: (body) => ({ events: eventsIn(Buffer.from(body)), rejected_usage: "odd" }),
    readError: (status) => ({ status, message: "from the vendor", retry_after_ms: 1 }),
  };
}

function eventsIn(bytes: Uint8Array): StreamEvent[] {
  const lines = Buffer.from(bytes).toString().split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as StreamEvent);
}

const frames = (...events: readonly StreamEvent[]) =>
  Buffer.from(events.map((event) => JSON.stringify(event)).join("\n"));

const HEADERS = { get: () => null };

function prepare(fields: Record<string, unknown> = {}, codec = vendor(), options: TargetOptions = {}): Exchange {
  const body = { model: "acme/swift", messages: [{ role: "user", content: "Hi" }], stream: true, ...fields };
  const request = chatCompletions.readRequest(JSON.stringify(body), HEADERS);
  return translateBetween(chatClientCodec, codec).prepare(request, targetFor("messages", options), HEADERS);
}

const USAGE: Usage = {
  input_tokens: 3,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 2,
  reasoning_tokens: 0,
};
const START: StreamEvent = { type: "start", id: null, created: null, usage: null };
const TEXT: StreamEvent = { type: "block-start", index: 0, block: { kind: "text" } };
const add = (text: string, index = 0): StreamEvent => ({ type: "block-delta", index, text });
const END: StreamEvent = { type: "block-end", index: 0 };
const ERROR: StreamEvent = { type: "error", status: 529, message: "busy", retry_after_ms: 5 };
const finish = (more: Partial<StreamEvent & { type: "finish" }> = {}): StreamEvent => ({
  type: "finish",
  reason: "stop",
  stop_sequence: null,
  raw_reason: null,
  usage: USAGE,
  ...more,
});

const text = (body: SentBody) => bytesOf(body).toString();
/** The content of the client's frames: text, finish reasons, and the last line. */
function shown(bytes: string): unknown {
  return bytes
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => frame.slice(6))
    .map((data) => (data === "[DONE]" ? data : summary(JSON.parse(data) as never)));
}
function summary(chunk: {
  error?: { code: string };
  usage?: { total_tokens: number };
  choices: { delta: { content?: string }; finish_reason: string | null }[];
}) {
  if (chunk.error !== undefined) return chunk.error.code;
  const [choice] = chunk.choices;
  if (choice === undefined) return chunk.usage?.total_tokens;
  return choice.finish_reason ?? choice.delta.content;
}

describe("a translated request", () => {
  test("goes to the vendor codec's path, and reports left-out settings under the client's names", () => {
    const exchange = prepare(
      { reasoning_effort: "high", top_k: 2, safety_identifier: "u", seed: 1, min_p: 0.1 },
      vendor(),
      {
        forwards_safety_identifier: false,
      },
    );
    expect(exchange).toMatchObject({ path: "/x", headers: { "x-v": "1" } });
    expect(exchange.ignored).toEqual(["min_p", "safety_identifier", "top_k", "reasoning_effort", "seed"]);
    expect(exchange.readError(418, "")).toEqual({ status: 418, message: "from the vendor", retry_after_ms: 1 });
  });

  test("asks for only one answer", () => {
    expect(() => prepare({ n: 2 })).toThrow("'n' is the number 2; allowed for acme/swift: 1");
    expect(prepare({ n: 1 }).ignored).toEqual(["reasoning_effort", "seed"]);
  });

  test("may find a feature only where another is not used", () => {
    const codec = vendor((request) => ({ json_object: request?.tools.length === 0 }));
    const format = { response_format: { type: "json_object" } };
    const sent = (exchange: Exchange) => JSON.parse(exchange.body) as GenerationRequest;
    expect(sent(prepare(format, codec)).format).toEqual({ type: "json-object" });
    const tools = [{ type: "function", function: { name: "f" } }];
    expect(sent(prepare({ ...format, tools }, codec)).format).toBeUndefined();
  });

  test("is refused with the client's names where the vendor codec refuses it", () => {
    const refuse = () => {
      throw new GatewayError("unsupported_parameter", "'format' is odd; 'format' may be even.", { param: "format" });
    };
    const refused = () => prepare({}, vendor({}, refuse));
    expect(refused).toThrow("'response_format' is odd; 'response_format' may be even.");
    expect(refused).toThrow(expect.objectContaining({ code: "unsupported_parameter", param: "response_format" }));
  });

  test("fails with the original error where something else is wrong", () => {
    const break_down = () => {
      throw new TypeError("a mistake");
    };
    expect(() => prepare({}, vendor({}, break_down))).toThrow(TypeError);
  });
});

describe("a translated stream", () => {
  test("is legal, measured and billed, for any answer in pieces of any size", () => {
    fc.assert(
      fc.property(legalEvents({ may_lack_usage: false }), fc.boolean(), (events, include_usage) => {
        const stream = prepare(include_usage ? { stream_options: { include_usage } } : {}).openStream();
        const pieces = events.map((event) => stream.push(frames(event)));
        const out = Buffer.concat([...pieces, stream.end(), stream.finish()]).toString();
        expect(checkChatStream(out, { include_usage })).toEqual({ end: "done" });
        const said = events.map((event) => (event.type === "block-delta" ? event.text : "")).join("");
        const { complete, terminated, failure, output_bytes, output_sample, usage } = stream;
        expect({ complete, terminated, failure, output_bytes, output_sample }).toEqual({
          complete: true,
          terminated: true,
          failure: null,
          output_bytes: Buffer.byteLength(said),
          output_sample: said,
        });
        const last = events.at(-1);
        expect(usage).toEqual(last?.type === "finish" ? last.usage : null);
        expect(text(Buffer.concat(pieces))).not.toEndWith("data: [DONE]\n\n");
      }),
    );
  });

  test("sends nothing before its first content, so that an earlier failure still has its status", () => {
    const stream = prepare().openStream();
    expect(stream.push(frames(START)).length).toBe(0);
    expect(stream.push(frames(ERROR, TEXT)).length).toBe(0);
    expect(stream).toMatchObject({
      has_content: false,
      complete: false,
      failure: { status: 529, message: "busy", retry_after_ms: 5 },
    });
    expect([stream.push(frames(TEXT)).length, stream.end().length]).toEqual([0, 0]);
  });

  test("sends nothing of a vendor that opens a block and breaks off", () => {
    const stream = prepare().openStream();
    expect(stream.push(frames(START, TEXT)).length).toBe(0);
    expect(stream.push(frames(add(""))).length).toBe(0);
    expect(shown(text(stream.push(frames(add("Hi")))))).toEqual(["", "Hi"]);
  });

  test("has content from its first text, call or seal on, not before", () => {
    const seen = (...events: StreamEvent[]) => {
      const stream = prepare().openStream();
      stream.push(frames(START, ...events));
      return stream.has_content;
    };
    const opaque = { family: "openai", form: "encrypted", data: "x" } as const;
    expect(seen(TEXT)).toBe(false);
    expect(seen(TEXT, add(""))).toBe(false);
    expect(seen(TEXT, add("x"))).toBe(true);
    expect(
      seen({ type: "block-start", index: 0, block: { kind: "tool-call", id: "c", name: "f", tool: "function" } }),
    ).toBe(true);
    expect(
      seen({ type: "block-start", index: 0, block: { kind: "reasoning" } }, { ...END, opaque } as StreamEvent),
    ).toBe(true);
  });

  test("withholds its end until it is finished", () => {
    const stream = prepare({ stream_options: { include_usage: true } }).openStream();
    expect(shown(text(stream.push(frames(START, TEXT, add("Hi"), END, finish()))))).toEqual(["", "Hi"]);
    expect(shown(text(stream.finish()))).toEqual(["stop", 5, "[DONE]"]);
  });

  test("shows the billed usage where the vendor sent none", () => {
    const stream = prepare({ stream_options: { include_usage: true } }).openStream();
    stream.push(frames(START, TEXT, add("Hi"), END, finish({ usage: null })));
    expect(shown(text(stream.finish({ ...USAGE, output_tokens: 9 })))).toEqual(["stop", 12, "[DONE]"]);
  });

  test("that is empty is still a legal answer", () => {
    const stream = prepare().openStream();
    const out = [stream.push(frames(START, finish())), stream.finish()];
    expect(checkChatStream(text(Buffer.concat(out)))).toEqual({ end: "done" });
  });

  test("that is cut closes its block and ends with length and the usage so far", () => {
    const stream = prepare({ stream_options: { include_usage: true } }).openStream();
    const before = stream.push(frames(START, TEXT, add("Hi")));
    const out = text(before) + text(stream.cut(USAGE));
    expect(checkChatStream(out, { include_usage: true })).toEqual({ end: "done" });
    expect(shown(out)).toEqual(["", "Hi", "length", 5, "[DONE]"]);
  });

  test("that fails after content ends with the error and without a good end", () => {
    const stream = prepare().openStream();
    const before = stream.push(frames(START, TEXT, add("Hi"), ERROR));
    const out = text(before) + text(stream.fail(new GatewayError("provider_error", "gone"), "req_1"));
    expect(stream.has_content).toBe(true);
    expect(checkChatStream(out)).toEqual({ end: "error" });
    expect(shown(out)).toEqual(["", "Hi", "provider_error"]);
  });

  test("has the reason for calls exactly where it has calls, whatever reason the vendor sends", () => {
    const call: StreamEvent = {
      type: "block-start",
      index: 0,
      block: { kind: "tool-call", id: "c", name: "f", tool: "function" },
    };
    const reasonOf = (...events: StreamEvent[]) => {
      const stream = prepare().openStream();
      stream.push(frames(START, ...events));
      return (shown(text(stream.finish())) as unknown[])[0];
    };
    expect(reasonOf(call, add("{}"), END, finish({ reason: "stop" }))).toBe("tool_calls");
    expect(reasonOf(TEXT, add("x"), END, finish({ reason: "tool-calls" }))).toBe("stop");
    expect(reasonOf(call, END, finish({ reason: "length" }))).toBe("length");
  });

  test("of a vendor that breaks the order of events fails instead of sending an illegal stream", () => {
    const stream = prepare().openStream();
    stream.push(frames(START, TEXT, add("Hi")));
    expect(() => stream.push(frames(TEXT))).toThrow("could not be translated");
  });

  test("ends at a stop sequence at once, and closes the call to the vendor", () => {
    const stream = prepare({ stop: "END" }, vendor({ stop_sequences: false })).openStream();
    const out = text(stream.push(frames(START, TEXT, add("Hi E"), add("ND more"), add("and more"))));
    expect(stream).toMatchObject({
      complete: true,
      terminated: true,
      ended_early: true,
      output_sample: "Hi ",
      usage: null,
    });
    expect(shown(out + text(stream.finish(USAGE)))).toEqual(["", "Hi ", "stop", "[DONE]"]);
  });

  test("turns a tool call into the format that the client asked for", () => {
    const codec = vendor({ json_schema: false });
    const json_schema = { name: "n", schema: { type: "object" } };
    const stream = prepare({ response_format: { type: "json_schema", json_schema } }, codec).openStream();
    const call: StreamEvent = {
      type: "block-start",
      index: 0,
      block: { kind: "tool-call", id: "c", name: "final_answer", tool: "function" },
    };
    const out =
      text(stream.push(frames(START, call, add('{"n":1}'), END, finish({ reason: "tool-calls" })))) +
      text(stream.finish());
    expect(shown(out)).toEqual(["", '{"n":1}', "stop", "[DONE]"]);
  });
});

describe("a translated whole answer", () => {
  const read = (exchange: Exchange, ...events: StreamEvent[]) => exchange.readWhole(frames(...events));

  test("is the fold of the stream, measured and billed", () => {
    const whole = read(prepare(), START, TEXT, add("Hi"), add("!"), END, finish());
    expect(whole).toMatchObject({
      failure: null,
      usage: USAGE,
      rejected_usage: "odd",
      output_bytes: 3,
      output_sample: "Hi!",
    });
    expect(JSON.parse(text(whole.body))).toMatchObject({
      object: "chat.completion",
      model: "acme/swift",
      choices: [{ message: { role: "assistant", content: "Hi!" }, finish_reason: "stop" }],
      usage: { total_tokens: 5 },
    });
  });

  test("has the billed usage where the vendor sent none", () => {
    const whole = read(prepare(), START, TEXT, add("Hi"), END, finish({ usage: null }));
    expect(JSON.parse(text(whole.body))).not.toHaveProperty("usage");
    expect(JSON.parse(text(whole.bodyWith?.(USAGE) ?? Buffer.of()))).toMatchObject({ usage: { total_tokens: 5 } });
  });

  test("is cut at a stop sequence, and billed by the vendor's usage", () => {
    const exchange = prepare({ stop: "END" }, vendor({ stop_sequences: false }));
    const whole = read(exchange, START, TEXT, add("Hi END more"), END, finish({ reason: "length" }));
    expect(whole.usage).toEqual(USAGE);
    expect(JSON.parse(text(whole.body))).toMatchObject({
      choices: [{ message: { content: "Hi " }, finish_reason: "stop" }],
    });
  });

  test("that is an error, or has no end, is a failure", () => {
    expect(read(prepare(), ERROR)).toMatchObject({
      failure: { status: 529, message: "busy", retry_after_ms: 5 },
      usage: null,
    });
    expect(read(prepare(), START, TEXT)).toMatchObject({ failure: { status: 502 } });
    expect(read(prepare())).toMatchObject({ failure: { status: 502 } });
  });
});
