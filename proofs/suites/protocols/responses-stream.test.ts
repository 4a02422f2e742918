import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import OpenAI from "openai";
import { Compile } from "typebox/compile";
import { GatewayError } from "../../../src/core/errors.ts";
import type { Usage } from "../../../src/core/money/usage.ts";
import { ResponsesStream } from "../../../src/protocols/responses/stream.ts";
import { ResponseStreamEvent } from "../../../src/protocols/responses/wire-answer.ts";
import { booked } from "../../support/decoded-answer.ts";
import { PIECE_SIZES, replay, withCrlf } from "../../support/replay-stream.ts";

const FIXTURES = join(import.meta.dir, "../../fixtures/responses");
const MODEL = "acme/swift";

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

const BROKEN = { usage: null, complete: false } as const;
const FAILED = { ...BROKEN, sample: "", has_content: false } as const;

const STREAMS: Readonly<Record<string, Expected>> = {
  text: {
    usage: usage(60, 24, { cache_read_tokens: 2048, cache_write_tokens: 64 }),
    sample: 'Rivers carry "silt"\n\nand salt: 水と塩 🧂',
  },
  "tool-use": { usage: usage(45, 25), sample: '{"city":"Lisbon"}' },
  "parallel-tools": {
    usage: usage(81, 120, { reasoning_tokens: 64 }),
    sample: '{"zone":"Europe/Lisbon"}{"zone":"Asia/Tokyo"}',
  },
  "interleaved-tools": { usage: usage(40, 30), sample: '{"a"{"b":1}:2}' },
  "custom-tool": { usage: usage(52, 14), sample: "ls -l | head\n" },
  reasoning: {
    usage: usage(47, 84, { reasoning_tokens: 62 }),
    sample: "**Dividing**\n\n1071 = 2·462 + 147.**Again**\n\n462 = 3·147 + 21.The greatest common divisor is 21.",
  },
  "reasoning-text": { usage: usage(20, 9), sample: "Short thought.Yes." },
  refusal: { usage: usage(18, 9), sample: "I can't help with that." },
  incomplete: { usage: usage(20, 16), sample: "One, two, thr" },
  "content-filter": { usage: usage(20, 6), sample: "Once upon" },
  "web-search": {
    usage: usage(4108, 96, { cache_read_tokens: 4096, extra: { calls: { web_search: 1 } } }),
    sample: "High water is at 06:12 (tides.example).",
  },
  "error-first": { ...FAILED, failure: 429 },
  "error-flat": { ...FAILED, failure: 429 },
  "failed-only": { ...FAILED, failure: 502 },
  "bad-image": { ...FAILED, failure: 400 },
  "failed-midway": { ...BROKEN, sample: "The first thing to know is", failure: 502 },
  "broken-off": { ...BROKEN, sample: "The first thing to know is" },
  "without-usage": { usage: null, sample: "Nobody counted." },
  "absurd-usage": { usage: null, sample: "A lot.", rejected: true },
  "reasoning-apart": {
    usage: usage(26, 119, { cache_read_tokens: 6, reasoning_tokens: 110 }),
    sample: "Forty-two.",
  },
  "data-only": { usage: usage(12, 3), sample: "Hi there" },
  spaced: { usage: usage(33, 7), sample: '潮汐 🌊\ta "delta": b\\' },
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
      const whole = replay(new ResponsesStream(MODEL), bytes, null);

      test(`is metered (${line_ends})`, () => {
        expect(booked(whole.usage)).toEqual(expected.usage);
        expect(whole.output_sample).toBe(expected.sample);
        expect(whole.output_bytes).toBe(Buffer.byteLength(expected.sample));
        expect(whole.complete).toBe(expected.complete ?? true);
        expect(whole.terminated).toBe(whole.complete);
        expect(whole.has_content).toBe(expected.has_content ?? true);
        expect(whole.failure?.status).toBe(expected.failure);
        expect(whole.rejected_usage !== null).toBe(expected.rejected ?? false);
      });

      test.each(PIECE_SIZES)(`gives the same bytes and usage in pieces of %p (${line_ends})`, (size) => {
        expect(replay(new ResponsesStream(MODEL), bytes, size)).toEqual(whole);
      });
    }
  });
}

