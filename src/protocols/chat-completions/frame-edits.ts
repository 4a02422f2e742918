import { CLOSE_BRACE, COLON, COMMA, LETTER_N, OPEN_BRACE, SPACE, TAB } from "../../core/ascii.ts";
import type { JsonRecord } from "../../core/json.ts";
import { rewriteUsage, rewriteUsageAnew, type UsageEdit } from "../shared/vendor-costs.ts";
import { dataFrame, dataTextFrame, plainData } from "./data-frames.ts";
import { parseChunk } from "./inspect-chunk.ts";

const USAGE = Buffer.from('"usage"');
const FINGERPRINT = Buffer.from('"system_fingerprint"');

/**
 * A chunk without the `"usage": null` that vendors put into every chunk once they are asked for the usage. The gateway
 * always asks for it; a client that did not ask must not see a difference.
 */
export function withoutNullUsage(frame: Buffer): Buffer {
  return withoutNull(frame, USAGE);
}

/** A chunk without `"system_fingerprint": null`: in a chunk some clients take no null for it, as they do in a whole answer. */
export function withoutNullFingerprint(frame: Buffer): Buffer {
  return withoutNull(frame, FINGERPRINT);
}

/** The frame without the first member of this key, if it is null; `key` has its quotes. */
function withoutNull(frame: Buffer, key: Buffer): Buffer {
  const at = frame.indexOf(key);
  if (at === -1) return frame;
  let value = at + key.length;
  while (frame[value] === SPACE || frame[value] === COLON) value++;
  if (value === at + key.length || frame[value] !== LETTER_N) return frame;
  let start = at;
  let end = value + "null".length;
  // The comma before the member goes with it; the first member has one behind it.
  while (frame[start - 1] === SPACE) start--;
  if (frame[start - 1] === COMMA) start--;
  else {
    while (frame[end] === SPACE) end++;
    if (frame[end] === COMMA) end++;
  }
  return Buffer.concat([frame.subarray(0, start), frame.subarray(end)]);
}

const CHOICES = Buffer.from('"choices"');
const ROLE = Buffer.from('"role"');
/** The member as far as to the next one; with the comma before it where it is the last. */
const FIRST = /^"role"[ \t]*:[ \t]*(?:"assistant"|null)[ \t]*,?[ \t]*/;
const LONGEST_MEMBER = 64;

/**
 * A later chunk without its role, which some vendors repeat in each: openai-python concatenates those of all deltas
 * (docs/rulings.md 202). The other bytes stay.
 */
export function withoutRole(frame: Buffer): Buffer {
  const from = frame.indexOf(CHOICES);
  const at = from === -1 ? -1 : frame.indexOf(ROLE, from);
  if (at === -1) return frame;
  const found = FIRST.exec(frame.toString("latin1", at, at + LONGEST_MEMBER))?.[0];
  if (found === undefined) return frame;
  const end = at + found.length;
  let before = at - 1;
  while (frame[before] === SPACE || frame[before] === TAB) before--;
  const start = frame[end] === CLOSE_BRACE && frame[before] === COMMA ? before : at;
  return Buffer.concat([frame.subarray(0, start), frame.subarray(end)]);
}

const DIGIT = /^[0-9]/;
/** What stands behind the last member of a chunk's usage, where that is its last member: two braces and the blank line. */
const BEHIND = "}}\n\n";

/** Whether a chunk's last member is its usage. Names that are numbers come first in an object, wherever they stand in its text. */
export function endsWithUsage(chunk: JsonRecord): boolean {
  const names = Object.keys(chunk);
  return names.at(-1) === "usage" && !DIGIT.test(names[0] ?? "");
}

/**
 * A frame whose chunk ends with its usage, and the value of the usage's `cost` as its last member. Null where the frame has not the
 * form that nearly every vendor writes: no blanks between the last braces, and a usage with members.
 */
export function withLastCost(frame: Buffer, cost: string): Buffer | null {
  const end = frame.length - BEHIND.length;
  const is_usual = frame[end] === CLOSE_BRACE && frame[end + 1] === CLOSE_BRACE && frame[end - 1] !== OPEN_BRACE;
  if (!is_usual || (frame[end - 1] ?? 0) <= SPACE) return null;
  const member = `,"cost":${JSON.stringify(cost)}${BEHIND}`;
  const whole = Buffer.allocUnsafe(end + member.length);
  frame.copy(whole, 0, 0, end);
  whole.write(member, end, "latin1");
  return whole;
}

/** A plain frame without its vendor's costs, with another usage, and with the value of the usage's `cost` (docs/rulings.md 169). */
export function withUsage(
  plain: Buffer,
  { usage, cost }: { readonly usage?: UsageEdit; readonly cost?: string | undefined },
): Buffer {
  const text = plainData(plain);
  const chunk = parseChunk(text);
  if (chunk === null) return plain;
  try {
    return dataTextFrame(rewriteUsage(text, chunk, usage, { cost }));
  } catch {
    // A chunk that names a member twice is written anew, as it was read.
    return dataFrame(rewriteUsageAnew(chunk, usage, cost));
  }
}
