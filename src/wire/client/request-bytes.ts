import { headerLine } from "../grammar/header-line.ts";
import { LENGTH_ROOM, writeLength } from "../grammar/write-length.ts";
import { BytePieces, type OutgoingBody, type OutgoingRequest } from "./outgoing-request.ts";
import type { UrlTarget } from "./target.ts";

/** The most bytes that a UTF-16 unit becomes in UTF-8. */
const BYTES_PER_UNIT = 3;
/**
 * The buffer in which requests are written, one after the other. It is free again once the socket has taken or copied
 * the bytes. Pages that are never written to take no memory.
 */
const WORKBENCH = Buffer.allocUnsafeSlow(512 * 1024);

/** Takes bytes: returns how many were taken, or a negative number when the sink is closed. */
export interface RequestByteSink {
  write(bytes: Uint8Array, start: number, length: number): number;
}

/**
 * A request as it is sent: a head that ends with the body's length, then the body. The client writes the length itself,
 * as the length delimits the body.
 */
export class RequestBytes {
  readonly #head: Buffer;
  readonly #body: OutgoingBody;

  /** `head` ends right before the number of the body's length. */
  constructor(head: Buffer, body: OutgoingBody) {
    this.#head = head;
    this.#body = body;
  }

  /**
   * Writes the whole request. Returns the pieces that were not taken, null where none are left; false where the sink is
   * closed.
   */
  writeTo(sink: RequestByteSink): readonly Uint8Array[] | null | false {
    const head = this.#head;
    if (this.#body instanceof Uint8Array) return writeApart(sink, head, [this.#body]);
    if (this.#body instanceof BytePieces) return writeApart(sink, head, this.#body.pieces);
    const body_start = head.length + LENGTH_ROOM;
    const room = roomFor(body_start, this.#body);
    const fits = room <= WORKBENCH.length;
    const bytes = fits ? WORKBENCH : Buffer.allocUnsafeSlow(room);
    const end = writeBody(bytes, body_start, this.#body);
    // The head is written backwards from the body, as the body's length is known only once the body is written.
    const length_start = writeLength(bytes, body_start, end - body_start);
    const start = length_start - head.length;
    bytes.set(head, start);
    const taken = sink.write(bytes, start, end - start);
    if (taken < 0) return false;
    if (taken === end - start) return null;
    return [fits ? Buffer.from(bytes.subarray(start + taken, end)) : bytes.subarray(start + taken, end)];
  }
}

/** Writes the head, and then a body of bytes as it is: a large body is not copied. */
function writeApart(
  sink: RequestByteSink,
  head: Buffer,
  body: readonly Uint8Array[],
): readonly Uint8Array[] | null | false {
  const length = body.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const lines = Buffer.concat([head, Buffer.from(`${length}\r\n\r\n`)]);
  const taken = sink.write(lines, 0, lines.length);
  // Once a byte is on its way, the rest is reported as unsent, and the connection's end as such.
  return taken < 0 ? false : writePieces(sink, [lines, ...body], taken);
}

/** Goes on where the first piece was taken up to here. Returns what was not taken; null where all was. */
export function writePieces(
  sink: RequestByteSink,
  pieces: readonly Uint8Array[],
  taken: number,
): readonly Uint8Array[] | null {
  let went = taken;
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at] as Uint8Array;
    if (at > 0) went = sink.write(piece, 0, piece.byteLength);
    if (went < piece.byteLength) return [piece.subarray(Math.max(0, went)), ...pieces.slice(at + 1)];
  }
  return null;
}

/** The bytes that a body behind so many takes at the most; where that may be too much, those that it takes. */
function roomFor(start: number, body: string | readonly string[]): number {
  const most = start + lengthOf(body) * BYTES_PER_UNIT;
  if (most <= WORKBENCH.length) return most;
  if (typeof body === "string") return start + Buffer.byteLength(body);
  return body.reduce((sum, part) => sum + Buffer.byteLength(part), start);
}

/** The length in UTF-16 units. */
function lengthOf(body: string | readonly string[]): number {
  if (typeof body === "string") return body.length;
  let length = 0;
  for (const part of body) length += part.length;
  return length;
}

/** Returns where the body ends. */
function writeBody(bytes: Buffer, start: number, body: string | readonly string[]): number {
  if (typeof body === "string") return start + bytes.write(body, start);
  let at = start;
  for (const part of body) at += bytes.write(part, at);
  return at;
}

/**
 * The bytes of a request. `host` and `accept` are added where the caller gives none. Throws a TypeError for a header
 * that could be read as something else.
 */
export function requestBytes(target: UrlTarget, { headers, body }: OutgoingRequest): RequestBytes {
  return new RequestBytes(headFor(target, headers), body);
}

/** A request's head up to the number of the body's length. */
interface WrittenHead {
  readonly headers: object;
  readonly bytes: Buffer;
}

const last_heads = new WeakMap<UrlTarget, WrittenHead>();

/**
 * The head of a request. Requests to an endpoint mostly share one headers object, which is checked and written only
 * once.
 */
function headFor(target: UrlTarget, headers: OutgoingRequest["headers"]): Buffer {
  const last = last_heads.get(target);
  if (last?.headers === headers) return last.bytes;
  // A header's é is latin1, a body's is UTF-8.
  const bytes = Buffer.from(writeHead(target, headers), "latin1");
  last_heads.set(target, { headers, bytes });
  return bytes;
}

function writeHead(target: UrlTarget, headers: OutgoingRequest["headers"]): string {
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
