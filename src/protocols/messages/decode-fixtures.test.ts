import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { booked, decodeInPieces, outcomeOf } from "../../../proofs/support/decoded-answer.ts";
import { PIECE_SIZES, withCrlf } from "../../../proofs/support/replay-stream.ts";
import type { FinishReason, StreamEvent } from "../../core/answer/stream-event.ts";
import type { Usage } from "../../core/money/usage.ts";
import { decodeResponse, MessagesDecoder } from "./codec.ts";

/** Recorded vendor traffic decoded to events: the content of each answer, its stop reason and its usage. */

const FOLDER = new URL("../../../proofs/fixtures/messages/", import.meta.url);
const fixture = (name: string) => readFileSync(new URL(name, FOLDER));
const namesOf = (ending: string) => readdirSync(FOLDER).filter((name) => name.endsWith(ending));

interface Answer {
  /** Each text, by the kind of its block or by the id of its call. */
  readonly said: readonly Readonly<Record<string, string>>[];
  readonly reason: FinishReason;
  readonly usage: Usage | null;
  readonly stop_sequence?: string;
}
type Expected = Answer | "unfinished" | { readonly status: number };

function usage(input_tokens: number, output_tokens: number, rest: Partial<Usage> = {}): Usage {
  return { input_tokens, output_tokens, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0, ...rest };
}

const STREAMS: Readonly<Record<string, Expected>> = {
  "text.sse": {
    said: [{ text: 'Rivers carry "silt"\n\nand salt: 水と塩 🧂' }],
    reason: "stop",
    usage: usage(472, 24, { cache_read_tokens: 2048, cache_write_tokens: 128 }),
  },
  "tool-use.sse": {
    said: [{ text: "I'll look that up." }, { toolu_01FixtureWeather1: '{"city": "Lisbon"}' }],
    reason: "tool-calls",
    usage: usage(472, 61),
  },
  "parallel-tools.sse": {
    said: [
      { toolu_01FixtureParallelA: '{"zone":"Europe/Lisbon"}' },
      { toolu_01FixtureParallelB: '{"zone":"Asia/Tokyo"}' },
      { toolu_01FixtureParallelC: "{}" },
    ],
    reason: "tool-calls",
    usage: usage(472, 97),
  },
  "thinking.sse": {
    said: [{ reasoning: "1071 = 2·462 + 147, then 462 = 3·147 + 21." }, { text: "The greatest common divisor is 21." }],
    reason: "stop",
    usage: usage(472, 84, { reasoning_tokens: 62 }),
  },
  "redacted-thinking.sse": { said: [{ reasoning: "" }, { text: "Done." }], reason: "stop", usage: usage(472, 45) },
  "refusal.sse": { said: [], reason: "refusal", usage: usage(18, 5) },
  "max-tokens.sse": { said: [{ text: "One, two, thr" }], reason: "length", usage: usage(472, 8) },
  // Calls and results of the vendor's own tool are skipped.
  "web-search.sse": {
    said: [{ text: "High water is at 06:12." }],
    reason: "stop",
    usage: usage(10682, 152, { extra: { calls: { web_search: 1 } } }),
  },
  "growing-input.sse": { said: [{ text: "pong" }], reason: "stop", usage: usage(61, 2, { cache_read_tokens: 7 }) },
  "error-first.sse": { status: 529 },
  "error-midway.sse": { status: 502 },
  "rate-limited.sse": { status: 429 },
  "broken-off.sse": "unfinished",
  "without-stop.sse": { said: [{ text: "All is said." }], reason: "stop", usage: usage(472, 9) },
  "without-usage.sse": { said: [{ text: "Nobody counted." }], reason: "stop", usage: null },
  "absurd-usage.sse": { said: [{ text: "A lot." }], reason: "stop", usage: null },
  "data-only.sse": { said: [{ text: "Hi there" }], reason: "stop", usage: usage(12, 3) },
  "spaced.sse": {
    said: [{ text: '潮汐 🌊\ta "text": b\\' }],
    reason: "stop",
    usage: usage(33, 7, { cache_read_tokens: 5 }),
    stop_sequence: "END",
  },
};

