/** The parts of OpenTelemetry's messages that are written here, as tags of protobuf: a field's number and its wire type. */
const TRACE_ID = 0x0a;
const SPAN_ID = 0x12;
const STATE = 0x1a;
const PARENT = 0x22;
const NAME = 0x2a;
const KIND = 0x30;
const START = 0x39;
const END = 0x41;
const ATTRIBUTE = 0x4a;
const STATUS = 0x7a;
const ERROR = [STATUS, 0x02, 0x18, 0x02] as const;
const KEY = 0x0a;
const VALUE = 0x12;
const STRING = 0x0a;
const BOOL = 0x10;
const INT = 0x18;
const FIRST_BYTES = 64 * 1024;
/** What a span takes at most beside its texts. */
const SPAN_BYTES = 2048;
/** A message's length is written once it is known: in as many bytes as it may ever take. */
const LENGTH_BYTES = 4;
const MOST_CACHED = 500;
const FEW_BYTES = 48;
const BASE = 2 ** 32;

export interface SpanFacts {
  readonly name: string;
  readonly kind: number;
  /** In hexadecimal digits, like the others. */
  readonly id: string;
  readonly parent_id: string | null;
  readonly trace_id: string;
  readonly state: string | null;
  /** Wall-clock time. */
  readonly began_ms: number;
  readonly ended_ms: number;
  readonly is_error: boolean;
}

/**
 * Writes messages of OpenTelemetry's protocol as bytes. OpenTelemetry's own writer makes the same of objects, and costs a call half of what
 * the rest of it costs (proofs/bench, lane `outside`).
 */
export class SpanBytes {
  #buffer = Buffer.alloc(FIRST_BYTES);
  #view = viewOf(this.#buffer);
  #length = 0;
  readonly #keys = new Map<string, Buffer>();
  readonly #texts = new Map<string, Map<string, Buffer>>();
  readonly #names = new Map<string, Buffer>();

  /** What was written since the last time, as bytes of its own. */
  take(): Uint8Array {
    const taken = new Uint8Array(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  /** Begins a message inside the one that is written. Returns what `end` is told. */
  begin(tag: number): number {
    this.#makeRoom(SPAN_BYTES);
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

  /** The span's own fields; its attributes follow. */
  span({ name, kind, id, parent_id, trace_id, state, began_ms, ended_ms, is_error }: SpanFacts): void {
    this.#makeRoom(SPAN_BYTES);
    this.#hex(TRACE_ID, trace_id);
    this.#hex(SPAN_ID, id);
    if (state !== null) this.#put(encoded(STATE, state));
    if (parent_id !== null) this.#hex(PARENT, parent_id);
    this.#put(cached(this.#names, name, () => encoded(NAME, name)));
    this.#byte(KIND);
    // OpenTelemetry's packages count kinds from 0, its protocol from 1.
    this.#byte(kind + 1);
    this.#time(START, began_ms);
    this.#time(END, ended_ms);
    if (is_error) for (const byte of ERROR) this.#byte(byte);
  }

  /** A text of which there are few: names of the catalogue, codes. */
  text(key: string, value: string): void {
    let texts = this.#texts.get(key);
    if (texts === undefined) {
      texts = new Map();
      this.#texts.set(key, texts);
    }
    this.#put(cached(texts, value, () => attribute(key, encoded(STRING, value))));
  }

  /** An id, which is another one each time: at most 100 letters and digits. */
  id(key: string, value: string): void {
    const prefix = cached(this.#keys, key, () => encoded(KEY, key));
    this.#makeRoom(prefix.length + value.length + 32);
    this.#byte(ATTRIBUTE);
    this.#varint(prefix.length + value.length + 4);
    this.#put(prefix);
    for (const byte of [VALUE, value.length + 2, STRING, value.length]) this.#byte(byte);
    for (let at = 0; at < value.length; at += 1) this.#byte(value.charCodeAt(at));
  }

  /** A whole number of at least 0. */
  int(key: string, value: number): void {
    const prefix = cached(this.#keys, key, () => encoded(KEY, key));
    const size = varintLength(value) + 1;
    this.#makeRoom(prefix.length + 32);
    this.#byte(ATTRIBUTE);
    this.#varint(prefix.length + 2 + size);
    this.#put(prefix);
    this.#byte(VALUE);
    this.#byte(size);
    this.#byte(INT);
    this.#varint(value);
  }

  isTrue(key: string): void {
    this.#put(attribute(key, Buffer.from([BOOL, 1])));
  }

  put(bytes: Uint8Array): void {
    this.#put(bytes);
  }

  #put(bytes: Uint8Array): void {
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

  /** Digit by digit: the runtime's own reader of hexadecimal digits costs more for so few. */
  #hex(tag: number, digits: string): void {
    const buffer = this.#buffer;
    buffer[this.#length] = tag;
    buffer[this.#length + 1] = digits.length / 2;
    let at = this.#length + 2;
    for (let digit = 0; digit < digits.length; digit += 2) {
      const high = NIBBLES[digits.charCodeAt(digit)] as number;
      buffer[at] = (high << 4) | (NIBBLES[digits.charCodeAt(digit + 1)] as number);
      at += 1;
    }
    this.#length = at;
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

/** An attribute whose value is written already. */
export function attribute(key: string, value: Uint8Array): Buffer {
  const pair = Buffer.concat([encoded(KEY, key), prefixed(VALUE, value)]);
  return prefixed(ATTRIBUTE, pair);
}

export function encoded(tag: number, text: string): Buffer {
  return prefixed(tag, Buffer.from(text));
}

/** Bytes as a field: its tag, their length, and they. */
export function prefixed(tag: number, bytes: Uint8Array): Buffer {
  const length: number[] = [];
  let rest = bytes.length;
  for (; rest >= 0x80; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([tag, ...length, rest]), bytes]);
}

/** The bytes that a text was written as before; else they are made. */
export function cached(known: Map<string, Buffer>, text: string, make: () => Buffer): Buffer {
  const found = known.get(text);
  if (found !== undefined) return found;
  if (known.size >= MOST_CACHED) known.clear();
  const made = make();
  known.set(text, made);
  return made;
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length += 1;
  return length;
}
