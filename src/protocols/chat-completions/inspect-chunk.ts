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
  ZERO,
} from "../../core/ascii.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import type { ContentTape } from "../shared/content-tape.ts";
import { endOfStringBytes, skipBlanks } from "../shared/json-bytes.ts";
import { parseOrNull } from "../shared/parse-json.ts";

/** Reads properties of a chunk: some from its bytes, the others from the parsed chunk. */

const CHOICES = Buffer.from('"choices"');
const ERROR = Buffer.from('"error"');
const USAGE = Buffer.from('"usage"');
/** The members that clients read of every chunk. */
const READ_OF_CHUNK = ['"id"', '"created"'].map((key) => Buffer.from(key));
const OBJECT = Buffer.from('"object"');
const KIND = Buffer.from('"chat.completion.chunk"');
const DETAILS = Buffer.from('"reasoning_details"');
/** The members of a detail that are named for clients (`issued-details.ts`). */
const OPAQUE = ['"signature"', '"data"'].map((key) => Buffer.from(key));

/**
 * Whether a frame has to be parsed: it is no chunk, it lacks a member that clients read, or it has more than a piece of text, as an
 * error, a usage, the end of a choice, a call or signed reasoning. Nearly every chunk need not be parsed. The searches cannot hit text
 * inside a JSON string, for there each quote has a backslash before it. `isBegun` tells whether a choice has begun: the first
 * chunk of each is parsed.
 */
export function needsParsing(frame: Buffer, isBegun: (index: number) => boolean): boolean {
  const choices = frame.indexOf(CHOICES);
  return (
    choices === -1 ||
    // The first may stand inside another member.
    frame.includes(CHOICES, choices + CHOICES.length) ||
    hasValue(frame, USAGE, 0) ||
    hasValue(frame, ERROR, 0) ||
    !isChunk(frame) ||
    READ_OF_CHUNK.some((key) => !hasValue(frame, key, 0)) ||
    (frame.includes(DETAILS) && OPAQUE.some((key) => hasValue(frame, key, 0))) ||
    !hasPlainChoices(frame, choices + CHOICES.length, isBegun)
  );
}

/** Whether a frame says that it is a chunk, which openai-python skips under any other name. */
function isChunk(frame: Buffer): boolean {
  let at = frame.indexOf(KIND);
  if (at === -1) return false;
  while (isSpaceOrColon(frame[at - 1])) at--;
  return frame.compare(OBJECT, 0, OBJECT.length, Math.max(0, at - OBJECT.length), at) === 0;
}

/** Whether a member with this key has a value other than null anywhere from `from` on. */
function hasValue(frame: Buffer, key: Buffer, from: number): boolean {
  for (let at = frame.indexOf(key, from); at !== -1; at = frame.indexOf(key, at)) {
    at += key.length;
    let value = at;
    while (isSpaceOrColon(frame[value])) value++;
    // A key is followed by a colon, a string value is not.
    if (value > at && frame[value] !== LETTER_N) return true;
  }
  return false;
}

function isSpaceOrColon(byte: number | undefined): boolean {
  return byte === 58 || byte === 32 || byte === 9;
}

/** The parsed chunk, or null when the text is no JSON object. */
export function parseChunk(json: string): Record<string, unknown> | null {
  const chunk = parseOrNull(json);
  return isObject(chunk) ? chunk : null;
}

/** The choices of a chunk or completion; entries that are no objects are left out. */
export function choicesOf(chunk: Record<string, unknown>): readonly Record<string, unknown>[] {
  return Array.isArray(chunk.choices) ? chunk.choices.filter(isObject) : [];
}

/** More choices than any vendor gives: official SDKs throw on an index above. */
const MOST_CHOICES = 128;

/** The index of a choice; its place among the others where it has none that can be one. */
export function choiceIndex({ index }: Record<string, unknown>, place: number): number {
  const is_index = typeof index === "number" && Number.isSafeInteger(index) && index >= 0 && index < MOST_CHOICES;
  return is_index ? index : place;
}

