import { COLON, CR, LF, SPACE, TAB } from "../../core/ascii.ts";

/**
 * The lines of a frame as clients get them. A `data` line is `data:`, exactly one space, the data (docs/rulings.md 156):
 * readers that cut off six characters rely on it, while vendors send no space, or several. A comment is none (59), and
 * neither is a second name: readers take the last one.
 */

const DATA_FIELD = Buffer.from("data:");
const EVENT_FIELD = Buffer.from("event");
const LINE_END = Buffer.from("\n");
const DATA_START = Buffer.from("data: ");

/**
 * The frame with exactly one space behind the colon of each `data` line, without comments, and without names but in its first
 * line; the given frame itself where that is so, which is nearly always. Nothing else changes: in JSON, blanks between two tokens
 * mean nothing.
 */
export function normalizeDataLines(frame: Buffer): Buffer {
  return isUsual(frame) || isEven(frame) ? frame : rewritten(frame);
}

/** Whether at most one line stands before the only `data` line, which is right; lines end in LF. No byte is decoded. */
function isUsual(frame: Buffer): boolean {
  const end = frame.length - 2;
  const first_end = frame.indexOf(LF);
  const start = first_end === end ? 0 : first_end + 1;
  if (start > 0 && (frame[0] === COLON || isDataAt(frame, 0) || frame.indexOf(LF, start) !== end)) return false;
  // A line may also end in CR, which no JSON contains.
  return isDataAt(frame, start) && isEvenAt(frame, start) && !frame.includes(CR);
}

function isEven(frame: Buffer): boolean {
  for (let line = 0; line < frame.length; line = nextLine(frame, line))
    if (isLeftOut(frame, line) || (isDataAt(frame, line) && !isEvenAt(frame, line))) return false;
  return true;
}

function rewritten(frame: Buffer): Buffer {
  const parts: Buffer[] = [];
  let kept = 0;
  for (let line = 0; line < frame.length; line = nextLine(frame, line)) {
    if (isLeftOut(frame, line)) {
      parts.push(frame.subarray(kept, line));
      kept = nextLine(frame, line);
      if (frame[kept - 1] === CR && frame[kept] === LF) kept++;
      // What stood between them kept these two line ends from being one.
      if (frame[line - 1] === CR && frame[kept] === LF) parts.push(LINE_END);
      continue;
    }
    if (!isDataAt(frame, line)) continue;
    parts.push(frame.subarray(kept, line), DATA_START);
    kept = line + DATA_FIELD.length;
    while (isBlank(frame[kept])) kept++;
  }
  return Buffer.concat([...parts, frame.subarray(kept)]);
}

/** The position at which the line after the line at `from` starts. CR LF counts as a line end and an empty line, which changes nothing. */
function nextLine(frame: Buffer, from: number): number {
  let at = from;
  while (at < frame.length && frame[at] !== LF && frame[at] !== CR) at++;
  return at + 1;
}

/** Whether a line is a comment, or a name behind the first line, with a colon or alone. */
function isLeftOut(frame: Buffer, line: number): boolean {
  if (frame[line] === COLON) return true;
  if (line === 0 || !startsAt(frame, line, EVENT_FIELD)) return false;
  const end = frame[line + EVENT_FIELD.length];
  return end === COLON || end === LF || end === CR;
}

function isDataAt(frame: Buffer, line: number): boolean {
  return startsAt(frame, line, DATA_FIELD);
}

function startsAt(frame: Buffer, line: number, field: Buffer): boolean {
  for (let at = 0; at < field.length; at++) if (frame[line + at] !== field[at]) return false;
  return true;
}

function isEvenAt(frame: Buffer, line: number): boolean {
  const space = line + DATA_FIELD.length;
  return frame[space] === SPACE && !isBlank(frame[space + 1]);
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}
