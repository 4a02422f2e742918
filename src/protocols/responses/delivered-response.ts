import type { SentBody } from "../../core/answer/exchange.ts";
import { bytesOf } from "../../core/answer/sent-body.ts";
import { CR, LF } from "../../core/ascii.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { eventData } from "../shared/event-frames.ts";
import { parseExact } from "../shared/exact-json.ts";

/**
 * The finished response that a client received: a whole answer's body, or the last event of a stream. Null when the
 * response failed or is no response.
 */
export function deliveredResponse(body: SentBody, is_stream: boolean): JsonRecord | null {
  const response = is_stream ? lastResponse(bytesOf(body)) : parse(bytesOf(body).toString());
  if (!isObject(response)) return null;
  return response.status === "failed" || response.status === "cancelled" ? null : response;
}

/** A response is kept as it was sent, with every digit of its numbers (docs/rulings.md 193). */
const RESPONSE: ReadonlySet<string> = new Set(["response"]);
/** The blank lines between events, for each kind of line end. */
const BLANK_LINES = ["\n\n", "\r\n\r\n", "\r\r"] as const;

function lastResponse(frames: Buffer): unknown {
  let end = frames.length;
  while (end > 0 && (frames[end - 1] === LF || frames[end - 1] === CR)) end -= 1;
  const before = frames.subarray(0, end);
  // JSON escapes line ends, so an event's data contains none.
  let start = 0;
  for (const line of BLANK_LINES) {
    const at = before.lastIndexOf(line);
    if (at !== -1) start = Math.max(start, at + line.length);
  }
  const data = eventData(Buffer.concat([before.subarray(start), Buffer.from("\n\n")]), RESPONSE);
  return data?.type === "response.completed" || data?.type === "response.incomplete" ? data.response : null;
}

function parse(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return null;
  }
}
