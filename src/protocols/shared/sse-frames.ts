import type { VendorFailure } from "../../core/answer/exchange.ts";
import { BACKSLASH, COLON, COMMA, CR, LF, OPEN_BRACE, OPEN_BRACKET, QUOTE, SPACE } from "../../core/ascii.ts";

/** The limit of a line. No vendor's events are longer; a longer line would only fill our memory. */
export const MAX_LINE_BYTES = 1024 * 1024;
/** The limit of a whole event. */
export const MAX_EVENT_BYTES = 4 * 1024 * 1024;

/**
 * The limit of values in a large event, which takes the serving thread some 20 ms (docs/adr/0027-body-workers.md). The
 * log-probabilities in a line of the largest size are less than half of it.
 */
export const MAX_EVENT_VALUES = 250_000;
interface FrameLimits {
  readonly line_bytes: number;
  readonly event_bytes: number;
}
const USUAL_LIMITS: FrameLimits = { line_bytes: MAX_LINE_BYTES, event_bytes: MAX_EVENT_BYTES };
/** An event of this size has never too many. */
const FEW_VALUES_BYTES = 512 * 1024;

const BLANK_LINE = Buffer.from("\n\n");
const BOM = [0xef, 0xbb, 0xbf] as const;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Splits a stream of server-sent events into frames: the bytes of one event, as sent, up to and including its blank
 * line. The bytes may come in any pieces; the frames are the same however they were cut.
 *
 *     frames.feed(chunk);
 *     for (let frame = frames.next(); frame !== null; frame = frames.next()) …
 *
 * A frame is never empty, never starts with a line end or a byte order mark, and may be a mere comment. Frames that lie
 * whole inside a chunk are views of it: nothing is copied or decoded, and a frame stays valid for as long as the chunk
 * does. Only an incomplete tail is copied. Lines end in LF, CRLF or CR, in any mixture.
 *
 * A line or event beyond the limits above is a `fault`: no frame comes after it, and those before it are as good as ever,
 * however the bytes were cut.
 */
export class SseFrames {
  /** What cannot be read, as the vendor's failure; null while all can. */
  fault: VendorFailure | null = null;
  #bytes: Buffer = NOTHING;
  /** The positions at which the next frame starts, the search for its end continues, and the line at that point starts. */
  #start = 0;
  #scanned = 0;
  #line = 0;
  /** End of the bytes that were fed; the buffer of a carried tail has free room after it. */
  #end = 0;
  /** Whether `#bytes` is our own copy of a tail, which more bytes may be appended to. */
  #carried = false;
  #begun = false;
  /** Until a CR was seen, a blank line can only be LF LF, which is found without looking at each byte. */
  #has_cr = false;
  readonly #most: FrameLimits;

  /** `most_bytes`: of a line and an event, where they have more than text. */
  constructor(most_bytes?: number) {
    this.#most = most_bytes === undefined ? USUAL_LIMITS : { line_bytes: most_bytes, event_bytes: most_bytes };
  }

