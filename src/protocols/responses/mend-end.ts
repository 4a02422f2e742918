import { isObject, type JsonRecord } from "../../core/json.ts";
import type { Frame } from "./event-numbers.ts";
import { contentOf, matchOutput } from "./match-output.ts";
import type { StreamMender } from "./mend-stream.ts";
import { filledItem } from "./read-members.ts";
import type { ShownItem } from "./shown-item.ts";

/** The last event of a stream: its name, its frame, and the data in it. */
export interface LastEvent extends Frame {
  readonly data: JsonRecord;
}

/** The members that hold the content of an item. */
const CONTENT = ["content", "summary", "arguments", "input"] as const;

/**
 * The frames that the client gets for the last event, the event itself last. Its `output` is that of the stream: items keep
 * the ids that they were told with, those that it leaves out are put in, those that no event told are told first, and those
 * that are still open are ended. `onResponse` gets the
 * whole response.
 */
export function mendEnd(
  mender: StreamMender,
  { name, bytes, data }: LastEvent,
  soFar: (index: number) => JsonRecord,
  onResponse: (response: JsonRecord) => void,
): readonly Frame[] {
  mender.events.begin(name, bytes, data);
  mender.create(data.response);
  const response = mender.response(data.response);
  const told = Array.isArray(response.output) ? response.output : [];
  const output = outputOf(mender, told.filter(isObject), soFar);
  const is_same = told.length === output.length && output.every((item, at) => item === told[at]);
  const status = name.slice("response.".length);
  const filled = is_same ? response : { ...response, output };
  const whole = typeof filled.status === "string" ? filled : { ...filled, status };
  onResponse(whole);
  mender.events.change({ response: whole });
  return mender.events.taken();
}

function outputOf(
  mender: StreamMender,
  told: readonly JsonRecord[],
  soFar: (index: number) => JsonRecord,
): readonly JsonRecord[] {
  const matches = matchOutput(told, mender.known, mender.items);
  const streamed = [...mender.items];
  const placed = matches.map((known, at) => {
    const item = told[at] ?? {};
    if (known === null) return typeof item.type === "string" ? { item: mender.tellWhole(item, {}), known } : null;
    const whole = known.has_text && contentOf(item) === "" ? { ...item, ...contentIn(soFar(known.index)) } : item;
    return { item: ended(mender, known, whole), known };
  });
  const matched = new Set(matches);
  const missing = streamed.filter((known) => !matched.has(known));
  const output = placed.flatMap((one) => one ?? []);
  if (missing.length === 0) return output.map(({ item }) => item);
  const rest = missing.map((known) => ({ item: ended(mender, known, soFar(known.index)), known }));
  return inOrder([...output, ...rest]).map(({ item }) => item);
}

interface Placed {
  readonly item: JsonRecord;
  readonly known: ShownItem | null;
}

/** The item as it ends, told now if it was still open. */
function ended(mender: StreamMender, known: ShownItem, told: JsonRecord): JsonRecord {
  if (known.names.is_done) return filledItem(told, known);
  return mender.endItem(known, told, false);
}

/** Items in the order in which they were told; those that only the last event has, behind. */
function inOrder(items: readonly Placed[]): readonly Placed[] {
  const place = ({ known }: Placed) => known?.index ?? Number.POSITIVE_INFINITY;
  return items.toSorted((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
}

function contentIn(item: JsonRecord): JsonRecord {
  return Object.fromEntries(CONTENT.flatMap((name) => (item[name] == null ? [] : [[name, item[name]]])));
}