export function hasChoice(chunk: Record<string, unknown>): boolean {
  return Array.isArray(chunk.choices) && chunk.choices.some(isObject);
}

/**
 * The error that a chunk or completion reports, in the places where vendors put it: a member of its own, inside a
 * choice, or the whole object. Null when there is none.
 */
export function errorOf(chunk: Record<string, unknown>): unknown {
  if (isFilled(chunk.error)) return chunk;
  if (chunk.object === "error" || chunk.type === "error") return chunk;
  if (!Array.isArray(chunk.choices)) {
    const is_sentence = [chunk.message, chunk.detail].some((said) => typeof said === "string" && said !== "");
    return chunk.choices === undefined && is_sentence ? chunk : null;
  }
  for (const choice of chunk.choices) {
    if (!isObject(choice)) continue;
    if (isFilled(choice.error)) return { error: choice.error };
    if (choice.finish_reason === "error") return { message: "The model stopped with an error." };
  }
  return null;
}

/** Whether a delta or a message has more than its role: text, tool calls, audio, images. */
export function hasContent(chunk: Record<string, unknown>): boolean {
  return choicesOf(chunk).some(({ delta, message }) => saysSomething(delta) || saysSomething(message));
}

function saysSomething(told: unknown): boolean {
  return isObject(told) && hasMoreThanRole(told);
}

/** Whether any member of a delta or message but its role has content. */
export function hasMoreThanRole(told: JsonRecord): boolean {
  for (const key in told) if (key !== "role" && isFilled(told[key])) return true;
  return false;
}

/** Whether a value has content: it is not null and not empty. */
export function isFilled(value: unknown): boolean {
  if (typeof value === "string" || Array.isArray(value)) return value.length > 0;
  return isObject(value) && Object.keys(value).length > 0;
}

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
 * Whether the list of choices behind `from`, the end of its key, has only pieces of text: each choice has the index of one that
 * has begun, a delta without calls, and no end. False for a list that is written in an unusual way.
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
  if (first === QUOTE) return endOfStringBytes(frame, from);
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
      at = endOfStringBytes(frame, at) - 1;
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

function isKey(frame: Buffer, from: number, end: number, key: Buffer): boolean {
  if (end - from !== key.length) return false;
  for (let at = 1; at < key.length - 1; at++) if (frame[from + at] !== key[at]) return false;
  return true;
}

const CONTENT = Buffer.from('"content"');
const REASONING_CONTENT = Buffer.from('"reasoning_content"');
const REASONING = Buffer.from('"reasoning"');
const REFUSAL = Buffer.from('"refusal"');
const ARGUMENTS = Buffer.from('"arguments"');
const INPUT = Buffer.from('"input"');
const TEXT = Buffer.from('"text"');
const TRANSCRIPT = Buffer.from('"transcript"');

/**
 * Puts the generated text of a chunk on the tape; the text is found by its key, without parsing. False when the chunk
 * has no text; it may still have other content. Reasoning has two names; a vendor that sends both repeats the text.
 */
export function measureDelta(frame: Buffer, tape: ContentTape): boolean {
  const from = Math.max(0, frame.indexOf(DELTA));
  const has_text = tape.take(frame, CONTENT, from);
  const has_reasoning = tape.take(frame, REASONING_CONTENT, from) || tape.take(frame, REASONING, from);
  const has_arguments = takeEach(frame, ARGUMENTS, from, tape);
  const has_refusal = tape.take(frame, REFUSAL, from);
  if (has_text || has_reasoning || has_arguments || has_refusal) return true;
  // Content in blocks, the input of custom tools, and transcripts of audio.
  return (
    takeEach(frame, TEXT, from, tape) || takeEach(frame, INPUT, from, tape) || takeEach(frame, TRANSCRIPT, from, tape)
  );
}

/** Several tool calls may come whole in one chunk. */
function takeEach(frame: Buffer, key: Buffer, from: number, tape: ContentTape): boolean {
  let found = false;
  for (let at = frame.indexOf(key, from); at !== -1; at = frame.indexOf(key, at + key.length)) {
    if (tape.take(frame, key, at)) found = true;
  }
  return found;
}
