/** Ways to mutilate a recorded responses stream that lose nothing: whatever is left still says the whole answer. */

import { chosen, type Event, eventsOf, type Mutilation, type Mutilations, streamOf, without } from "./mutilate.ts";
import { type Reading, readingOfOutput } from "./sdk-readers.ts";

type Fields = Record<string, unknown>;

const SCOPED = /^response\.(output_text|refusal|reasoning|function_call|custom_tool_call|content_part)/;
const TERMINAL = /^response\.(completed|incomplete)$/;

/** Members that one event may lack, because another says the same. */
const OF_EVENTS = ["output_index", "content_index", "summary_index", "item_id", "sequence_number", "logprobs", "type"];
const OF_ADDED_ITEMS = ["content", "summary", "role", "status", "arguments", "input", "encrypted_content"];
const OF_DONE_ITEMS = ["id", "status", "role", "content", "summary", "arguments", "input", "call_id"];
const OF_RESPONSES = ["id", "object", "created_at", "output", "status", "model", "usage", "incomplete_details"];

/** Mutilations of which a case may have several. */
export const SMALL: Readonly<Record<string, Mutilation>> = {
  "a member of one event is dropped or null": (events, at, by) =>
    without(events, scoped(events), OF_EVENTS, { at, by }),
  "a member of all events is dropped": (events, at) => {
    const name = chosen(OF_EVENTS.slice(0, -1), at) ?? "";
    for (const event of scoped(events)) delete event[name];
    return events;
  },
  "an added item lacks a member": (events, at, by) =>
    without(events, itemsOf(events, "response.output_item.added"), OF_ADDED_ITEMS, { at, by }),
  "a done item lacks a member": (events, at, by) =>
    without(events, itemsOf(events, "response.output_item.done"), OF_DONE_ITEMS, { at, by }),
  "an added part lacks a member": (events, at, by) =>
    without(events, partsIn(events), ["annotations", "text", "refusal", "logprobs"], { at, by }),
  "a response lacks a member": (events, at, by) => {
    // Where no other event is left, only the output itself has the answer.
    const names = events.length === 1 ? OF_RESPONSES.filter((name) => name !== "output") : OF_RESPONSES;
    return without(events, responsesIn(events), names, { at, by });
  },
  "a response before the end has its output already": (events, at) => {
    const responses = responsesIn(events);
    const begun = chosen(responses.slice(0, -1), at);
    if (begun !== undefined) begun.output = structuredClone(responses.at(-1)?.output);
    return events;
  },
  "all output indexes are shifted": (events, _at, by) => {
    for (const event of events) if (typeof event.output_index === "number") event.output_index += 1 + (by % 3);
    return events;
  },
  "all output indexes are 0": (events) => {
    // Where one item of several begins with its text, nothing but its place tells whose text that is.
    const announced = new Set(itemsOf(events, "response.output_item.added").map(({ id }) => id));
    const is_half = events.some(({ item_id }) => item_id !== undefined && !announced.has(item_id));
    if (announced.size > 0 && is_half) return events;
    for (const event of events) if (typeof event.output_index === "number") event.output_index = 0;
    return events;
  },
  "all parts are numbered from 1": (events) => {
    for (const event of events) if (typeof event.content_index === "number") event.content_index += 1;
    return events;
  },
  "an event comes twice": (events, at) => {
    const place = at % events.length;
    events.splice(place, 0, events[place] ?? {});
    return events;
  },
};

/** Mutilations of which a case has one at most: two could lose what only one of them leaves. */
export const LARGE: Readonly<Record<string, Mutilation>> = {
  "nothing more": (events) => events,
  "an event other than a delta and the last is left out": (events, at) => {
    const candidates = events.filter(({ type }) => !/\.delta$/.test(String(type)) && !TERMINAL.test(String(type)));
    return events.filter((event) => event !== chosen(candidates, at));
  },
  "all parts are unannounced": (events) => events.filter(({ type }) => !String(type).includes("_part.")),
  "all items are unannounced": (events) => events.filter(({ type }) => type !== "response.output_item.added"),
  "two neighbours change places": (events, at) => {
    const place = at % (events.length - 1);
    const [one, other] = [events[place], events[place + 1]];
    const is_delta = [one, other].some((event) => String(event?.type).endsWith(".delta"));
    if (one !== undefined && other !== undefined && !is_delta && !TERMINAL.test(String(other.type)))
      [events[place], events[place + 1]] = [other, one];
    return events;
  },
  "the last output is empty": (events) => changedEnd(events, () => []),
  "the last output has other ids": (events) =>
    changedEnd(events, (items) => items.map((item, at) => ({ ...item, id: `other_${at}` }))),
  "the last output is reversed": (events) =>
    changedEnd(events, (items) => (items.length > 1 ? [...items].reverse() : items)),
  "the last output has an item in front that was not streamed": (events) =>
    changedEnd(events, (items) => [{ id: "rs_late", type: "reasoning", summary: [] }, ...items]),
  "only the last event is left": (events) => events.filter(({ type }) => TERMINAL.test(String(type))),
};

function scoped(events: readonly Event[]): Event[] {
  return events.filter(({ type }) => SCOPED.test(String(type)));
}

function itemsOf(events: readonly Event[], type: string): Fields[] {
  return events.filter((event) => event.type === type).map(({ item }) => item as Fields);
}

function partsIn(events: readonly Event[]): Fields[] {
  return events.filter(({ type }) => String(type).endsWith("_part.added")).map(({ part }) => part as Fields);
}

function responsesIn(events: readonly Event[]): Fields[] {
  return events.flatMap(({ response }) => (response === undefined ? [] : [response as Fields]));
}

function changedEnd(events: Event[], change: (items: Fields[]) => Fields[]): Event[] {
  const last = events.find(({ type }) => TERMINAL.test(String(type)));
  const response = last?.response as Fields | undefined;
  if (response !== undefined && Array.isArray(response.output)) response.output = change(response.output as Fields[]);
  return events;
}

/** A recorded stream, mutilated, and what its client is to read all the same. */
export function mutilatedStream(
  recorded: string,
  { small, large }: Mutilations,
): { stream: Buffer; expected: Reading } {
  let events = eventsOf(recorded);
  const { response } = events.at(-1) as { response: { output: object[] } };
  const expected = readingOfOutput(response.output);
  const names = new Map<Event, string>();
  for (const [name, at, by] of [large, ...small]) {
    for (const event of events) if (!names.has(event)) names.set(event, String(event.type));
    events = (LARGE[name] ?? SMALL[name])?.(events, at, by) ?? events;
  }
  return { stream: streamOf(events, names), expected };
}
