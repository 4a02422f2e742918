import { BACKSLASH, QUOTE } from "../../core/ascii.ts";
import type { ContentTape } from "../shared/content-tape.ts";

const FIRST_PRINTABLE = 32;
/** Longer text is handled by byte searches: looking at each byte in a loop would cost more than the pattern saves. */
const MAX_TEXT_BYTES = 1024;
/** Stands in place of the text while the client's form of the bytes around it is determined. */
const MARK = Buffer.from("~camino.mark~");

/** The position of a text in a frame: from after its opening quote to its closing quote. */
export interface TextPlace {
  readonly start: number;
  readonly end: number;
}

/**
 * The bytes that the chunks of a run share. Most chunks of a stream differ only in one short text and have the same
 * bytes before and after it, so what was found out about the first chunk holds for the next ones: each is compared,
 * measured and written in one pass. A text with quotes or backslashes does not match the pattern, because its end is
 * uncertain.
 */
export class ChunkPattern {
  readonly #before: Buffer;
  readonly #behind: Buffer;
  readonly #shown_before: Buffer;
  readonly #shown_behind: Buffer;

  private constructor(before: Buffer, behind: Buffer, shown_before: Buffer, shown_behind: Buffer) {
    this.#before = before;
    this.#behind = behind;
    this.#shown_before = shown_before;
    this.#shown_behind = shown_behind;
  }

  /**
   * Learns the pattern of a frame whose only text is at `text`. `show` gives the client's form of a frame; it must not
   * depend on the text. Null where the text cannot be found in that form.
   */
  static learn(frame: Buffer, { start, end }: TextPlace, show: (frame: Buffer) => Buffer): ChunkPattern | null {
    // Copies, so that the pattern does not keep the vendor's chunks alive.
    const before = Buffer.from(frame.subarray(0, start));
    const behind = Buffer.from(frame.subarray(end));
    if (before.includes(MARK) || behind.includes(MARK)) return null;
    const shown = show(Buffer.concat([before, MARK, behind]));
    const at = shown.indexOf(MARK);
    if (at === -1) return null;
    const shown_behind = Buffer.from(shown.subarray(at + MARK.length));
    return new ChunkPattern(before, behind, Buffer.from(shown.subarray(0, at)), shown_behind);
  }

  /**
   * The bytes that the client gets for a chunk of this pattern, whose text is put on the tape; null for any other
   * chunk.
   */
  take(chunk: Buffer, tape: ContentTape): Buffer | null {
    const start = this.#before.length;
    const end = chunk.length - this.#behind.length;
    if (end <= start || end - start > MAX_TEXT_BYTES) return null;
    if (this.#behind.compare(chunk, end) !== 0 || this.#before.compare(chunk, 0, start) !== 0) return null;
    const shown_start = this.#shown_before.length;
    const shown = Buffer.allocUnsafe(shown_start + end - start + this.#shown_behind.length);
    for (let at = start, to = shown_start; at < end; at++, to++) {
      const byte = chunk[at] as number;
      if (byte === QUOTE || byte === BACKSLASH || byte < FIRST_PRINTABLE) return null;
      shown[to] = byte;
    }
    shown.set(this.#shown_before, 0);
    shown.set(this.#shown_behind, shown_start + end - start);
    tape.takePlain(chunk, start, end);
    return shown;
  }
}
