import { CR, LF, OPEN_BRACE, OPEN_BRACKET, SPACE, TAB } from "../../core/ascii.ts";
import { dataText } from "../shared/sse-frames.ts";

/**
 * Frames as chat completions has them: `data: `, one line, a blank line, nothing else (docs/rulings.md 3). Clients that
 * parse by hand rely on this form, so vendors' variations are normalized to it: CRLF, event names, comments, and any
 * number of blanks behind the colon but one (docs/rulings.md 156).
 */

/** Blanks in front of a line of data, between two tokens of JSON. Only LF begins a line here, not U+2028. */
const LEADING_BLANKS = /(^|\n)[ \t]+/g;
/** Empty lines of data in front of the first that is not empty. */
const EMPTY_LINES = /^\n+/;
const LINE_ENDS = /[\r\n]+/g;
/** Length of `data: `. */
export const DATA_START = 6;
const DONE = "[DONE]";

/** The frame that ends a stream without an error. */
export const DONE_FRAME: Buffer = Buffer.from(`data: ${DONE}\n\n`);

export function dataFrame(chunk: object): Buffer {
  return dataTextFrame(JSON.stringify(chunk));
}

export function dataTextFrame(json: string): Buffer {
  return Buffer.from(`data: ${json}\n\n`);
}

/**
 * The frame in the form that clients get; nearly always the given frame itself. Null when the frame has no data, as a
 * comment; JSON without any `data:` counts as data. `may_have_cr` is false where no CR has come in the whole stream:
 * then none is searched for (docs/rulings.md 59).
 */
export function plainFrame(frame: Buffer, may_have_cr = true): Buffer | null {
  if (isPlain(frame, may_have_cr)) return frame;
  const data = dataText(frame)?.replaceAll(LEADING_BLANKS, "$1").replace(EMPTY_LINES, "") ?? null;
  // A vendor that answers with JSON in place of a stream.
  if (data === null && (frame[0] === OPEN_BRACE || frame[0] === OPEN_BRACKET))
    return dataTextFrame(frame.toString().replaceAll(LINE_ENDS, " ").trim());
  if (data === null || data.trim() === "") return null;
  // In JSON a line end can only stand between two tokens, where a space means the same.
  return dataTextFrame(data.replaceAll("\n", " "));
}

function isPlain(frame: Buffer, may_have_cr: boolean): boolean {
  const last = frame.length - 2;
  // The bytes of `d`, `:` and a space: every other field of the standard differs in the first byte or the fifth.
  if (frame[0] !== 100 || frame[4] !== 58 || frame[5] !== SPACE) return false;
  if (frame[DATA_START] === SPACE || frame[DATA_START] === TAB) return false;
  // A CR is a line's end as well, behind which another field may stand.
  return frame.indexOf(LF) === last && !(may_have_cr && frame.includes(CR));
}

export function plainData(frame: Buffer): string {
  return frame.toString("utf8", DATA_START, frame.length - 2);
}

export function isDone(frame: Buffer): boolean {
  return frame.toString("latin1", DATA_START, DATA_START + DONE.length) === DONE;
}