/** The streams that end well. */
const WHOLE = Object.keys(STREAMS).filter((name) => STREAMS[name]?.complete !== false);

describe("a stream that ends well", () => {
  // The others lack a name, a count or a part that clients read.
  const as_sent = WHOLE.filter((name) => !["data-only", "reasoning-apart", "spaced"].includes(name));
  test.each(as_sent)("reaches the client byte for byte except for the model's name: %s", (name) => {
    const { output } = replay(new ResponsesStream(MODEL), fixture(name), null);
    const names = /("model": ?)"(gpt-5\.1|gpt-oss|local)[^"]*"/g;
    expect(output).toBe(fixture(name).toString().replace(names, `$1"${MODEL}"`));
  });

  test("leaves models and usages in the client's own tools unchanged", () => {
    const { output } = replay(new ResponsesStream(MODEL), fixture("tool-use"), null);
    for (const { response } of events(output) as { response?: { tools: unknown[] } }[]) {
      if (response === undefined) continue;
      expect(response.tools).toMatchObject([
        { parameters: { properties: { model: { type: "string" } } } },
        { model: "gpt-image-2" },
      ]);
    }
  });

  test.each(WHOLE)("withholds its last frame until the charge is recorded: %s", (name) => {
    const { before_end, output } = replay(new ResponsesStream(MODEL), fixture(name), null);
    expect(before_end).not.toMatch(/event: response\.(completed|incomplete)/);
    expect(output.match(/event: response\.(completed|incomplete)/g)).toHaveLength(1);
  });

  test("gets the event names that its vendor left out, and loses frames that are no events", () => {
    const { output } = replay(new ResponsesStream(MODEL), fixture("data-only"), null);
    expect(eventNames(output)).toEqual(events(output).map(({ type }) => String(type)));
    expect(output).not.toContain("keep-alive");
    expect(output).not.toContain("[DONE]");
  });

  test("shows the usage that is billed", () => {
    const { output } = replay(new ResponsesStream(MODEL), fixture("reasoning-apart"), null);
    expect(events(output).at(-1)).toMatchObject({
      response: {
        model: MODEL,
        usage: {
          input_tokens: 32,
          input_tokens_details: { cached_tokens: 6 },
          output_tokens: 119,
          output_tokens_details: { reasoning_tokens: 110 },
          total_tokens: 151,
        },
      },
    });
  });

  test.each(["without-usage", "absurd-usage"])(
    "shows the billed usage where its vendor sends none or one that is rejected: %s",
    (name) => {
      const answer = new ResponsesStream(MODEL);
      const output = Buffer.concat([answer.push(fixture(name)), answer.end(), answer.finish(billed)]).toString();
      expect(events(output).at(-1)).toMatchObject({
        response: { model: MODEL, usage: { input_tokens: 103, output_tokens: 20, total_tokens: 123 } },
      });
    },
  );

  test.each(WHOLE)("has events of the public shape: %s", (name) => {
    for (const data of events(replay(new ResponsesStream(MODEL), fixture(name), null).output)) {
      expect([data, isPublicEvent.Check(data)]).toEqual([data, true]);
    }
  });
});

const isPublicEvent = Compile(ResponseStreamEvent);
const billed = usage(100, 20, { cache_read_tokens: 3, reasoning_tokens: 4 });
const provider_error = new GatewayError("provider_error", "The vendor broke the answer off.");

function passed(name: string, count: number): { answer: ResponsesStream; before: Buffer } {
  const answer = new ResponsesStream(MODEL);
  const frames = fixture(name)
    .toString()
    .split(/(?<=\n\n)/)
    .slice(0, count);
  return { answer, before: answer.push(Buffer.from(frames.join(""))) };
}

