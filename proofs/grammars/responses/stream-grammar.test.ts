import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { withCrlf } from "../../support/replay-stream.ts";
import { checkResponsesStream } from "./stream-grammar.ts";

const FIXTURES = join(import.meta.dir, "../../fixtures/responses");
const fixture = (name: string) => readFileSync(join(FIXTURES, `${name}.sse`)).toString();

/** Recorded streams that break the grammar: dialects, unbelievable counts, and a stream that was broken off. */
const ILLEGAL: Readonly<Record<string, RegExp>> = {
  "broken-off": /ends within a frame/,
  "absurd-usage": /more in a detail/,
  "reasoning-apart": /more in a detail/,
  "data-only": /'event: '/,
  spaced: /is missing/,
};
const ENDS: Readonly<Record<string, string>> = {
  incomplete: "incomplete",
  "content-filter": "incomplete",
  "failed-only": "failed",
  "failed-midway": "failed",
  "bad-image": "failed",
  "error-first": "failed",
  "error-flat": "error",
};
const RECORDED = readdirSync(FIXTURES)
  .filter((name) => name.endsWith(".sse"))
  .map((name) => name.slice(0, -4));
const LEGAL = RECORDED.filter((name) => ILLEGAL[name] === undefined);

describe("the grammar", () => {
  test.each(LEGAL)("accepts a public API's stream: %s", (name) => {
    const end = ENDS[name] ?? "completed";
    expect(checkResponsesStream(fixture(name))).toEqual({ end } as never);
    expect(checkResponsesStream(withCrlf(Buffer.from(fixture(name))).toString())).toEqual({ end } as never);
    expect(checkResponsesStream(`: hello\n\n${fixture(name)}`)).toEqual({ end } as never);
  });

  test.each(Object.entries(ILLEGAL))("names the first fault of a dialect: %s", (name, problem) => {
    expect(checkResponsesStream(fixture(name))).toMatchObject({ problem: expect.stringMatching(problem) });
  });
});

type Event = Record<string, unknown>;

function eventsOf(stream: string): Event[] {
  return stream
    .split("\n\n")
    .filter((frame) => frame.includes("data: "))
    .map((frame) => JSON.parse(frame.slice(frame.indexOf("data: ") + 6)));
}

