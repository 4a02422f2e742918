import { LETTER_N } from "../../core/ascii.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { hasPlainChoices } from "./plain-choices.ts";

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
 * Whether a frame is more than a chunk with a piece of text, or less: an error, a usage, the end of a choice, a call, signed reasoning, no
 * chunk at all, or one without a member that clients read. All other chunks (nearly every chunk) need not be parsed. The searches cannot hit text inside a JSON string, for
 * there each quote has a backslash before it. `isBegun` tells whether a choice has begun: the first chunk of each is parsed.
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
