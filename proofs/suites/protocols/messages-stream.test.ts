import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import { Compile } from "typebox/compile";
import { GatewayError } from "../../../src/core/errors.ts";
import type { Usage } from "../../../src/core/money/usage.ts";
import { MessagesStream } from "../../../src/protocols/messages/stream.ts";
import { MessageStreamEvent } from "../../../src/protocols/messages/wire-answer.ts";
import { eventData } from "../../../src/protocols/shared/event-frames.ts";
import { checkMessagesStream } from "../../grammars/messages/stream-grammar.ts";
import { booked } from "../../support/decoded-answer.ts";
import { PIECE_SIZES, replay, withCrlf } from "../../support/replay-stream.ts";

const FIXTURES = join(import.meta.dir, "../../fixtures/messages");
const MODEL = "acme/sonnet";

function fixture(name: string): Buffer {
  return readFileSync(join(FIXTURES, `${name}.sse`));
}

function usage(input_tokens: number, output_tokens: number, rest: Partial<Usage> = {}): Usage {
  return { input_tokens, output_tokens, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0, ...rest };
}

interface Expected {
  readonly usage: Usage | null;
  readonly sample: string;
  readonly complete?: false;
  readonly has_content?: false;
  readonly failure?: number;
  readonly rejected?: true;
}

const STREAMS: Readonly<Record<string, Expected>> = {
  text: {
    usage: usage(472, 24, { cache_read_tokens: 2048, cache_write_tokens: 128 }),
    sample: 'Rivers carry "silt"\n\nand salt: 水と塩 🧂',
  },
  "tool-use": { usage: usage(472, 61), sample: `I'll look that up.{"city": "Lisbon"}` },
  "parallel-tools": { usage: usage(472, 97), sample: '{"zone":"Europe/Lisbon"}{"zone":"Asia/Tokyo"}' },
  thinking: {
    usage: usage(472, 84, { reasoning_tokens: 62 }),
    sample: "1071 = 2·462 + 147, then 462 = 3·147 + 21.The greatest common divisor is 21.",
  },
  "redacted-thinking": { usage: usage(472, 45), sample: "Done." },
  refusal: { usage: usage(18, 5), sample: "", has_content: false },
  "max-tokens": { usage: usage(472, 8), sample: "One, two, thr" },
  "web-search": {
    usage: usage(10682, 152, { extra: { calls: { web_search: 1 } } }),
    sample: '{"query": "tide Lisbon today"}High water is at 06:12.',
  },
  "growing-input": { usage: usage(61, 2, { cache_read_tokens: 7 }), sample: "pong" },
  "error-first": { usage: null, sample: "", complete: false, has_content: false, failure: 529 },
  "error-midway": { usage: usage(472, 2), sample: "The first thing to know is", complete: false, failure: 502 },
  "rate-limited": { usage: usage(472, 2), sample: "", complete: false, has_content: false, failure: 429 },
  "broken-off": { usage: usage(472, 2), sample: "The answer to your ques", complete: false },
  "without-stop": { usage: usage(472, 9), sample: "All is said." },
  "without-usage": { usage: null, sample: "Nobody counted." },
  "absurd-usage": { usage: null, sample: "A lot.", rejected: true },
  "data-only": { usage: usage(12, 3), sample: "Hi there" },
  spaced: { usage: usage(33, 7, { cache_read_tokens: 5 }), sample: '潮汐 🌊\ta "text": b\\' },
};

test("every recorded stream has an expected outcome", () => {
  const recorded = readdirSync(FIXTURES).filter((name) => name.endsWith(".sse"));
  expect(recorded.map((name) => name.slice(0, -4)).sort()).toEqual(Object.keys(STREAMS).sort());
});

for (const [name, expected] of Object.entries(STREAMS)) {
  describe(`the stream "${name}"`, () => {
    for (const [line_ends, bytes] of [
      ["LF", fixture(name)],
      ["CRLF", withCrlf(fixture(name))],
    ] as const) {
      const whole = replay(new MessagesStream(MODEL), bytes, null);

      test(`is metered (${line_ends})`, () => {
        expect(booked(whole.usage)).toEqual(expected.usage);
        expect(whole.output_sample).toBe(expected.sample);
        expect(whole.output_bytes).toBe(Buffer.byteLength(expected.sample));
        expect(whole.complete).toBe(expected.complete ?? true);
        expect(whole.has_content).toBe(expected.has_content ?? true);
        expect(whole.failure?.status).toBe(expected.failure);
        expect(whole.rejected_usage !== null).toBe(expected.rejected ?? false);
      });

      test.each(PIECE_SIZES)(`gives the same bytes and usage in pieces of %p (${line_ends})`, (size) => {
        expect(replay(new MessagesStream(MODEL), bytes, size)).toEqual(whole);
      });
    }
  });
}

