import { BACKSLASH, COLON, QUOTE } from "../../core/ascii.ts";
import { skipBlanks } from "./json-bytes.ts";

/**
 * How much text is kept: enough to close an interrupted answer with its full text, however long a model's answer is.
 */
const MAX_TAPE_BYTES = 1024 * 1024;
/** How much of the text an estimate starts from. */
const MAX_SAMPLE_BYTES = 256 * 1024;
const FIRST_ROOM_BYTES = 1024;
/** Up to this length a loop over the bytes is faster than a call of the runtime's copy. */
const COPIED_BY_BYTE = 32;

/**
 * The generated text of an answer, gathered from the bytes of its frames without parsing them: each piece is the JSON
 * string under a key, copied with its escapes. Pieces follow each other seamlessly, as each ends between two characters
 * of JSON, so any run of pieces is read back with one parse, and only when the text is asked for.
 */
export class ContentTape {
  /** UTF-8 bytes of all text that was found, after escapes are read; includes text that was too long to keep. */
  bytes = 0;
  /** How many pieces were taken, and where the last piece stood in its frame. */
  pieces = 0;
  last_start = 0;
  last_end = 0;
  #tape: Buffer = Buffer.alloc(0);
  #length = 0;
  #sample_end = 0;
  #full = false;

  /** The position at which the next piece will start: the place to read from later. */
  get position(): number {
    return this.#length;
  }

  /**
   * Takes the string under the first `key` (with its quotes) at or after `from`. False when the frame has no such
   * string or the string is empty. The search cannot hit text inside a JSON string, for there each quote has a
   * backslash before it.
   */
  take(frame: Buffer, key: Buffer, from: number): boolean {
    const at = frame.indexOf(key, from);
    if (at === -1) return false;
    const start = openingQuote(frame, at + key.length) + 1;
    if (start === 0) return false;
    let end = start;
    let escaped = false;
    for (; frame[end] !== QUOTE; end++) {
      if (end >= frame.length) return false;
      if (frame[end] !== BACKSLASH) continue;
      escaped = true;
      end++;
    }
    if (end === start) return false;
    this.bytes += escaped ? Buffer.byteLength(read(frame.toString("utf8", start, end))) : end - start;
    this.#onFrame(frame, start, end);
    return true;
  }

  /** Takes a string whose place is known, and that has no escapes. */
  takePlain(frame: Buffer, start: number, end: number): void {
    this.bytes += end - start;
    this.#onFrame(frame, start, end);
  }

  /** The text between two positions. */
  text(from = 0, to = this.#length): string {
    return from === to ? "" : read(this.#tape.toString("utf8", from, to));
  }

  /** The beginning of the text, as much as an estimate needs. */
  sample(): string {
    return this.text(0, this.#sample_end);
  }

  #onFrame(frame: Buffer, start: number, end: number): void {
    this.pieces += 1;
    this.last_start = start;
    this.last_end = end;
    this.#keep(frame, start, end);
  }

  #keep(frame: Buffer, start: number, end: number): void {
    const length = this.#length + end - start;
    // Text that follows a gap would not join the text before the gap.
    if (this.#full || length > MAX_TAPE_BYTES) {
      this.#full = true;
      return;
    }
    if (length > this.#tape.length) this.#grow(length);
    if (end - start > COPIED_BY_BYTE) frame.copy(this.#tape, this.#length, start, end);
    else for (let at = start, to = this.#length; at < end; at++, to++) this.#tape[to] = frame[at] as number;
    this.#length = length;
    if (length <= MAX_SAMPLE_BYTES) this.#sample_end = length;
  }

  #grow(length: number): void {
    const tape = Buffer.allocUnsafeSlow(Math.max(FIRST_ROOM_BYTES, length * 2));
    this.#tape.copy(tape, 0, 0, this.#length);
    this.#tape = tape;
  }
}

/** The position at which the string after a key starts, or -1 when the value is no string (or the key no key). */
function openingQuote(frame: Buffer, from: number): number {
  let at = skipBlanks(frame, from);
  if (frame[at] !== COLON) return -1;
  at = skipBlanks(frame, at + 1);
  return frame[at] === QUOTE ? at : -1;
}

/** The text that the inside of a JSON string stands for; an inside that is not valid JSON is returned unchanged. */
function read(escaped: string): string {
  try {
    return JSON.parse(`"${escaped}"`) as string;
  } catch {
    return escaped;
  }
}
