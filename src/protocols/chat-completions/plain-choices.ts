import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  LETTER_N,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  TAB,
  ZERO,
} from "../../core/ascii.ts";

/**
 * Recognises the choices of a chunk that is a piece of text and nothing else, without parsing: each byte is looked at once, and nothing is
 * made. A key deeper inside, such as the `index` of a part of reasoning, is not taken for the choice's own.
 */

const INDEX = Buffer.from('"index"');
const DELTA = Buffer.from('"delta"');
/** The role that later chunks repeat in these bytes is cut out of them (`frame-edits.ts`). */
const ROLE = Buffer.from('"role"');
const ASSISTANT = Buffer.from('"assistant"');
const TOOL_CALLS = Buffer.from('"tool_calls"');
const FINISH_REASON = Buffer.from('"finish_reason"');
/** In place of the delta, or beside it, some vendors send the message so far. */
const MESSAGE = Buffer.from('"message"');

/** What the walks return where the bytes are not as expected. */
const NOWHERE = -1;

/**
 * Whether behind `from`, the end of the key of the choices, there is a list of choices that have all that clients read of them and no more than
 * a text: the index of a choice that has begun, a delta without calls, no end. False for whatever is written in an unusual way.
 */
export function hasPlainChoices(frame: Buffer, from: number, isBegun: (index: number) => boolean): boolean {
  let at = startOfValue(frame, from);
  if (frame[at] !== OPEN_BRACKET) return false;
  do {
    at = endOfChoice(frame, skipBlanks(frame, at + 1), isBegun);
    if (at === NOWHERE) return false;
    at = skipBlanks(frame, at);
  } while (frame[at] === COMMA);
  return frame[at] === CLOSE_BRACKET;
}

function endOfChoice(frame: Buffer, from: number, isBegun: (index: number) => boolean): number {
  if (frame[from] !== OPEN_BRACE) return NOWHERE;
  let has_index = false;
  let has_delta = false;
  let at = from;
  do {
    const key = skipBlanks(frame, at + 1);
    const end = endOfKey(frame, key);
    const value = startOfValue(frame, end);
    if (isKey(frame, key, end, INDEX)) {
      // An index of several digits is rare enough to be parsed.
      has_index = isBegun((frame[value] ?? 0) - ZERO);
      at = has_index ? value + 1 : NOWHERE;
    } else if (isKey(frame, key, end, DELTA)) {
      has_delta = true;
      at = endOfDelta(frame, value);
    } else {
      const is_more = isKey(frame, key, end, FINISH_REASON) || isKey(frame, key, end, MESSAGE);
      at = is_more && frame[value] !== LETTER_N ? NOWHERE : endOfValue(frame, value);
    }
    if (at === NOWHERE) return NOWHERE;
    at = skipBlanks(frame, at);
  } while (frame[at] === COMMA);
  return has_index && has_delta && frame[at] === CLOSE_BRACE ? at + 1 : NOWHERE;
}

function endOfDelta(frame: Buffer, from: number): number {
  if (frame[from] !== OPEN_BRACE) return NOWHERE;
  let at = skipBlanks(frame, from + 1);
  if (frame[at] === CLOSE_BRACE) return at + 1;
  for (at = from; ; ) {
    const key = skipBlanks(frame, at + 1);
    const end = endOfKey(frame, key);
    const value = startOfValue(frame, end);
    if (frame[value] !== LETTER_N) {
      if (isKey(frame, key, end, TOOL_CALLS)) return NOWHERE;
      if (isKey(frame, key, end, ROLE) && !isKey(frame, value, value + ASSISTANT.length, ASSISTANT)) return NOWHERE;
    }
    at = endOfValue(frame, value);
    if (at === NOWHERE) return NOWHERE;
    at = skipBlanks(frame, at);
    if (frame[at] !== COMMA) return frame[at] === CLOSE_BRACE ? at + 1 : NOWHERE;
  }
}

/** The start of a member's value, behind the colon; nowhere where its key has none. */
function startOfValue(frame: Buffer, key_end: number): number {
  if (key_end === NOWHERE) return NOWHERE;
  const colon = skipBlanks(frame, key_end);
  return frame[colon] === COLON ? skipBlanks(frame, colon + 1) : NOWHERE;
}

function endOfValue(frame: Buffer, from: number): number {
  const first = frame[from];
  if (first === QUOTE) return endOfString(frame, from);
  if (from === NOWHERE) return NOWHERE;
  let depth = 0;
  for (let at = from; at < frame.length; at++) {
    const byte = frame[at];
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) return at;
      depth--;
      if (depth === 0) return at + 1;
    } else if (byte === COMMA && depth === 0) return at;
    else if (byte === QUOTE) {
      const end = endOfString(frame, at);
      if (end === NOWHERE) return NOWHERE;
      at = end - 1;
    }
  }
  return NOWHERE;
}

/** The end of a key whose opening quote is at `from`; nowhere where it has escapes, behind which another name may stand. */
function endOfKey(frame: Buffer, from: number): number {
  if (frame[from] !== QUOTE) return NOWHERE;
  for (let at = from + 1; at < frame.length; at++) {
    const byte = frame[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) return NOWHERE;
  }
  return NOWHERE;
}

function endOfString(frame: Buffer, from: number): number {
  for (let end = frame.indexOf(QUOTE, from + 1); end !== -1; end = frame.indexOf(QUOTE, end + 1)) {
    let before = end;
    while (frame[before - 1] === BACKSLASH) before--;
    // An even number of backslashes stands for itself.
    if ((end - before) % 2 === 0) return end + 1;
  }
  return NOWHERE;
}

function isKey(frame: Buffer, from: number, end: number, key: Buffer): boolean {
  if (end - from !== key.length) return false;
  for (let at = 1; at < key.length - 1; at++) if (frame[from + at] !== key[at]) return false;
  return true;
}

function skipBlanks(frame: Buffer, from: number): number {
  let at = from;
  while (frame[at] === SPACE || frame[at] === TAB) at++;
  return at;
}
