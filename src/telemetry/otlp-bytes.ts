import type { RandomIds } from "../observe/random-ids.ts";

/** The parts of OpenTelemetry's messages that are written here, as tags of protobuf: a field's number and its wire type. */
const TRACE_ID = 0x0a;
const SPAN_ID = 0x12;
const PARENT = 0x22;
const START = 0x39;
const END = 0x41;
const KEY = 0x0a;
const VALUE = 0x12;
const STRING = 0x0a;
const BOOL = 0x10;
const INT = 0x18;
const DOUBLE = 0x21;
const TRACE_ID_BYTES = 16;
const ID_BYTES = 8;
const FIRST_BYTES = 64 * 1024;
/** What a message takes at most before its first text: a span's ids and times, and its number. */
const HEAD_BYTES = 128;
/** A message's length is written once it is known: in as many bytes as it may ever take. */
const LENGTH_BYTES = 4;
const FEW_BYTES = 48;
const BASE = 2 ** 32;

/** From when until when, in milliseconds of wall-clock time. */
export interface Times {
  readonly began_ms: number;
  readonly ended_ms: number;
}

/** Writes messages of OpenTelemetry's protocol as bytes, without an object for each (docs/rulings.md 186). */
export class OtlpBytes {
  readonly #ids: RandomIds;
  #buffer = Buffer.alloc(FIRST_BYTES);
  #view = viewOf(this.#buffer);
  #length = 0;
  /** Where the ids stand that the spans inside a call's own have from it. */
  #trace_at = 0;
  #parent_at = 0;

  constructor(ids: RandomIds) {
    this.#ids = ids;
  }

  /** What was written since the last time, as bytes of its own. */
  take(): Uint8Array {
    const taken = new Uint8Array(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  /** Begins a message inside the one that is written. Returns what `end` is told. */
  begin(tag: number): number {
    this.#makeRoom(HEAD_BYTES);
    this.#byte(tag);
    this.#length += LENGTH_BYTES;
    return this.#length;
  }

  end(began: number): void {
    const length = this.#length - began;
    for (let at = 0; at < LENGTH_BYTES; at += 1) {
      const more = at < LENGTH_BYTES - 1 ? 0x80 : 0;
      this.#buffer[began - LENGTH_BYTES + at] = ((length >>> (7 * at)) & 0x7f) | more;
    }
  }

  /** Begins a call's own span. `trace_id`: in hexadecimal digits; null: a new one. */
  beginCall(tag: number, trace_id: string | null, times: Times): number {
    const began = this.begin(tag);
    this.#trace_at = this.#id(TRACE_ID, trace_id, TRACE_ID_BYTES);
    this.#parent_at = this.#id(SPAN_ID, null, ID_BYTES);
    this.#times(times);
    return began;
  }

  /** Begins a span inside the call's that was begun last. `span_id`: as above. */
  beginInside(tag: number, span_id: string | null, times: Times): number {
    const began = this.begin(tag);
    this.#again(TRACE_ID, this.#trace_at, TRACE_ID_BYTES);
    this.#id(SPAN_ID, span_id, ID_BYTES);
    this.#again(PARENT, this.#parent_at, ID_BYTES);
    this.#times(times);
    return began;
  }

  /** The id of a caller's span, in hexadecimal digits. */
  parent(span_id: string): void {
    this.#makeRoom(HEAD_BYTES);
    this.#id(PARENT, span_id, ID_BYTES);
  }

  text(tag: number, text: string): void {
    this.put(encoded(tag, text));
  }

  /** A whole number of at least 0 and below 2 to the 53rd. */
  number(tag: number, value: number): void {
    this.#makeRoom(HEAD_BYTES);
    this.#byte(tag);
    this.#varint(value);
  }

  double(tag: number, value: number): void {
    this.#makeRoom(HEAD_BYTES);
    this.#byte(tag);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** A whole number of at least 0 in eight bytes. */
  fixed(tag: number, value: number): void {
    this.#makeRoom(HEAD_BYTES);
    this.#byte(tag);
    this.#view.setBigUint64(this.#length, BigInt(value), true);
    this.#length += 8;
  }

  /** A time, in nanoseconds. */
  time(tag: number, ms: number): void {
    this.#makeRoom(HEAD_BYTES);
    this.#time(tag, ms);
  }

  /** `tag`: of the attributes in the message that they are in. */
  attribute(tag: number, key: string, value: string | number | boolean): void {
    this.put(encodedAttribute(tag, key, value));
  }

  /** An attribute whose text is another one each time: at most 100 letters and digits. */
  id({ tag, name }: AttributeName, value: string): void {
    this.#makeRoom(name.length + value.length + HEAD_BYTES);
    this.#byte(tag);
    this.#varint(name.length + value.length + 4);
    this.put(name);
    for (const byte of [VALUE, value.length + 2, STRING, value.length]) this.#byte(byte);
    for (let at = 0; at < value.length; at += 1) this.#byte(value.charCodeAt(at));
  }

  /** An attribute whose value is a whole number of at least 0. */
  int({ tag, name }: AttributeName, value: number): void {
    const size = varintLength(value) + 1;
    this.#makeRoom(name.length + HEAD_BYTES);
    this.#byte(tag);
    this.#varint(name.length + 2 + size);
    this.put(name);
    this.#byte(VALUE);
    this.#byte(size);
    this.#byte(INT);
    this.#varint(value);
  }

  put(bytes: Uint8Array): void {
    const { length } = bytes;
    this.#makeRoom(length);
    // Calling the runtime costs more than copying so few.
    if (length > FEW_BYTES) this.#buffer.set(bytes, this.#length);
    else for (let at = 0; at < length; at += 1) this.#buffer[this.#length + at] = bytes[at] as number;
    this.#length += length;
  }

  #byte(value: number): void {
    this.#buffer[this.#length] = value;
    this.#length += 1;
  }

  #varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.#byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.#byte(rest);
  }

  /** Returns where it stands. */
  #id(tag: number, digits: string | null, bytes: number): number {
    const at = this.#length + 2;
    this.#buffer[at - 2] = tag;
    this.#buffer[at - 1] = bytes;
    this.#length = at + bytes;
    if (digits === null) this.#ids.write(this.#buffer, at, bytes);
    else this.#hex(at, digits);
    return at;
  }