const BODIES: Readonly<Record<string, Expected>> = {
  "message.json": {
    said: [
      { reasoning: "Short." },
      { text: 'The "model": is named once.' },
      { toolu_01FixtureWhole: '{"model":"inner","n":3}' },
    ],
    reason: "tool-calls",
    usage: usage(21, 44, { cache_read_tokens: 9, cache_write_tokens: 4, reasoning_tokens: 12 }),
  },
  "error.json": { status: 400 },
};

/** A summary of an answer. The usage is read at the end, because the counts at the start are not final. */
function summary(events: readonly StreamEvent[]): unknown {
  const outcome = outcomeOf(events);
  const last = events.at(-1);
  if (outcome === "unfinished") return outcome;
  if ("status" in outcome) return { status: outcome.status };
  const said = outcome.blocks.map((block) => ({ [block.kind === "tool-call" ? block.id : block.kind]: block.text }));
  const { reason, stop_sequence } = outcome;
  const used = last?.type === "finish" ? booked(last.usage) : null;
  return { said, reason, usage: used, ...(stop_sequence !== null && { stop_sequence }) };
}

const streamed = (bytes: Uint8Array, size: number | null = null) => decodeInPieces(new MessagesDecoder(), bytes, size);

test("every fixture has an expected outcome", () => {
  expect(Object.keys(STREAMS).sort()).toEqual(namesOf(".sse").sort());
  const answers = namesOf(".json").filter((name) => !name.endsWith("-request.json"));
  expect(Object.keys(BODIES).sort()).toEqual(answers.sort());
});

describe("a vendor's stream has the same content in any pieces and with any line ends:", () => {
  test.each(Object.entries(STREAMS))("%s", (name, expected) => {
    const whole = streamed(fixture(name));
    expect(summary(whole)).toEqual(expected);
    for (const variant of [fixture(name), withCrlf(fixture(name))]) {
      for (const size of PIECE_SIZES) expect(streamed(variant, size)).toEqual(whole);
    }
  });
});

test.each(Object.entries(BODIES))("a vendor's whole answer: %s", (name, expected) => {
  expect(summary(decodeResponse(fixture(name)).events)).toEqual(expected);
});

test("signed and redacted reasoning is kept byte for byte", () => {
  const opaques = (name: string) => {
    const outcome = outcomeOf(streamed(fixture(name)));
    return typeof outcome === "object" && "blocks" in outcome ? outcome.blocks.map(({ opaque }) => opaque) : [];
  };
  const text = fixture("thinking.sse").toString();
  const signature = /"signature":"([^"]+)"/.exec(text)?.[1] ?? "";
  expect(opaques("thinking.sse")).toEqual([{ family: "anthropic", form: "signature", data: signature }, undefined]);
  const data = "EroCFixtureRedactedThinkingThatNobodyCanRead==";
  expect(opaques("redacted-thinking.sse")).toEqual([{ family: "anthropic", form: "redacted", data }, undefined]);
});

test("the start event has the vendor's id and the exact input count", () => {
  const [start] = new MessagesDecoder().push(fixture("text.sse"));
  expect(start).toEqual({
    type: "start",
    id: "msg_01FixtureAaBbCcDdEeFfGg1",
    created: null,
    usage: usage(472, 2, { cache_read_tokens: 2048, cache_write_tokens: 128, served: { service_tier: "standard" } }),
  });
});

describe("the usage that is known before the end", () => {
  test("is the input of the start, and null from the stop reason until the final usage", () => {
    const decoder = new MessagesDecoder();
    const [head = ""] = fixture("text.sse").toString().split("event: message_delta");
    decoder.push(Buffer.from(head));
    expect(decoder.usage).toMatchObject({ input_tokens: 472, cache_read_tokens: 2048 });
    decoder.push(
      Buffer.from('event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n'),
    );
    expect(decoder.usage).toBeNull();
  });

  test("is rejected when it is absurd, and is kept for the log", () => {
    const decoder = new MessagesDecoder();
    decoder.push(fixture("absurd-usage.sse"));
    expect(decoder.usage).toBeNull();
    expect(decoder.rejected_usage).toMatchObject({ input_tokens: 472, output_tokens: -17 });
  });
});