  /** Takes the vendor's next bytes. Call only when `next` has returned null. */
  feed(chunk: Uint8Array): void {
    if (chunk.length === 0 || this.fault !== null) return;
    if (!this.#has_cr) this.#has_cr = chunk.indexOf(CR) !== -1;
    if (this.#start < this.#end) return this.#append(chunk);
    // Making a Buffer view costs as much as all searches in a frame; the transport's chunks are Buffers already.
    this.#bytes = chunk instanceof Buffer ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    this.#start = this.#scanned = this.#line = 0;
    this.#end = chunk.length;
    this.#carried = false;
  }

  /** Whether a CR was fed: without one, lines end in LF only. */
  get hasCr(): boolean {
    return this.#has_cr;
  }

  /** Whether the next byte begins a frame: no byte of an incomplete frame was fed. */
  get isBetweenFrames(): boolean {
    return this.#begun && this.#start >= this.#end;
  }

  /** The next whole frame, or null until more bytes come, and behind a fault. */
  next(): Buffer | null {
    this.#skipLeadingLineEnds();
    const end = this.#has_cr ? this.#scanLines() : this.#findBlankLine();
    if (end === -1) {
      this.#keepTail();
      return null;
    }
    const frame =
      this.#start === 0 && end === this.#bytes.length ? this.#bytes : this.#bytes.subarray(this.#start, end);
    this.#start = this.#scanned = this.#line = end;
    return frame.length > FEW_VALUES_BYTES ? this.#unlessCostly(frame) : frame;
  }

  /**
   * Call when the stream was closed. Returns a last frame that lacked its blank line, completed with a blank line; else
   * null. Such a frame may have been cut in the middle: the caller must check that its data is whole.
   */
  end(): Buffer | null {
    this.#skipLeadingLineEnds();
    if (this.#start >= this.#end) return null;
    const frame = Buffer.concat([this.#bytes.subarray(this.#start, this.#end), BLANK_LINE]);
    this.#start = this.#end;
    return frame.length > FEW_VALUES_BYTES ? this.#unlessCostly(frame) : frame;
  }

  #unlessCostly(frame: Buffer): Buffer | null {
    const fault = faultOf(frame, this.#most);
    return fault === null ? frame : this.#stop(fault);
  }

  /** Reads no further. */
  #stop(message: string): null {
    this.fault = { status: 502, message, retry_after_ms: null };
    this.#bytes = NOTHING;
    this.#start = this.#scanned = this.#line = this.#end = 0;
    this.#carried = false;
    return null;
  }

  #append(chunk: Uint8Array): void {
    if (this.#end + chunk.length > this.#bytes.length) this.#moveTail(chunk.length);
    this.#bytes.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  /** Moves the incomplete tail into a buffer of our own with room behind it; frames given out keep the old one. */
  #moveTail(room: number): void {
    const length = this.#end - this.#start;
    const buffer = Buffer.allocUnsafe(Math.max(1024, (length + room) * 2));
    this.#bytes.copy(buffer, 0, this.#start, this.#end);
    this.#bytes = buffer;
    this.#scanned -= this.#start;
    this.#line -= this.#start;
    this.#start = 0;
    this.#end = length;
    this.#carried = true;
  }

  #skipLeadingLineEnds(): void {
    if (!this.#begun && !this.#skipByteOrderMark()) return;
    let start = this.#start;
    while (start < this.#end && (this.#bytes[start] === LF || this.#bytes[start] === CR)) start++;
    if (start === this.#start) return;
    this.#start = this.#line = start;
    this.#scanned = Math.max(this.#scanned, start);
  }

  /** False while too few bytes came to know whether the stream starts with a byte order mark. */
  #skipByteOrderMark(): boolean {
    const length = this.#end - this.#start;
    for (const [at, byte] of BOM.entries()) {
      if (at === length) return false;
      if (this.#bytes[this.#start + at] !== byte) {
        this.#begun = true;
        return true;
      }
    }
    this.#start = this.#scanned = this.#line = this.#start + BOM.length;
    this.#begun = true;
    return true;
  }

  #findBlankLine(): number {
    const from = Math.max(this.#start, this.#scanned - 1);
    if (this.#carried) {
      // A carried tail has stale bytes after its end, which must not be searched for each piece that comes.
      const at = this.#bytes.subarray(from, this.#end).indexOf(BLANK_LINE);
      return at === -1 ? -1 : from + at + 2;
    }
    const at = this.#bytes.indexOf(BLANK_LINE, from);
    return at === -1 ? -1 : at + 2;
  }

  #scanLines(): number {
    const bytes = this.#bytes;
    for (let at = this.#scanned; at < this.#end; at++) {
      const byte = bytes[at];
      if (byte !== LF && byte !== CR) continue;
      // A CR at the very end may be half of a CRLF: only the next byte shows which.
      if (byte === CR && at + 1 === this.#end) {
        this.#scanned = at;
        return -1;
      }
      const next = byte === CR && bytes[at + 1] === LF ? at + 2 : at + 1;
      if (at === this.#line) return next;
      this.#line = next;
      at = next - 1;
    }
    this.#scanned = this.#end;
    return -1;
  }

  /** Copies the rest of the caller's chunk, and checks the limits of an incomplete event. */
  #keepTail(): void {
    const length = this.#end - this.#start;
    if (length === 0) {
      this.#scanned = this.#end;
      return;
    }
    if (!this.#has_cr) {
      const last = this.#bytes.subarray(this.#scanned, this.#end).lastIndexOf(LF);
      if (last !== -1) this.#line = this.#scanned + last + 1;
      this.#scanned = this.#end;
    }
    const { line_bytes, event_bytes } = this.#most;
    if (length > event_bytes) this.#stop(tooLarge("event", event_bytes));
    else if (this.#end - this.#line > line_bytes) this.#stop(tooLarge("line", line_bytes));
    else if (!this.#carried) this.#moveTail(0);
  }
}

/** The frame's event name, or the empty string when it has none. */
export function eventName(frame: Buffer): string {
  let name = "";
  eachField(frame, (field, value) => {
    if (field === "event") name = value;
  });
  return name;
}

/** The frame's data: its data lines joined by LF. Null when it has none, as in a mere comment. */
export function dataText(frame: Buffer): string | null {
  let data: string | null = null;
  eachField(frame, (field, value) => {
    if (field === "data") data = data === null ? value : `${data}\n${value}`;
  });
  return data;
}

/** Walks the lines of a frame as the server-sent events standard reads them. Decodes: not for the hot path. */
function eachField(frame: Buffer, take: (field: string, value: string) => void): void {
  let start = 0;
  for (let at = 0; at <= frame.length; at++) {
    const byte = frame[at];
    if (at < frame.length && byte !== LF && byte !== CR) continue;
    const colon = frame.subarray(start, at).indexOf(COLON);
    if (colon === -1 && at > start) take(frame.toString("utf8", start, at), "");
    if (colon > 0) {
      const value = start + colon + 1;
      take(
        frame.toString("utf8", start, start + colon),
        frame.toString("utf8", frame[value] === SPACE ? value + 1 : value, at),
      );
    }
    start = at + 1;
  }
}

/** Why a large frame is beyond the limits; null where it is not. */
function faultOf(frame: Buffer, { line_bytes, event_bytes }: FrameLimits): string | null {
  if (frame.length > event_bytes) return tooLarge("event", event_bytes);
  if (frame.length > line_bytes && hasLongLine(frame, line_bytes)) return tooLarge("line", line_bytes);
  return countValues(frame) <= MAX_EVENT_VALUES
    ? null
    : `The model service sent an event of more than ${MAX_EVENT_VALUES} values.`;
}

/** About how many values a frame's JSON has: its commas, lists and objects outside strings. No string goes on in another line. */
function countValues(frame: Buffer): number {
  let values = 0;
  for (let at = 0; at < frame.length; at++) {
    const byte = frame[at];
    if (byte === QUOTE) at = endOfString(frame, at + 1);
    else if (byte === COMMA || byte === OPEN_BRACKET || byte === OPEN_BRACE) values++;
  }
  return values;
}

/** Where a string ends: at its quote, or at the end of its line. The text of an image, which has no escapes, is not walked. */
function endOfString(frame: Buffer, start: number): number {
  const quote = frame.indexOf(QUOTE, start);
  const end = quote === -1 ? frame.length : quote;
  const inside = frame.subarray(start, end);
  if (!inside.includes(BACKSLASH) && !inside.includes(LF) && !inside.includes(CR)) return end;
  for (let at = start; at < frame.length; at++) {
    const byte = frame[at];
    if (byte === BACKSLASH) at++;
    else if (byte === QUOTE || byte === LF || byte === CR) return at;
  }
  return frame.length;
}

function hasLongLine(frame: Buffer, line_bytes: number): boolean {
  let line = 0;
  for (let at = 0; at < frame.length; at++) {
    if (frame[at] === LF || frame[at] === CR) line = at + 1;
    else if (at - line >= line_bytes) return true;
  }
  return false;
}

function tooLarge(what: "line" | "event", limit: number): string {
  return `The model service sent an ${what === "line" ? "event line" : "event"} of more than ${limit} bytes.`;
}