  /** Digit by digit: the runtime's own reader of hexadecimal digits costs more for so few. */
  #hex(at: number, digits: string): void {
    for (let digit = 0; digit < digits.length; digit += 2) {
      const high = NIBBLES[digits.charCodeAt(digit)] as number;
      this.#buffer[at + digit / 2] = (high << 4) | (NIBBLES[digits.charCodeAt(digit + 1)] as number);
    }
  }

  /** An id that stands here already. */
  #again(tag: number, from: number, bytes: number): void {
    const buffer = this.#buffer;
    const at = this.#length + 2;
    buffer[at - 2] = tag;
    buffer[at - 1] = bytes;
    for (let done = 0; done < bytes; done += 1) buffer[at + done] = buffer[from + done] as number;
    this.#length = at + bytes;
  }

  #times({ began_ms, ended_ms }: Times): void {
    this.#time(START, began_ms);
    this.#time(END, ended_ms);
  }

  /** Nanoseconds are more than a number holds exactly: they are written in two halves, of microseconds. */
  #time(tag: number, ms: number): void {
    const us = Math.round(ms * 1000);
    const low = (us % BASE) * 1000;
    this.#byte(tag);
    this.#view.setUint32(this.#length, low % BASE, true);
    this.#view.setUint32(this.#length + 4, Math.floor(us / BASE) * 1000 + Math.floor(low / BASE), true);
    this.#length += 8;
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.alloc(Math.max(2 * this.#buffer.length, this.#length + bytes));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
    this.#view = viewOf(larger);
  }
}

/** The values of hexadecimal digits, by their characters. */
const NIBBLES = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, "0123456789abcdef".indexOf(String.fromCharCode(code))),
);

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** The name of an attribute, written once for all that have it. */
export interface AttributeName {
  readonly tag: number;
  readonly name: Buffer;
}

export function attributeName(tag: number, key: string): AttributeName {
  return { tag, name: encoded(KEY, key) };
}

function encodedAttribute(tag: number, key: string, value: string | number | boolean): Buffer {
  return prefixed(tag, Buffer.concat([encoded(KEY, key), prefixed(VALUE, encodedValue(value))]));
}

function encodedValue(value: string | number | boolean): Buffer {
  if (typeof value === "string") return encoded(STRING, value);
  if (typeof value === "boolean") return Buffer.from([BOOL, value ? 1 : 0]);
  if (Number.isSafeInteger(value) && value >= 0) return Buffer.from([INT, ...varint(value)]);
  const bytes = Buffer.alloc(9, DOUBLE);
  bytes.writeDoubleLE(value, 1);
  return bytes;
}

/** A value of a text, as it stands in a message: a line's own words. */
export function textValue(tag: number, text: string): Buffer {
  return prefixed(tag, encoded(STRING, text));
}

export function encoded(tag: number, text: string): Buffer {
  return prefixed(tag, Buffer.from(text));
}

/** Bytes as a field: the tag, the length, and the bytes. */
export function prefixed(tag: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([tag, ...varint(bytes.length)]), bytes]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return [...bytes, rest];
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length += 1;
  return length;
}
