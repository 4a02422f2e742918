import { isObject, type JsonRecord, plainText } from "../../core/json.ts";
import { eventData, eventFrame, eventTextFrame, leadingEventName } from "./event-frames.ts";
import { findMembers, type MemberChange, memberText, replaceMembers } from "./json-members.ts";
import { parseJson } from "./parse-json.ts";
import { dataText } from "./sse-frames.ts";
import { costMembers, mayTellCosts, rewriteUsage, rewriteUsageAnew, type UsageEdit } from "./vendor-costs.ts";

export interface UsageEventChanges {
  readonly usage?: UsageEdit;
  /** The value of the usage's `cost` (docs/rulings.md 169). */
  readonly cost?: string | undefined;
  /** Other members of the object that has the usage. */
  readonly changes?: readonly MemberChange[];
}

/** The object of an event that has the usage: the event itself, or the answer under this key. */
export type UsageHolder = "response" | "message" | null;

/** An event without what its vendor says of its costs; nearly always the given frame itself. */
export function withoutVendorCosts(frame: Buffer, holder: UsageHolder = null): Buffer {
  return mayTellCosts(frame) ? withUsage(frame, {}, holder) : frame;
}

/**
 * An event without its vendor's costs, and with these changes. Every other token of its data stays. `data` is what the event says, as
 * its vendor sent it, where that is parsed already.
 */
export function withUsage(
  frame: Buffer,
  changes: UsageEventChanges,
  holder: UsageHolder = null,
  data: JsonRecord | null = eventData(frame),
): Buffer {
  const text = dataText(frame);
  if (data === null || text === null) return frame;
  const name = leadingEventName(frame) || plainText(data.type);
  try {
    // In JSON a line end can only stand between two tokens, where a space means the same.
    return eventTextFrame(name, textWithUsage(text.replaceAll("\n", " "), data, changes, holder));
  } catch {
    // An event that names a member twice is written anew, as it was read.
    return eventFrame(name, anew(data, changes, holder));
  }
}

function textWithUsage(text: string, data: JsonRecord, changes: UsageEventChanges, holder: UsageHolder): string {
  if (holder === null) return rewriteUsage(text, data, changes.usage, changes);
  const members = findMembers(text);
  const held = data[holder];
  const held_text = memberText(text, members, holder);
  if (!isObject(held) || held_text === null) return text;
  const shown = rewriteUsage(held_text, held, changes.usage, changes);
  return replaceMembers(text, [...costMembers(data), [holder, shown]], members);
}

function anew(data: JsonRecord, { usage, cost, changes = [] }: UsageEventChanges, holder: UsageHolder): JsonRecord {
  const held = holder === null ? data : data[holder];
  if (!isObject(held)) return data;
  const more = Object.fromEntries(
    changes.map(([name, value]) => [name, value === null ? undefined : parseJson(value)]),
  );
  const shown = { ...rewriteUsageAnew(held, usage, cost), ...more };
  return holder === null ? shown : { ...data, [holder]: shown };
}
