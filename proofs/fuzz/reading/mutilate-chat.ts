import { type Event, eventsOf, type Mutilation, type Mutilations, without } from "./mutilate.ts";
import { callOf, type Reading } from "./sdk-readers.ts";

/** Ways to mutilate a recorded chat stream that lose nothing. */

type Fields = Record<string, unknown>;

const OF_CHUNKS = ["id", "object", "created", "model", "system_fingerprint", "service_tier"];
const OF_CHOICES = ["logprobs", "finish_reason", "index"];
const OF_DELTAS = ["role", "refusal"];

export const SMALL_CHAT: Readonly<Record<string, Mutilation>> = {
  "a member of a chunk is dropped or null": (events, at, by) => without(events, events, OF_CHUNKS, { at, by }),
  "a member of a choice is dropped or null": (events, at, by) =>
    without(
      events,
      choicesIn(events).filter(({ finish_reason, index }) => finish_reason === null && index !== 1),
      OF_CHOICES,
      { at, by },
    ),
  "a member of a delta is dropped or null": (events, at, by) =>
    without(
      events,
      choicesIn(events).map(({ delta }) => delta as Fields),
      OF_DELTAS,
      { at, by },
    ),
  "no choice has an index": (events, _at, by) => {
    const choices = choicesIn(events);
    // Nothing but their indexes tells two choices apart.
    if (choices.some(({ index }) => index === 1)) return events;
    for (const choice of choices)
      if (by % 2 === 0) delete choice.index;
      else choice.index = null;
    return events;
  },
  "every delta has the role": (events) => {
    for (const { delta } of choicesIn(events)) Object.assign(delta as Fields, { role: "assistant" });
    return events;
  },
  "a choice that nobody asked for begins, and does not end": (events, at) => {
    if (choicesIn(events).some(({ index }) => index !== 0)) return events;
    const other = { index: 1, delta: { role: "assistant", content: "other" }, finish_reason: null };
    const place = 1 + (at % events.length);
    // What it says stands behind a piece of the first choice, in a chunk of its own.
    const like = events.find(({ choices }) => Array.isArray(choices) && choices.length > 0);
    events.splice(place, 0, { ...like, choices: [other], usage: undefined });
    return events;
  },
  "the usage chunk has no choices": (events, _at, by) => {
    for (const event of events)
      if (Array.isArray(event.choices) && event.choices.length === 0) {
        if (by % 2 === 0) delete event.choices;
        else event.choices = null;
      }
    return events;
  },
  "calls are counted from 1": (events) => {
    for (const call of callsIn(events)) if (typeof call.index === "number") call.index += 1;
    return events;
  },
  "the only call has no index": (events) => {
    const calls = callsIn(events);
    if (new Set(calls.map(({ index }) => index)).size === 1) for (const call of calls) delete call.index;
    return events;
  },
  "later deltas of a call repeat its id": (events) => {
    const ids = new Map<unknown, unknown>();
    for (const call of callsIn(events)) {
      if (typeof call.id === "string") ids.set(call.index, call.id);
      else call.id = ids.get(call.index);
    }
    return events;
  },
};

export const LARGE_CHAT: Readonly<Record<string, Mutilation>> = {
  "nothing more": (events) => events,
  "no choice has a finish reason": (events) => {
    for (const choice of choicesIn(events)) choice.finish_reason = null;
    return events;
  },
};

/** A recorded chat stream, mutilated, and what its client is to read all the same. */
export function mutilatedChat(recorded: string, { small, large }: Mutilations): { stream: Buffer; expected: Reading } {
  let events = eventsOf(recorded.replaceAll(/^data: ?\[DONE\]$/gm, ""));
  const expected = readingOfChunks(events);
  for (const [name, at, by] of [large, ...small])
    events = (LARGE_CHAT[name] ?? SMALL_CHAT[name])?.(events, at, by) ?? events;
  const frames = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  return { stream: Buffer.from(`${frames.join("")}data: [DONE]\n\n`), expected };
}

interface Call {
  readonly index: number;
  readonly function: { readonly name?: string; readonly arguments?: string };
}

/** The reading of a good stream of one choice. */
function readingOfChunks(events: readonly Event[]): Reading {
  let text = "";
  const calls: { name: string; args: string }[] = [];
  for (const { delta } of choicesIn(events)) {
    const { content, tool_calls } = (delta ?? {}) as { content?: string | null; tool_calls?: readonly Call[] };
    text += content ?? "";
    for (const { index, function: called } of tool_calls ?? []) {
      calls[index] ??= { name: "", args: "" };
      const call = calls[index];
      call.name += called.name ?? "";
      call.args += called.arguments ?? "";
    }
  }
  return { text, calls: calls.map(({ name, args }) => callOf(name, args)) };
}

function choicesIn(events: readonly Event[]): Fields[] {
  return events.flatMap(({ choices }) => (Array.isArray(choices) ? (choices as Fields[]) : []));
}

function callsIn(events: readonly Event[]): Fields[] {
  return choicesIn(events).flatMap(({ delta }) => {
    const { tool_calls } = (delta ?? {}) as Fields;
    return Array.isArray(tool_calls) ? (tool_calls as Fields[]) : [];
  });
}