describe("a stream that is cut", () => {
  const cut_anywhere = WHOLE.filter((name) => name !== "data-only");
  test.each(cut_anywhere)("ends legally wherever it is cut: %s", async (name) => {
    const frames = fixture(name).toString().match(/\n\n/g)?.length ?? 0;
    for (let count = 1; count < frames; count++) {
      const { answer, before } = passed(name, count);
      const output = before.toString() + answer.cut(billed).toString();
      const all = events(output);
      expect(all.map(({ sequence_number }) => sequence_number)).toEqual(all.map((_, index) => index));
      expect(eventNames(output)).toEqual(all.map(({ type }) => String(type)));
      for (const data of all) expect([data, isPublicEvent.Check(data)]).toEqual([data, true]);
      expectBalanced(all);
      expect(all.at(-1)).toMatchObject({
        type: "response.incomplete",
        response: {
          status: "incomplete",
          incomplete_details: { reason: "max_output_tokens" },
          model: MODEL,
          usage: { input_tokens: 103, output_tokens: 20, total_tokens: 123 },
        },
      });
      expect(outputText(all.at(-1))).toBe(deltas(all));
      if (name === "text" || name === "reasoning") expect((await readWithSdk(output)).status).toBe("incomplete");
    }
  });

  test("closes open parts and items from the inside out", () => {
    const { answer } = passed("text", 6);
    expect(eventNames(answer.cut(billed).toString())).toEqual([
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.incomplete",
    ]);
  });

  test("keeps citations that came", () => {
    const { answer } = passed("web-search", 12);
    const last = events(answer.cut(billed).toString()).at(-1);
    expect(last).toMatchObject({
      response: { output: [{ status: "completed" }, { content: [{ annotations: [{ type: "url_citation" }] }] }] },
    });
  });

  test("keeps its own end if it was complete", () => {
    const answer = new ResponsesStream(MODEL);
    answer.push(fixture("text"));
    expect(answer.cut(billed).toString()).toContain('"status":"completed"');
  });
});

describe("a stream that fails", () => {
  test.each(WHOLE.filter((name) => name !== "data-only"))("ends with response.failed wherever it fails: %s", (name) => {
    const frames = fixture(name).toString().match(/\n\n/g)?.length ?? 0;
    for (let count = 1; count < frames; count++) {
      const { answer, before } = passed(name, count);
      const output = before.toString() + answer.fail(provider_error).toString();
      const all = events(output);
      const last = all.at(-1);
      expect(isPublicEvent.Check(last)).toBe(true);
      expect(last).toMatchObject({
        type: "response.failed",
        sequence_number: all.length - 1,
        response: {
          status: "failed",
          model: MODEL,
          error: { code: "provider_error", message: "The vendor broke the answer off." },
        },
      });
    }
  });

  test("ends with a failed response even before the first event", () => {
    const [event] = events(new ResponsesStream(MODEL).fail(provider_error).toString());
    expect(event).toMatchObject({
      type: "response.failed",
      sequence_number: 0,
      response: { model: MODEL, output: [] },
    });
    expect(isPublicEvent.Check(event)).toBe(true);
  });

  test("passes none of the vendor's error text to the client", () => {
    for (const name of ["error-first", "error-flat", "failed-only", "failed-midway"]) {
      const { output, failure } = replay(new ResponsesStream(MODEL), fixture(name), null);
      expect(output).not.toMatch(/event: (error|response\.failed)/);
      expect(failure?.message).toMatch(/[a-z]{3}/);
    }
  });

  test("hides the operator's account at the vendor and says when to try again", () => {
    const { failure } = replay(new ResponsesStream(MODEL), fixture("error-flat"), null);
    expect(failure?.message).toContain("Rate limit reached");
    expect(failure?.message).not.toContain("org-4f1c2d3e4b5a69788766");
    expect(failure?.retry_after_ms).toBe(1500);
  });
});

