import { STATUS_CODES } from "node:http";
import type { SentBody, WholeBody } from "../../core/answer/exchange.ts";
import { CR, LF, ZERO } from "../../core/ascii.ts";
import { LENGTH_ROOM, writeLength } from "../grammar/write-length.ts";

/** More bytes than a chunk's size and its line break can take. */
const SIZE_ROOM = 12;
/** The most bytes that a UTF-16 unit becomes in UTF-8. */
const BYTES_PER_UNIT = 3;
/**
 * The buffer in which answers and chunks are written, one after the other. It is free again once the socket has taken
 * or copied the bytes. Pages that are never written to take no memory.
 */
const WORKBENCH = Buffer.allocUnsafeSlow(512 * 1024) as Latin1Buffer;

/** A method that Buffer has but its types lack. */
type Latin1Buffer = Buffer & { latin1Write(text: string, start: number): number };

/** Takes all bytes that it is given. Where `is_shared`, it copies those that cannot be sent at once. */
export interface AnswerByteSink {
  put(bytes: Uint8Array, start: number, length: number, is_shared: boolean): void;
}

const status_lines = new Map<number, string>();

export function statusLine(status: number): string {
  const known = status_lines.get(status);
  if (known !== undefined) return known;
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n`;
  status_lines.set(status, line);
  return line;
}

/** Writes an answer without a body; `head` lacks only the empty line. */
export function putHead(sink: AnswerByteSink, head: string): void {
  const length = writeLatin1(WORKBENCH, `${head}\r\n`, 0);
  sink.put(WORKBENCH, 0, length, true);
}

/**
 * Writes a whole answer; `head` lacks only the body's length. The answer to a HEAD request has the length but no body.
 */
export function putWhole(sink: AnswerByteSink, head: string, body: SentBody, is_head: boolean): void {
  const lines = `${head}content-length: `;
  const body_start = lines.length + LENGTH_ROOM;
  const most = mostBytes(body);
  if (body_start + most > WORKBENCH.length && hasBytes(body))
    return putApart(sink, `${lines}${lengthOf(body)}\r\n\r\n`, is_head ? [] : partsOf(body));
  const room = body_start + most <= WORKBENCH.length ? 0 : body_start + lengthOf(body);
  const fits = room <= WORKBENCH.length;
  const bytes = fits ? WORKBENCH : roomFor(room);
  const length = writeBody(bytes, body, body_start);
  // The head is written backwards from the body, as the body's length is known only once the body is written.
  const start = writeLength(bytes, body_start, length) - lines.length;
  writeLatin1(bytes, lines, start);
  sink.put(bytes, start, body_start - start + (is_head ? 0 : length), fits);
}

/**
 * Head and parts one after the other: copying large ones behind the head would keep all other requests waiting. Nobody writes to the bytes any
 * more.
 */
function putApart(sink: AnswerByteSink, head: string, parts: readonly WholeBody[]): void {
  let end = writeLatin1(WORKBENCH, head, 0);
  for (const part of parts) {
    if (typeof part === "string" && end + part.length * BYTES_PER_UNIT <= WORKBENCH.length) {
      end += WORKBENCH.write(part, end);
      continue;
    }
    if (end > 0) sink.put(WORKBENCH, 0, end, true);
    end = 0;
    const bytes = typeof part === "string" ? Buffer.from(part) : part;
    sink.put(bytes, 0, bytes.byteLength, false);
  }
  if (end > 0) sink.put(WORKBENCH, 0, end, true);
}

function hasBytes(body: SentBody): boolean {
  return partsOf(body).some((part) => typeof part !== "string");
}

function partsOf(body: SentBody): readonly WholeBody[] {
  return typeof body === "string" || body instanceof Uint8Array ? [body] : body;
}

/**
 * Writes a piece of a streamed answer: the first piece after the head, the last piece with the end. Without `chunks`
 * the pieces are sent unframed, for a client that does not know chunks.
 */
export function putPiece(
  sink: AnswerByteSink,
  head: string | null,
  piece: Uint8Array,
  { is_last, chunks }: { readonly is_last: boolean; readonly chunks: boolean },
): void {
  const head_length = head === null ? 0 : head.length + 2;
  const room = head_length + SIZE_ROOM + piece.byteLength + END.length + 2;
  const fits = room <= WORKBENCH.length;
  const bytes = fits ? WORKBENCH : roomFor(room);
  const piece_start = head_length + SIZE_ROOM;
  let start = piece_start;
  let end = piece_start + piece.byteLength;
  if (piece.byteLength > 0) {
    bytes.set(piece, piece_start);
    if (chunks) {
      start = writeSize(bytes, piece_start, piece.byteLength);
      bytes[end++] = CR;
      bytes[end++] = LF;
    }
  }
  if (is_last && chunks) end += writeLatin1(bytes, END, end);
  if (head !== null) {
    start -= head_length;
    writeLatin1(bytes, `${head}\r\n`, start);
  }
  if (end > start) sink.put(bytes, start, end - start, fits);
}

const END = "0\r\n\r\n";

function roomFor(size: number): Latin1Buffer {
  return Buffer.allocUnsafeSlow(size) as Latin1Buffer;
}

/** Writes latin1. `write` with the encoding "latin1" looks up the name each time and takes twice as long for ropes. */
function writeLatin1(bytes: Latin1Buffer, text: string, start: number): number {
  return bytes.latin1Write(text, start);
}

/** An upper bound of the body's bytes. */
function mostBytes(body: SentBody): number {
  if (typeof body === "string") return body.length * BYTES_PER_UNIT;
  if (body instanceof Uint8Array) return body.byteLength;
  let bytes = 0;
  for (const part of body) bytes += mostBytes(part);
  return bytes;
}

function lengthOf(body: SentBody): number {
  if (typeof body === "string" || body instanceof Uint8Array) return Buffer.byteLength(body);
  return body.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

function writeBody(bytes: Buffer, body: SentBody, start: number): number {
  if (typeof body === "string") return bytes.write(body, start);
  if (body instanceof Uint8Array) {
    bytes.set(body, start);
    return body.byteLength;
  }
  let end = start;
  for (const part of body) end += writeBody(bytes, part, end);
  return end - start;
}

/** Writes a chunk's size and its line break right before `end`. Returns where the size begins. */
function writeSize(bytes: Uint8Array, end: number, size: number): number {
  let at = end;
  bytes[--at] = LF;
  bytes[--at] = CR;
  for (let left = size; left > 0; left = Math.floor(left / 16)) {
    const digit = left % 16;
    bytes[--at] = digit < 10 ? ZERO + digit : 87 + digit;
  }
  return at;
}
