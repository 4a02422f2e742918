import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Compile } from "typebox/compile";
import { CODE_POINT } from "../../../proofs/support/code-point.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Usage } from "../../core/money/usage.ts";
import { ChatStream, type StreamOptions } from "./stream.ts";
import { ChatCompletionChunk } from "./wire-answer.ts";

const ENVELOPE = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 7, model: "up" };
const USAGE: Usage = {
  input_tokens: 5,
  cache_read_tokens: 2,
  cache_write_tokens: 0,
  output_tokens: 3,
  reasoning_tokens: 1,
};
const DONE = "data: [DONE]\n\n";

const frame = (chunk: object) => `data: ${JSON.stringify(chunk)}\n\n`;
const delta = (content: object, finish_reason: string | null = null, index = 0) =>
  frame({ ...ENVELOPE, choices: [{ index, delta: content, finish_reason }] });
/** A stream whose vendor has sent the role. */
function open(options: Partial<StreamOptions> = {}): ChatStream {
  const stream = new ChatStream({ model_id: "acme/m", issuer: "acme", choices: 1, shows_usage: false, ...options });
  stream.push(Buffer.from(delta({ role: "assistant", content: "" })));
  return stream;
}
const push = (stream: ChatStream, text: string) => Buffer.from(stream.push(Buffer.from(text))).toString();
const chunksOf = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString()
    .split("\n\n")
    .filter((line) => line !== "" && line !== "data: [DONE]")
    .map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>);

const begin = (index: number, id: string, text: string) => ({
  ...{ index, id, type: "function", function: { name: "f", arguments: text } },
});

describe("content", () => {
  const contents: Readonly<Record<string, readonly [object, string]>> = {
    text: [{ content: "a\nb" }, "a\nb"],
    reasoning: [{ reasoning_content: "hm" }, "hm"],
    "reasoning under its other name": [{ reasoning: "hm" }, "hm"],
    "reasoning under both names": [{ reasoning_content: "hm", reasoning: "hm" }, "hm"],
    "a refusal": [{ refusal: "no" }, "no"],
    "the start of a tool call": [
      { tool_calls: [{ index: 0, id: "1", type: "function", function: { name: "f", arguments: "" } }] },
      "",
    ],
    "arguments of a tool call": [{ tool_calls: [begin(0, "1", '{"a"')] }, '{"a"'],
    "two whole tool calls": [{ tool_calls: [begin(0, "1", "1"), begin(1, "2", "2")] }, "12"],
    "the input of a custom tool": [
      { tool_calls: [{ index: 0, id: "1", type: "custom", custom: { name: "c", input: "x" } }] },
      "x",
    ],
    sound: [{ audio: { id: "a", transcript: "hi" } }, "hi"],
    "sound without words": [{ audio: { data: "AAAA" } }, ""],
    images: [{ images: [{ type: "image_url" }] }, ""],
  };
  for (const [name, [content, sample]] of Object.entries(contents)) {
    test(`is ${name}`, () => {
      const stream = open();
      expect(push(stream, delta(content))).toBe(delta(content).replace('"up"', '"acme/m"'));
      expect([stream.has_content, stream.output_sample, stream.output_bytes]).toEqual([true, sample, sample.length]);
    });
  }

  for (const nothing of [
    { role: "assistant" },
    { role: "assistant", content: "" },
    { content: null, refusal: null },
    {},
  ]) {
    test(`is not ${JSON.stringify(nothing)}`, () => {
      const stream = open();
      push(stream, delta(nothing));
      expect([stream.has_content, stream.output_bytes]).toEqual([false, 0]);
    });
  }
});

describe("completion", () => {
  test("is reported with the last choice's finish reason, or with [DONE]", () => {
    const stream = open({ choices: 2 });
    push(stream, delta({ content: "a" }, "stop", 1));
    expect([stream.complete, stream.terminated]).toEqual([false, false]);
    push(stream, delta({}, "stop", 0));
    expect([stream.complete, stream.terminated]).toEqual([true, false]);
    expect(push(stream, DONE)).toBe("");
    expect([stream.complete, stream.terminated]).toEqual([true, true]);
    const other = open();
    push(other, delta({ content: "a" }) + DONE);
    expect(other.complete).toBe(true);
  });

  test("is not reported for an empty finish reason", () => {
    const stream = open();
    push(stream, delta({ content: "a" }, ""));
    expect(stream.complete).toBe(false);
  });

  test("withholds [DONE] until finish, and ignores later frames", () => {
    const stream = open();
    expect(push(stream, delta({ content: "a" }, "stop") + DONE + delta({ content: "late" }))).toContain(
      '"content":"a"',
    );
    expect(push(stream, delta({ content: "later" }))).toBe("");
    expect(stream.output_sample).toBe("a");
    expect(Buffer.from(stream.finish()).toString()).toBe(DONE);
  });

  test("is missing when the vendor breaks off in the middle of a chunk, which is not passed on", () => {
    const stream = open();
    push(stream, delta({ content: "a" }) + delta({ content: "b" }).slice(0, 60));
    expect(stream.end()).toHaveLength(0);
    expect(stream.complete).toBe(false);
  });

  test("takes a last frame without its blank line", () => {
    const stream = open();
    push(stream, `${delta({ content: "a" })}data: [DONE]`);
    stream.end();
    expect(stream.terminated).toBe(true);
  });
});

