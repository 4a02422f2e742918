import { crc32 } from "node:zlib";
import type { VendorFailure } from "../../core/answer/exchange.ts";
import { invalidAnswer } from "../shared/endings.ts";
import { MAX_LINE_BYTES } from "../shared/sse-frames.ts";

/** One message of an `application/vnd.amazon.eventstream`. */
export interface EventFrame {
  /** `event`, `exception` or `error`. */
  readonly message_type: string;
  readonly name: string;
  readonly payload: Buffer;
}

/**
 * The layout of a message: its length and the length of its headers, four bytes each, and a checksum over both; the
 * headers; the payload; a checksum over everything before it. Numbers are big-endian.
 */
const PRELUDE = 12;
const CHECKSUM = 4;
/**
 * The longest message that is accepted: no event of a model is longer, and buffering more would only fill our memory.
 */
const MAX_FRAME_BYTES = MAX_LINE_BYTES;

/**
 * Splits a binary event stream, fed in pieces of any size, into its messages. Bytes that cannot be a message are a
 * `fault`: no message comes after it, and the messages before it stay valid.
 */
export class EventFrames {
  /** What cannot be read, as the vendor's failure; null while all can. */
  fault: VendorFailure | null = null;
  #chunks: Uint8Array[] = [];
  #size = 0;
  /** How many bytes the next step needs: first a prelude, then the message that it announces. */
  #needed = PRELUDE;

  feed(chunk: Uint8Array): void {
    if (chunk.length === 0 || this.fault !== null) return;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /** There is no last message: one that was cut off cannot be read. */
  end(): null {
    return null;
  }

  /** The next whole message; null until more bytes arrive, and after a fault. */
  next(): EventFrame | null {
    if (this.#size < this.#needed) return null;
    try {
      return this.#read();
    } catch (thrown) {
      if (!(thrown instanceof Unreadable)) throw thrown;
      const message = `The model service sent an event stream with ${thrown.message}.`;
      this.fault = invalidAnswer(message);
      this.#chunks = [];
      this.#size = 0;
      return null;
    }
  }

  #read(): EventFrame | null {
    const bytes = this.#joined();
    const length = lengthOf(bytes);
    this.#needed = length;
    if (bytes.length < length) return null;
    this.#chunks = bytes.length === length ? [] : [bytes.subarray(length)];
    this.#size -= length;
    this.#needed = PRELUDE;
    return readFrame(bytes.subarray(0, length));
  }

  #joined(): Buffer {
    const [first] = this.#chunks;
    const bytes =
      this.#chunks.length === 1 && first !== undefined
        ? Buffer.from(first.buffer, first.byteOffset, first.length)
        : Buffer.concat(this.#chunks);
    this.#chunks = [bytes];
    return bytes;
  }
}

function lengthOf(bytes: Buffer): number {
  const length = bytes.readUInt32BE(0);
  const headers = bytes.readUInt32BE(4);
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) throw new Unreadable("a wrong checksum");
  if (length > MAX_FRAME_BYTES) throw new Unreadable(`a message of ${length} bytes`);
  if (length < PRELUDE + headers + CHECKSUM) throw new Unreadable("lengths that contradict each other");
  return length;
}

function readFrame(frame: Buffer): EventFrame {
  const end = frame.length - CHECKSUM;
  if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end)) throw new Unreadable("a wrong checksum");
  const headers_end = PRELUDE + frame.readUInt32BE(4);
  const headers = readHeaders(frame.subarray(PRELUDE, headers_end));
  const message_type = headers.get(":message-type") ?? "event";
  const name = headers.get(`:${message_type === "error" ? "error-code" : `${message_type}-type`}`) ?? "";
  const payload = frame.subarray(headers_end, end);
  // An `error` has no payload: its sentence is in a header.
  const sentence = headers.get(":error-message");
  return {
    message_type,
    name,
    payload: sentence === undefined ? payload : Buffer.from(JSON.stringify({ message: sentence })),
  };
}

/**
 * The size in bytes of a header's value by its type: true, false, byte, short, integer, long, bytes, text, time, uuid.
 * The value of the types bytes and text (-1) begins with its own length.
 */
const VALUE_BYTES: readonly number[] = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16];
const TEXT = 7;

/** The headers of the type text; the other types do not matter here. */
function readHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const name_end = at + 1 + bytes.readUInt8(at);
    const name = bytes.toString("latin1", at + 1, name_end);
    if (name_end >= bytes.length) throw new Unreadable("a broken header");
    const type = bytes.readUInt8(name_end);
    const fixed = VALUE_BYTES[type];
    if (fixed === undefined || (fixed === -1 && name_end + 3 > bytes.length)) throw new Unreadable("a broken header");
    const start = name_end + (fixed === -1 ? 3 : 1);
    const end = start + (fixed === -1 ? bytes.readUInt16BE(name_end + 1) : fixed);
    if (end > bytes.length) throw new Unreadable("a broken header");
    if (type === TEXT) headers.set(name, bytes.toString("utf8", start, end));
    at = end;
  }
  return headers;
}

/** Thrown for bytes that cannot be a message; the text says what is wrong with them. */
class Unreadable extends Error {}
