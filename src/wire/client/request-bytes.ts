import { type OutgoingRequest, type RequestBody, textOfBody } from "./outgoing-request.ts";
import { headerLine } from "../grammar/header-line.ts";
import { LENGTH_ROOM, writeLength } from "../grammar/write-length.ts";
import type { Target } from "./target.ts";

/** A UTF-16 unit becomes so many bytes at most. */
const BYTES_PER_UNIT = 3;
/**
 * Requests are written here one after the other. It is free again as soon as a socket has looked at it. Only what was ever
 * written to takes memory.
 */
const WORKBENCH = Buffer.allocUnsafeSlow(512 * 1024);
/** What stands on it from the request before, in front of the length of its body: most have the same, in the same place. */
let standing_head: Buffer | null = null;
let standing_at = 0;

/** What takes bytes: says how many of them, or less than none when it is closed. */
export interface ByteTaker {
  write(bytes: Uint8Array, start: number, length: number): number;
}

/**
 * A request as it goes over a connection: a head, its last line with the body's length, which is ours to say and delimits it,
 * and the body.
 */
export class RequestBytes {
  readonly #head: Buffer;
  readonly #body: RequestBody;

  /** `head` up to the number that is the body's length. */
  constructor(head: Buffer, body: RequestBody) {
    this.#head = head;
    this.#body = body;
  }

  /** Hands out all of it. Returns what was not taken, null where nothing was left; false where the taker is closed. */
  writeTo(taker: ByteTaker): Uint8Array | null | false {
    const head = this.#head;
    const body_start = head.length + LENGTH_ROOM;
    const fits = body_start + lengthOf(this.#body) * BYTES_PER_UNIT <= WORKBENCH.length;
    const bytes = fits ? WORKBENCH : Buffer.allocUnsafeSlow(body_start + Buffer.byteLength(textOfBody(this.#body)));
    const end = writeBody(bytes, body_start, this.#body);
    // Backwards from the body, whose length was not known before it was written.
    const length_start = writeLength(bytes, body_start, end - body_start);
    const start = length_start - head.length;
    if (!fits || head !== standing_head || start !== standing_at) bytes.set(head, start);
    if (fits) {
      standing_head = head;
      standing_at = start;
    }
    const taken = taker.write(bytes, start, end - start);
    if (taken < 0) return false;
    if (taken === end - start) return null;
    return fits ? Buffer.from(bytes.subarray(start + taken, end)) : bytes.subarray(start + taken, end);
  }
}

/** In UTF-16 units. */
function lengthOf(body: RequestBody): number {
  if (typeof body === "string") return body.length;
  let length = 0;
  for (const part of body) length += part.length;
  return length;
}

/** Returns where it ends. */
function writeBody(bytes: Buffer, start: number, body: RequestBody): number {
  if (typeof body === "string") return start + bytes.write(body, start);
  let at = start;
  for (const part of body) at += bytes.write(part, at);
  return at;
}

/**
 * The bytes of a request. `host` and `accept` are added where the caller has none. Throws a TypeError for a header that
 * would be read as something else.
 */
export function requestBytes(target: Target, { headers, body }: OutgoingRequest): RequestBytes {
  return new RequestBytes(headFor(target, headers), body);
}

/** All of a request's head but the number that is its body's length. */
interface WrittenHead {
  readonly headers: object;
  readonly bytes: Buffer;
}

const last_heads = new WeakMap<Target, WrittenHead>();

/** Requests to an endpoint usually have the very same headers, which are then checked and written down only once. */
function headFor(target: Target, headers: OutgoingRequest["headers"]): Buffer {
  const last = last_heads.get(target);
  if (last?.headers === headers) return last.bytes;
  // A header's é is latin1, while a body's is UTF-8.
  const bytes = Buffer.from(writeHead(target, headers), "latin1");
  last_heads.set(target, { headers, bytes });
  return bytes;
}

function writeHead(target: Target, headers: OutgoingRequest["headers"]): string {
  let lines = "";
  let has_host = false;
  let has_accept = false;
  for (const name in headers) {
    const value = headers[name] as string;
    switch (name.toLowerCase()) {
      case "content-length":
      case "transfer-encoding":
        continue;
      case "host":
        has_host = true;
        break;
      case "accept":
        has_accept = true;
    }
    lines += headerLine(name, value.trim());
  }
  const host = has_host ? "" : `host: ${target.host}\r\n`;
  const accept = has_accept ? "" : "accept: */*\r\n";
  return `${target.request_line}\r\n${host}${accept}${lines}content-length: `;
}