/** The streams that end well, with the gateway's name of the model in place of the vendor's. */
const WHOLE = Object.keys(STREAMS).filter((name) => STREAMS[name]?.complete !== false);

describe("a stream that ends well", () => {
  const changed = ["data-only", "without-stop", "without-usage", "absurd-usage"];
  const as_sent = WHOLE.filter((name) => !changed.includes(name));
  test.each(as_sent)("reaches the client byte for byte except for the model's name: %s", (name) => {
    const { output } = replay(new MessagesStream(MODEL), fixture(name), null);
    const sent = fixture(name).toString();
    expect(output).toBe(sent.replace(/"model": ?"[^"]*"/, (model) => model.replace(/"[^"]*"$/, `"${MODEL}"`)));
  });

  test.each(WHOLE)("withholds its stop reason and its last frame until the charge is recorded: %s", (name) => {
    const { before_end, output } = replay(new MessagesStream(MODEL), fixture(name), null);
    expect(before_end).not.toContain("message_stop");
    expect(before_end).not.toMatch(/"stop_reason": ?"/);
    expect(output.match(/event: message_stop/g)).toHaveLength(1);
  });

  test.each([
    ["without-usage", 90],
    // The start's input count can be believed.
    ["absurd-usage", 472],
  ])("shows the usage that is billed where its vendor's does not serve: %s", async (name, input_tokens) => {
    const answer = new MessagesStream(MODEL, 90);
    const output = Buffer.concat([answer.push(fixture(name)), answer.end(), answer.finish(billed)]).toString();
    expect(checkMessagesStream(output)).toEqual({ end: "stop" });
    expect(events(output)[0]).toMatchObject({
      message: { model: MODEL, usage: { input_tokens } },
    });
    expect(events(output).at(-2)).toMatchObject({ usage: { input_tokens: 100, output_tokens: 20 } });
    expect((await readWithSdk(output)).usage).toMatchObject({ output_tokens: 20, cache_read_input_tokens: 3 });
  });

  test("gets the event names that its vendor left out, and loses frames that are no events", () => {
    const { output } = replay(new MessagesStream(MODEL), fixture("data-only"), null);
    expect(eventNames(output)).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(output).not.toContain("keep-alive");
    expect(output).not.toContain("[DONE]");
  });

  test.each(["text", "thinking", "tool-use", "redacted-thinking", "max-tokens", "refusal"])(
    "has events of the public shape: %s",
    (name) => {
      for (const data of events(replay(new MessagesStream(MODEL), fixture(name), null).output)) {
        expect([data, isPublicEvent.Check(data)]).toEqual([data, true]);
      }
    },
  );
});

const isPublicEvent = Compile(MessageStreamEvent);
const billed = usage(100, 20, { cache_read_tokens: 3, reasoning_tokens: 4 });

describe("a stream that is cut", () => {
  test.each(["text", "tool-use", "thinking", "web-search"])("ends legally wherever it is cut: %s", async (name) => {
    const frames = fixture(name)
      .toString()
      .split(/(?<=\n\n)/);
    for (let passed = 1; passed < frames.length - 2; passed++) {
      const answer = new MessagesStream(MODEL);
      const sent = [answer.push(Buffer.from(frames.slice(0, passed).join(""))), answer.cut(billed)];
      const output = Buffer.concat(sent).toString();
      expectLegalOrder(output);
      const [delta, stop] = events(output).slice(-2);
      expect(delta).toMatchObject({
        type: "message_delta",
        delta: { stop_reason: "max_tokens", stop_sequence: null },
        usage: { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 3, cache_creation_input_tokens: 0 },
      });
      expect(stop).toEqual({ type: "message_stop" });
      expect((await readWithSdk(output)).stop_reason).toBe("max_tokens");
    }
  });

  test("keeps its stop reason if that came before the cut", () => {
    const answer = new MessagesStream(MODEL);
    answer.push(fixture("text"));
    expect(answer.cut(billed).toString()).toContain('"stop_reason":"end_turn"');
  });

  test.each([0, 1])("shows its cost once, in its last usage; of the vendor's end it has %i frames", (whole) => {
    const frames = fixture("text")
      .toString()
      .split(/(?<=\n\n)/);
    const answer = new MessagesStream(MODEL);
    answer.push(Buffer.from(frames.slice(0, whole === 1 ? frames.length : 4).join("")));
    const output = answer.cut(billed, "5").toString();
    expect(output.match(/"cost"/g)).toHaveLength(1);
    expect(events(output).at(-2)).toMatchObject({ type: "message_delta", usage: { cost: "5" } });
  });
});

