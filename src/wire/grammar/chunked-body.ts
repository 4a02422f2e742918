import { COLON, CR, LF, SPACE, TAB } from "../../core/ascii.ts";
import { detachedPart } from "./detached-bytes.ts";
import { isNameCharacter } from "./head-lines.ts";
import { MalformedMessage } from "./malformed-message.ts";

/** The longest line with a chunk's size and extensions, and the longest line of the trailers. */
const MAX_LINE_BYTES = 4096;
const MAX_TRAILER_LINES = 100;
/** Up to six digits and CR LF: larger sizes are read byte by byte. */
const MAX_PLAIN_SIZE = 8;

const SEMICOLON = 59;
const DEL = 127;

/** The parser's states: what the next byte belongs to. */
const SIZE = 0;
const EXTENSION = 1;
const SIZE_LF = 2;
const DATA = 3;
const DATA_CR = 4;
const DATA_LF = 5;
const TRAILER = 6;
const TRAILER_LF = 7;
const DONE = 8;

/**
 * Finds the data in a chunked body (RFC 9112, 7.1), in slices cut anywhere. Skips extensions and trailers, which have
 * no meaning for the gateway.
 */
export class ChunkedBody {
  readonly #is_strict: boolean;
  #state = SIZE;
  /** How many bytes of the chunk's data are still to come; while the size is being read, its value so far. */
  #left = 0;
  #line_bytes = 0;
  #trailer_lines = 0;
  /** Whether the trailer's name and its colon have been read. */
  #is_trailer_named = false;

  /**
   * `is_strict` also refuses what is harmless from a vendor but not from a client, where a proxy in front may have read
   * it in another way: blanks after a size, control characters in an extension, trailers that are not headers.
   */
  constructor({ is_strict }: { readonly is_strict: boolean }) {
    this.#is_strict = is_strict;
  }

  get isDone(): boolean {
    return this.#state === DONE;
  }

  /** Prepares for the next body. */
  reset(): void {
    this.#state = SIZE;
    this.#beginLine();
    this.#trailer_lines = 0;
    this.#is_trailer_named = false;
  }

  /**
   * Hands on the data in `bytes` from `at` on, in one piece. It moves the data together in place, so nobody else may
   * use the bytes. Returns where the body ended, or the end of the bytes. Throws a MalformedMessage after it handed on
   * the data before the fault.
   */
  feed(bytes: Buffer, at: number, sink: { piece(data: Buffer): void }): number {
    let start = at;
    let end = at;
    let i = at;
    try {
      while (i < bytes.length && this.#state !== DONE) {
        if (this.#state === SIZE) i = this.#passSize(bytes, i);
        if (this.#state !== DATA) {
          this.#step(bytes[i++] as number);
          continue;
        }
        const length = Math.min(bytes.length - i, this.#left);
        if (end === start) start = end = i;
        else bytes.copyWithin(end, i, i + length);
        end += length;
        i += length;
        this.#left -= length;
        if (this.#left === 0) i = this.#passDataEnd(bytes, i);
      }
    } finally {
      if (end > start) sink.piece(detachedPart(bytes, start, end));
    }
    return i;
  }

  /**
   * Reads a size that is complete here, as nearly all are. Returns where its data begin, or `start` to read byte by
   * byte.
   */
  #passSize(bytes: Buffer, start: number): number {
    if (this.#line_bytes > 0 || bytes.length - start < MAX_PLAIN_SIZE) return start;
    let size = 0;
    let at = start;
    for (; at < start + MAX_PLAIN_SIZE - 2; at++) {
      const digit = hexDigit(bytes[at] as number);
      if (digit < 0) break;
      size = size * 16 + digit;
    }
    if (size === 0 || bytes[at] !== CR || bytes[at + 1] !== LF) return start;
    this.#left = size;
    this.#state = DATA;
    return at + 2;
  }

  /** Skips the line break after the data, as far as it is there. */
  #passDataEnd(bytes: Buffer, start: number): number {
    if (bytes.length - start < 2 || bytes[start] !== CR || bytes[start + 1] !== LF) {
      this.#state = DATA_CR;
      return start;
    }
    this.#state = SIZE;
    this.#beginLine();
    return start + 2;
  }

  #beginLine(): void {
    this.#left = 0;
    this.#line_bytes = 0;
  }

  #step(byte: number): void {
    switch (this.#state) {
      case SIZE:
        return this.#takeSize(byte);
      case EXTENSION:
        this.#count(byte);
        if (byte === CR) this.#state = SIZE_LF;
        else if (this.#is_strict) refuseControl(byte);
        return;
      case SIZE_LF:
        expect(byte, LF, "a chunk's size");
        this.#state = this.#left === 0 ? TRAILER : DATA;
        this.#line_bytes = 0;
        return;
      case DATA_CR:
        expect(byte, CR, "a chunk's data");
        this.#state = DATA_LF;
        return;
      case DATA_LF:
        expect(byte, LF, "a chunk's data");
        this.#state = SIZE;
        return this.#beginLine();
      case TRAILER:
        this.#count(byte);
        if (this.#is_strict) this.#checkTrailer(byte);
        if (byte === CR) this.#state = TRAILER_LF;
        return;
      default:
        return this.#endTrailer(byte);
    }
  }

  #takeSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.#left = this.#left * 16 + digit;
      this.#count(byte);
      if (this.#left > Number.MAX_SAFE_INTEGER) throw new MalformedMessage("it has a chunk that is too large");
      return;
    }
    if (this.#line_bytes === 0) throw new MalformedMessage("it has a chunk without a size");
    if (byte === CR) this.#state = SIZE_LF;
    else if (byte === SEMICOLON || (isBlank(byte) && !this.#is_strict)) this.#state = EXTENSION;
    else throw new MalformedMessage("it has a chunk whose size is no hexadecimal number");
  }

  /** Counts a byte of a line. Refuses a LF within it, which other parsers would take for the line's end. */
  #count(byte: number): void {
    this.#line_bytes += 1;
    if (this.#line_bytes > MAX_LINE_BYTES)
      throw new MalformedMessage(`it has a line of more than ${MAX_LINE_BYTES} bytes`);
    if (byte === LF) throw new MalformedMessage("it has a line between its chunks that does not end with CR LF");
  }

  /** Checks that a trailer has the form of a header, though nobody reads it. The byte is already counted. */
  #checkTrailer(byte: number): void {
    if (this.#is_trailer_named) {
      if (byte !== CR) refuseControl(byte);
      return;
    }
    if (isNameCharacter(byte) || (byte === CR && this.#line_bytes === 1)) return;
    if (byte !== COLON || this.#line_bytes === 1) throw new MalformedMessage("it has a trailer that is no header");
    this.#is_trailer_named = true;
  }

  /** Ends the body at the empty line after the trailers. */
  #endTrailer(byte: number): void {
    expect(byte, LF, "a trailer");
    const is_empty = this.#line_bytes === 1;
    this.#line_bytes = 0;
    this.#is_trailer_named = false;
    this.#trailer_lines += 1;
    if (this.#trailer_lines > MAX_TRAILER_LINES) throw new MalformedMessage("it has too many trailers");
    this.#state = is_empty ? DONE : TRAILER;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const small = byte | 32;
  return small >= 97 && small <= 102 ? small - 87 : -1;
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

function refuseControl(byte: number): void {
  if ((byte < SPACE && byte !== TAB) || byte === DEL)
    throw new MalformedMessage("it has a control character between its chunks");
}

function expect(byte: number, expected: number, what: string): void {
  if (byte !== expected) throw new MalformedMessage(`it has ${what} that does not end with CR LF`);
}