describe("the usage chunk", () => {
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
  const shownUsage = {
    ...usage,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
  const usageChunk = (extra: object = {}) => frame({ ...ENVELOPE, choices: [], usage: { ...usage, ...extra } });

  test("is the vendor's last one, sent once, at the end", () => {
    const stream = open({ shows_usage: true });
    push(stream, delta({}, "stop"));
    expect(
      push(stream, usageChunk({ completion_tokens: 1 }) + usageChunk({ num_sources_used: 1, cost: 1 }) + DONE),
    ).toBe("");
    const [chunk, ...others] = chunksOf(stream.finish());
    expect(others).toEqual([]);
    expect(chunk).toEqual({ ...ENVELOPE, model: "acme/m", choices: [], usage: { ...shownUsage, num_sources_used: 1 } });
  });

  test("is written by the gateway when the vendor put the usage elsewhere", () => {
    const stream = open({ shows_usage: true });
    push(stream, frame({ ...ENVELOPE, choices: [{ index: 0, delta: {}, finish_reason: "stop", usage }] }) + DONE);
    expect(chunksOf(stream.finish())).toMatchObject([{ ...ENVELOPE, model: "acme/m", choices: [], usage }]);
  });

  test("shows the billed usage when the vendor sent none", () => {
    const stream = open({ shows_usage: true });
    push(stream, delta({ content: "a" }, "stop") + DONE);
    expect(chunksOf(stream.finish(USAGE))).toMatchObject([
      { choices: [], usage: { prompt_tokens: 7, total_tokens: 10 } },
    ]);
    expect(chunksOf(stream.finish())).toEqual([]);
  });

  test("is not sent to a client that did not ask", () => {
    const stream = open();
    push(stream, delta({}, "stop"));
    expect(push(stream, usageChunk() + DONE)).toBe("");
    expect(Buffer.from(stream.finish(USAGE)).toString()).toBe(DONE);
    expect(stream.usage).toMatchObject({ input_tokens: 7, output_tokens: 3 });
  });

  for (const json of [
    '{"model":"up","choices":[],"usage":null}',
    '{"model": "up", "choices": [], "usage": null, "x": 1}',
  ]) {
    test(`does not reach a client that did not ask for it: ${json}`, () => {
      expect(push(open(), `data: ${json}\n\n`)).not.toContain("usage");
      expect(push(open({ shows_usage: true }), `data: ${json}\n\n`)).toContain("usage");
      expect(JSON.parse(push(open(), `data: ${json}\n\n`).slice(6))).toMatchObject({ model: "acme/m", choices: [] });
    });
  }

  test("with content is passed on unchanged", () => {
    const chunk = { ...ENVELOPE, choices: [{ index: 0, delta: { content: '"usage":null' } }], usage: shownUsage };
    expect(push(open(), frame(chunk))).toBe(frame({ ...chunk, model: "acme/m" }));
  });

  test("is left out when the vendor's last usage cannot be believed", () => {
    const stream = open({ shows_usage: true });
    push(stream, delta({}, "stop") + usageChunk() + usageChunk({ completion_tokens: -1 }) + DONE);
    expect(stream.usage).toBeNull();
    expect(stream.rejected_usage).toMatchObject({ completion_tokens: -1 });
    expect(chunksOf(stream.finish())).toEqual([]);
    expect(chunksOf(stream.finish(USAGE))).toMatchObject([{ usage: { completion_tokens: 3 } }]);
  });
});

describe("a cut stream", () => {
  test("ends every open choice with length, shows the usage if asked, and ends cleanly", () => {
    const stream = open({ choices: 2, shows_usage: true });
    push(stream, delta({ content: "a" }) + delta({ content: "b" }, "stop", 1));
    const out = stream.cut(USAGE);
    expect(chunksOf(out)).toMatchObject([
      { ...ENVELOPE, model: "acme/m", choices: [{ index: 0, delta: {}, finish_reason: "length" }] },
      {
        ...ENVELOPE,
        model: "acme/m",
        choices: [],
        usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
      },
    ]);
    expect(Buffer.from(out).toString().endsWith(DONE)).toBe(true);
    const chunk = Compile(ChatCompletionChunk);
    for (const one of chunksOf(out)) expect(chunk.Errors(one)).toEqual([]);
  });

  test("adds only the frames that are missing", () => {
    const stream = open();
    push(stream, delta({ content: "b" }, "stop"));
    expect(Buffer.from(stream.cut(USAGE)).toString()).toBe(DONE);
  });
});

describe("a failing stream", () => {
  const errors: readonly string[] = [
    frame({ error: { message: "Down", code: 503 } }),
    frame({ error: "Down", code: 503 }),
    frame({ object: "error", message: "Down", code: 503 }),
    `event: error\n${frame({ error: { message: "Down", code: 503 } })}`,
    frame([{ error: { message: "Down", code: 503, status: "UNAVAILABLE" } }]),
    frame({
      ...ENVELOPE,
      choices: [{ index: 0, delta: {}, finish_reason: "error", error: { message: "Down", code: 503 } }],
    }),
  ];
  for (const error of errors) {
    test(`sends its failure and nothing after it: ${error.trim().replace("\n", " ")}`, () => {
      const stream = open();
      expect(push(stream, delta({ content: "a" }) + error + delta({ content: "b" }) + DONE)).toContain('"content":"a"');
      expect(stream.failure).toEqual({ status: 503, message: "Down", retry_after_ms: null });
      expect(push(stream, DONE)).toBe("");
      expect([stream.complete, stream.output_sample]).toEqual([false, "a"]);
    });
  }

  test("does not read null, empty or quoted errors as a failure", () => {
    const stream = open();
    push(stream, frame({ ...ENVELOPE, error: null, choices: [{ index: 0, delta: { content: 'a "error":{"x":1}' } }] }));
    push(
      stream,
      frame({ ...ENVELOPE, error: {}, choices: [{ index: 0, delta: { content: '"finish_reason":"stop"' } }] }),
    );
    expect([stream.failure === null, stream.complete]).toEqual([true, false]);
  });

  test("ends with an error event and no [DONE]", () => {
    const out = Buffer.from(open().fail(new GatewayError("provider_error", "It broke."))).toString();
    expect(out).toBe(
      'data: {"error":{"message":"It broke.","type":"provider_error","param":null,"code":"provider_error"}}\n\n',
    );
  });
});

test("frames that are no chunks are left out: comments, pings, text", () => {
  const stream = open();
  const noise = ": keep-alive\n\nevent: ping\n\ndata: \n\ndata: hello\n\nretry: 10\n\ndata: {broken\n\n";
  expect(push(stream, noise + delta({ content: "a" }))).toBe(delta({ content: "a" }).replace('"up"', '"acme/m"'));
});

test("any content, in any pieces, reaches the client unchanged and is measured to the byte", () => {
  const key = fc.constantFrom("content", "reasoning_content", "refusal");
  const piece = fc.tuple(
    key,
    fc.oneof(fc.string(), fc.string({ unit: CODE_POINT }), fc.constantFrom('"model":"x"', '\\"', "\n\n")),
  );
  fc.assert(
    fc.property(fc.array(piece), fc.integer({ min: 1, max: 300 }), fc.nat(2), (pieces, size, space) => {
      const chunks = pieces.map(([name, text]) => ({ ...ENVELOPE, choices: [{ index: 0, delta: { [name]: text } }] }));
      const spaced = (chunk: object) => JSON.stringify(chunk, null, space).replaceAll(/\n */g, " ");
      const bytes = Buffer.from(chunks.map((chunk) => `data: ${spaced(chunk)}\n\n`).join(""));
      const stream = open();
      const out: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) out.push(stream.push(Buffer.from(bytes.subarray(at, at + size))));
      const text = pieces.map(([, one]) => one).join("");
      expect(chunksOf(Buffer.concat(out))).toEqual(chunks.map((chunk) => ({ ...chunk, model: "acme/m" })));
      expect(stream.output_bytes).toBe(pieces.reduce((sum, [, one]) => sum + Buffer.byteLength(one), 0));
      expect(stream.output_sample).toBe(text);
      expect(stream.has_content).toBe(text !== "");
    }),
    { numRuns: 1000 },
  );
});

test("spaces behind a line separator inside a text stay where the data begins with too many spaces", () => {
  const text = delta({ content: "a\u2028  b" });
  expect(push(open(), text.replace("data: ", "data:  "))).toBe(text.replace('"up"', '"acme/m"'));
});
