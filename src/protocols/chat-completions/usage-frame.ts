import type { JsonRecord } from "../../core/json.ts";
import { rewriteUsage, rewriteUsageAnew, type UsageChange } from "../shared/vendor-costs.ts";
import { dataFrame, dataTextFrame, plainData } from "./data-frames.ts";
import { parseChunk } from "./inspect-chunk.ts";

const SPACE = 32;

const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
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
  { usage, cost }: { readonly usage?: UsageChange; readonly cost?: string | undefined },
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
