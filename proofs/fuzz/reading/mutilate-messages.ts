import { type Event, eventsOf, type Mutilation, type Mutilations, streamOf, without } from "./mutilate.ts";
import { callOf, type Reading } from "./sdk-readers.ts";

/** Ways to mutilate a recorded messages stream that lose nothing. */

type Fields = Record<string, unknown>;

const OF_MESSAGES = ["id", "type", "role", "content", "model", "stop_reason", "stop_sequence", "usage"];
const OF_BLOCKS = ["type", "text", "thinking", "signature", "input", "id", "citations"];
const OF_EVENTS = ["index", "type"];
const OF_ENDS = ["stop_sequence", "stop_reason"];

export const SMALL_MESSAGES: Readonly<Record<string, Mutilation>> = {
  "a member of the message is dropped or null": (events, at, by) =>
    without(events, valuesOf(events, "message_start", "message"), OF_MESSAGES, { at, by }),
  "a member of a block is dropped or null": (events, at, by) =>
    without(events, valuesOf(events, "content_block_start", "content_block").filter(isEmptyAtStart), OF_BLOCKS, {
      at,
      by,
    }),
  "a member of an event is dropped or null": (events, at, by) =>
    without(
      events,
      events.filter(({ type }) => /^content_block/.test(String(type))),
      OF_EVENTS,
      { at, by },
    ),
  "the type of a delta is dropped or null": (events, at, by) =>
    without(events, valuesOf(events, "content_block_delta", "delta"), ["type"], { at, by }),
  "a member of the end is dropped or null": (events, at, by) => {
    // Without the last event, only a stop reason says that the answer is whole.
    const names = ofType(events, "message_stop").length === 0 ? OF_ENDS.slice(0, 1) : OF_ENDS;
    return without(events, valuesOf(events, "message_delta", "delta"), names, { at, by });
  },
  "the end's usage is dropped or null": (events, at, by) =>
    without(events, ofType(events, "message_delta"), ["usage"], { at, by }),
  "a count is dropped or null": (events, at, by) =>
    without(events, valuesOf(events, "message_delta", "usage"), ["output_tokens", "input_tokens"], { at, by }),
  "all indexes are shifted": (events, _at, by) => {
    for (const event of events) if (typeof event.index === "number") event.index += 1 + (by % 3);
    return events;
  },
  "all indexes are 0": (events) => {
    for (const event of events) if (typeof event.index === "number") event.index = 0;
    return events;
  },
  "no event has an index": (events) => {
    for (const event of events) delete event.index;
    return events;
  },
  "the start comes twice": (events) => [...structuredClone(ofType(events, "message_start")), ...events],
  "counts come between the blocks": (events, at) => {
    const place = 1 + (at % (events.length - 1));
    events.splice(place, 0, { type: "message_delta", usage: { output_tokens: 1 } });
    return events;
  },
};

export const LARGE_MESSAGES: Readonly<Record<string, Mutilation>> = {
  "nothing more": (events) => events,
  "the start is left out": (events) => events.filter(({ type }) => type !== "message_start"),
  "no block is ended": (events) => events.filter(({ type }) => type !== "content_block_stop"),
  "an end of a block is left out": (events, at) => {
    const ends = ofType(events, "content_block_stop");
    return events.filter((event) => event !== ends[at % Math.max(1, ends.length)]);
  },
  "the stop reason is left out": (events) => events.filter(({ type }) => type !== "message_delta"),
  "the last event is left out": (events) => events.filter(({ type }) => type !== "message_stop"),
  "calls have their input at the start": (events) => {
    const calls = new Map<unknown, Fields>();
    for (const { index, content_block } of ofType(events, "content_block_start"))
      if ((content_block as Fields).type === "tool_use") calls.set(index, content_block as Fields);
    const texts = new Map<unknown, string>();
    const left = events.filter(({ type, index, delta }) => {
      const { partial_json } = (delta ?? {}) as Fields;
      if (type !== "content_block_delta" || typeof partial_json !== "string" || !calls.has(index)) return true;
      texts.set(index, (texts.get(index) ?? "") + partial_json);
      return false;
    });
    for (const [index, text] of texts)
      Object.assign(calls.get(index) ?? {}, { input: JSON.parse(text || "{}") as unknown });
    return left;
  },
};

/** A recorded messages stream, mutilated, and what its client is to read all the same. */
export function mutilatedMessages(
  recorded: string,
  { small, large }: Mutilations,
): { stream: Buffer; expected: Reading } {
  let events = eventsOf(recorded);
  const expected = readingOfEvents(events);
  const names = new Map<Event, string>();
  for (const [name, at, by] of [large, ...small]) {
    for (const event of events) if (!names.has(event)) names.set(event, String(event.type));
    events = (LARGE_MESSAGES[name] ?? SMALL_MESSAGES[name])?.(events, at, by) ?? events;
  }
  return { stream: streamOf(events, names), expected };
}

/** The reading of a good stream. */
function readingOfEvents(events: readonly Event[]): Reading {
  let text = "";
  const calls = new Map<unknown, { readonly name: unknown; args: string }>();
  for (const { index, content_block, delta } of events) {
    const block = (content_block ?? {}) as Fields;
    if (block.type === "tool_use") calls.set(index, { name: block.name, args: "" });
    const { text: said, partial_json } = (delta ?? {}) as { text?: string; partial_json?: string };
    text += said ?? "";
    const call = calls.get(index);
    if (call !== undefined) call.args += partial_json ?? "";
  }
  return { text, calls: [...calls.values()].map(({ name, args }) => callOf(String(name), args || "{}")) };
}

/** Whether a block's input comes in deltas. */
function isEmptyAtStart({ input }: Fields): boolean {
  return Object.keys(input ?? {}).length === 0;
}

function ofType(events: readonly Event[], type: string): Event[] {
  return events.filter((event) => event.type === type);
}

function valuesOf(events: readonly Event[], type: string, member: string): Fields[] {
  return ofType(events, type).flatMap(({ [member]: value }) =>
    typeof value === "object" && value !== null ? [value as Fields] : [],
  );
}