test.each([
  "<html>\n\n<body>Bad gateway</body>\n\n</html>",
  "retry: 3000\n\n",
  ": x\ndata: [DONE]\n\n",
  '{"object": "response"}',
])("bytes that are no event never reach the client: %j", (text) => {
  const { output, complete, failure } = replay(new ResponsesStream(MODEL), Buffer.from(text), null);
  expect([output, complete, failure]).toEqual(["", false, null]);
});

test("a stream gives the same bytes, in pieces of any size", () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(STREAMS)), fc.integer({ min: 1, max: 900 }), (name, size) => {
      const whole = replay(new ResponsesStream(MODEL), fixture(name), null);
      expect(replay(new ResponsesStream(MODEL), fixture(name), size)).toEqual(whole);
    }),
    { numRuns: 60 },
  );
});

test("the official client reads a relayed stream", async () => {
  const response = await readWithSdk(replay(new ResponsesStream(MODEL), fixture("reasoning"), null).output);
  expect(response.model).toBe(MODEL);
  expect(response.output_text).toBe("The greatest common divisor is 21.");
  expect(response.usage?.total_tokens).toBe(131);
});

function eventNames(output: string): string[] {
  return [...output.matchAll(/^event: (.*)$/gm)].map(([, name]) => name ?? "");
}

function events(output: string): Record<string, unknown>[] {
  return [...output.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ""));
}

/** Every item that was added and every text that streamed gets its done event, and no item or text gets two. */
function expectBalanced(all: readonly Record<string, unknown>[]): void {
  const open = new Map<string, number>();
  const texts = new Map<string, number>();
  for (const event of all) {
    const type = String(event.type);
    const place = [event.output_index, event.content_index, event.summary_index].join();
    const [, what, step] =
      /^response\.(output_item|content_part|reasoning_summary_part)\.(added|done)$/.exec(type) ?? [];
    if (what !== undefined) {
      const change = step === "added" ? 1 : -1;
      open.set(`${what} ${place}`, (open.get(`${what} ${place}`) ?? 0) + change);
      expect([type, place, open.get(`${what} ${place}`)]).toEqual([type, place, step === "added" ? 1 : 0]);
    } else if (type.endsWith(".done")) {
      texts.set(`${type} ${place}`, (texts.get(`${type} ${place}`) ?? 0) + 1);
    }
  }
  expect([...open.values()].filter((count) => count !== 0)).toEqual([]);
  expect([...texts.values()].filter((count) => count !== 1)).toEqual([]);
}

type Streamed = { type: string; delta?: string; output_index: number; content_index?: number; summary_index?: number };

/** All text that came as deltas, in the order of the output. */
function deltas(all: readonly Record<string, unknown>[]): string {
  const texts = new Map<string, string>();
  for (const event of all as Streamed[]) {
    if (!event.type.endsWith(".delta")) continue;
    const place = [event.output_index, event.summary_index ?? event.content_index ?? 0].join();
    texts.set(place, (texts.get(place) ?? "") + event.delta);
  }
  return [...texts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, text]) => text)
    .join("");
}

type Part = { text?: string; refusal?: string };
type Item = { arguments?: string; input?: string; summary?: Part[]; content?: Part[] };

/** The text of the last event's output, in the same form. */
function outputText(last: Record<string, unknown> | undefined): string {
  const { output } = (last as { response: { output: Item[] } }).response;
  const text = (part: Part) => part.text ?? part.refusal ?? "";
  return output
    .map((item) => {
      const parts = [...(item.summary ?? []), ...(item.content ?? [])];
      return (item.arguments ?? "") + (item.input ?? "") + parts.map(text).join("");
    })
    .join("");
}

/** The response that the official client reads from a stream. */
async function readWithSdk(output: string) {
  const client = new OpenAI({
    apiKey: "cm-test",
    maxRetries: 0,
    fetch: async () => new Response(output, { headers: { "content-type": "text/event-stream" } }),
  });
  return await client.responses.stream({ model: MODEL, input: "Hi" }).finalResponse();
}