describe("a stream that fails", () => {
  test("ends with an error event that has the request's id, and never cleanly", () => {
    const answer = new MessagesStream(MODEL);
    answer.push(fixture("broken-off"));
    const error = new GatewayError("provider_error", "The vendor broke the answer off.");
    expect(eventData(answer.fail(error, "req_1"))).toEqual({
      type: "error",
      error: { type: "api_error", message: "The vendor broke the answer off." },
      request_id: "req_1",
    });
    expect(answer.fail(error, "req_1").toString()).toStartWith("event: error\ndata: ");
  });

  test("passes no frame after the vendor's error", () => {
    const { output } = replay(new MessagesStream(MODEL), fixture("error-midway"), null);
    expect(output).not.toContain("never sent");
    expect(output).not.toContain("Internal server error");
  });

  test("hides the operator's account at the vendor", () => {
    const { failure } = replay(new MessagesStream(MODEL), fixture("rate-limited"), null);
    expect(failure?.message).toContain("rate limit");
    expect(failure?.message).not.toContain("org-4f1c2d3e4b5a69788766");
  });
});

test.each([
  "<html>\n\n<body>Bad gateway</body>\n\n</html>",
  "retry: 3000\n\n",
  ": x\ndata: [DONE]\n\n",
  '{"object": "response"}',
])("bytes that are no event never reach the client: %j", (text) => {
  const { output, complete, failure } = replay(new MessagesStream(MODEL), Buffer.from(text), null);
  expect([output, complete, failure]).toEqual(["", false, null]);
});

test("a stream gives the same bytes, in pieces of any size", () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(STREAMS)), fc.integer({ min: 1, max: 300 }), (name, size) => {
      const whole = replay(new MessagesStream(MODEL), fixture(name), null);
      expect(replay(new MessagesStream(MODEL), fixture(name), size)).toEqual(whole);
    }),
    { numRuns: 60 },
  );
});

test("the official client reads a relayed stream", async () => {
  const output = replay(new MessagesStream(MODEL), fixture("tool-use"), null).output;
  const message = await readWithSdk(output);
  expect(message.model).toBe(MODEL);
  expect(message.content).toMatchObject([
    { type: "text", text: "I'll look that up." },
    { type: "tool_use", name: "get_weather", input: { city: "Lisbon" } },
  ]);
});

function eventNames(output: string): string[] {
  return [...output.matchAll(/^event: (.*)$/gm)].map(([, name]) => name ?? "");
}

function events(output: string): Record<string, unknown>[] {
  return [...output.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ""));
}

/** Blocks open and close one at a time, each with its own index, between the message's start and its end. */
function expectLegalOrder(output: string): void {
  let open: unknown = null;
  const names = eventNames(output).filter((name) => name !== "ping");
  expect(names[0]).toBe("message_start");
  expect(names.slice(-2)).toEqual(["message_delta", "message_stop"]);
  for (const event of events(output)) {
    if (event.type === "content_block_start") {
      expect(open).toBeNull();
      open = event.index;
    } else if (String(event.type).startsWith("content_block_")) expect(event.index).toBe(open);
    if (event.type === "content_block_stop") open = null;
    if (event.type === "message_delta") expect(open).toBeNull();
  }
}

/** The message that the official client reads from a stream. */
async function readWithSdk(output: string) {
  const client = new Anthropic({
    apiKey: "cm-test",
    maxRetries: 0,
    fetch: async () => new Response(output, { headers: { "content-type": "text/event-stream" } }),
  });
  const stream = client.messages.stream({ model: MODEL, max_tokens: 10, messages: [{ role: "user", content: "Hi" }] });
  return await stream.finalMessage();
}