/** The events as a stream, numbered anew, so that only their content can break the grammar. */
function streamOf(events: readonly Event[]): string {
  return events
    .map((event, at) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`)
    .join("");
}

const verdict = (events: readonly Event[]) => checkResponsesStream(streamOf(events));
const isIllegal = (events: readonly Event[]) => "problem" in verdict(events);

/** Streams in which no event may be missing, come twice, or change places with its neighbour. */
const TIGHT = ["text", "tool-use", "custom-tool", "reasoning", "reasoning-text", "refusal", "incomplete"];

describe("no event", () => {
  const anyEvent = fc.constantFrom(...TIGHT).chain((name) => {
    const events = eventsOf(fixture(name));
    return fc.record({ events: fc.constant(events), at: fc.nat(events.length - 1) });
  });

  test("may be missing", () => {
    fc.assert(
      fc.property(anyEvent, ({ events, at }) => {
        expect(isIllegal(events.toSpliced(at, 1))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test("may come twice", () => {
    fc.assert(
      fc.property(anyEvent, ({ events, at }) => {
        expect(isIllegal(events.toSpliced(at, 0, events[at] as Event))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test("may change places with the next", () => {
    fc.assert(
      fc.property(anyEvent, ({ events, at }) => {
        const [one, next] = events.slice(at, at + 2);
        // Items may be written side by side: an item may begin before the one before it ends.
        fc.pre(next !== undefined && next.type !== "response.output_item.added");
        expect(isIllegal(events.toSpliced(at, 2, next as Event, one as Event))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test("may have another number", () => {
    const frames = fixture("text").replace('"sequence_number":3', '"sequence_number":4');
    expect(checkResponsesStream(frames)).toMatchObject({ frame: 3, problem: expect.stringMatching(/sequence_number/) });
  });

  test("may have another name than its data", () => {
    const frames = fixture("text").replace("event: response.created", "event: response.made");
    expect(checkResponsesStream(frames)).toMatchObject({ frame: 0, problem: expect.stringMatching(/is named/) });
  });
});

/** Event, member, the change to it, and the problem that the grammar reports. */
const CHANGES: readonly (readonly [string, string, (event: Event) => void, RegExp])[] = [
  ["text", "response.output_text.delta", (event) => Object.assign(event, { item_id: "other" }), /'item_id'/],
  ["text", "response.output_text.delta", (event) => Object.assign(event, { output_index: 1 }), /no item was added/],
  ["text", "response.output_text.delta", (event) => Object.assign(event, { content_index: 1 }), /is not open/],
  ["text", "response.output_text.delta", (event) => Object.assign(event, { delta: null }), /no string/],
  ["text", "response.output_text.delta", (event) => Object.assign(event, { type: "response.x.delta" }), /unknown type/],
  ["text", "response.output_text.done", (event) => Object.assign(event, { text: "Else" }), /what the deltas come to/],
  ["text", "response.content_part.added", (event) => Object.assign(event.part as Event, { text: "x" }), /text in it/],
  ["text", "response.content_part.added", (event) => Object.assign(event, { content_index: 1 }), /expected 0/],
  ["text", "response.content_part.done", (event) => Object.assign(event.part as Event, { text: "x" }), /that came/],
  [
    "text",
    "response.output_item.done",
    (event) => Object.assign(event.item as Event, { id: "x" }),
    /'item.id' changed/,
  ],
  ["text", "response.output_item.done", (event) => Object.assign(event.item as Event, { content: [] }), /parts were/],
  ["text", "response.in_progress", (event) => Object.assign(event.response as Event, { id: "x" }), /'response.id'/],
  ["text", "response.in_progress", (event) => Object.assign(event.response as Event, { output: [{}] }), /not empty/],
  ["text", "response.completed", (event) => Object.assign(event.response as Event, { output: [] }), /items were/],
  ["text", "response.completed", (event) => Object.assign(event.response as Event, { status: "failed" }), /status/],
  ["text", "response.completed", (event) => Object.assign(event.response as Event, { error: {} }), /not null/],
  [
    "incomplete",
    "response.incomplete",
    (event) => Object.assign(event.response as Event, { incomplete_details: null }),
    /no reason/,
  ],
  ["failed-midway", "response.failed", (event) => Object.assign(event.response as Event, { error: null }), /code and/],
  [
    "tool-use",
    "response.output_item.added",
    (event) => Object.assign(event.item as Event, { arguments: "{" }),
    /something in/,
  ],
  [
    "tool-use",
    "response.output_item.done",
    (event) => Object.assign(event.item as Event, { name: "other" }),
    /'item.name'/,
  ],
  [
    "tool-use",
    "response.output_item.done",
    (event) => Object.assign(event.item as Event, { arguments: "" }),
    /that came/,
  ],
  [
    "web-search",
    "response.output_text.annotation.added",
    (event) => Object.assign(event, { annotation_index: 3 }),
    /expected 0/,
  ],
  ["web-search", "response.web_search_call.completed", (event) => Object.assign(event, { output_index: 9 }), /no item/],
];

describe("a member with another value", () => {
  test.each(CHANGES)("is noticed: %s, %s", (name, type, change, problem) => {
    const events = eventsOf(fixture(name));
    const at = events.findIndex((event) => event.type === type);
    change(events[at] as Event);
    const stream = streamOf(events);
    expect(checkResponsesStream(stream)).toMatchObject({ problem: expect.stringMatching(problem) });
  });
});

test("items may be written side by side, and no item may have the id of another", () => {
  const events = eventsOf(fixture("interleaved-tools"));
  expect(verdict(events)).toEqual({ end: "completed" });
  const twins = JSON.parse(JSON.stringify(events).replaceAll("call_b", "call_a")) as Event[];
  expect(verdict(twins)).toMatchObject({ problem: expect.stringMatching(/two items/) });
});

test("no event may follow the end", () => {
  const events = eventsOf(fixture("text"));
  expect(verdict([...events, { type: "keepalive" }])).toMatchObject({
    problem: expect.stringMatching(/follows the end/),
  });
});
