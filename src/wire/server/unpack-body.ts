import type { Transform } from "node:stream";
import zlib from "node:zlib";
import { GatewayError } from "../../core/errors.ts";
import type { BodyShare } from "./body-room.ts";
import type { ContentCoding } from "./content-coding.ts";
import { bodyTooLarge } from "./request-body.ts";

const FRAME = 0xfd2fb528;
/** The lowest of the 16 magic numbers of skippable frames. */
const SKIPPABLE = 0x184d2a50;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
const RLE_BLOCK = 1;
const RESERVED_BLOCK = 3;

/**
 * The fault in the bounds of the frames of zstd data (RFC 8878, 3.1), or null. The runtime's decoder accepts cut
 * data silently, and stops at anything that follows a frame.
 */
function zstdFault(data: Buffer): string | null {
  let at = 0;
  do {
    if (data.length - at < 8) return at === 0 || isMagic(data, at) ? TOO_EARLY : TRAILING;
    const magic = data.readUInt32LE(at);
    if (magic === FRAME) at = frameEnd(data, at + 4);
    else if (isSkippable(magic)) at += 8 + data.readUInt32LE(at + 4);
    else return at === 0 ? "it does not begin like a frame" : TRAILING;
  } while (at < data.length);
  return at === data.length ? null : TOO_EARLY;
}

const TOO_EARLY = "it ends too early";
const TRAILING = "other data follow its end";

function isMagic(data: Buffer, at: number): boolean {
  if (data.length - at < 4) return false;
  const magic = data.readUInt32LE(at);
  return magic === FRAME || isSkippable(magic);
}

function isSkippable(magic: number): boolean {
  return magic - SKIPPABLE >= 0 && magic - SKIPPABLE < 16;
}

/** The end of the frame whose header begins at `start`; beyond the data where the frame is cut. */
function frameEnd(data: Buffer, start: number): number {
  const descriptor = data[start] ?? 0;
  const is_single_segment = (descriptor & 0x20) !== 0;
  const size_flag = descriptor >> 6;
  const window_bytes = is_single_segment ? 0 : 1;
  const size_bytes = size_flag === 0 && is_single_segment ? 1 : (CONTENT_SIZE_BYTES[size_flag] ?? 0);
  let at = start + 1 + window_bytes + (DICTIONARY_ID_BYTES[descriptor & 3] ?? 0) + size_bytes;
  for (let is_last = false; !is_last; ) {
    if (at + 3 > data.length) return Number.POSITIVE_INFINITY;
    const header = data.readUIntLE(at, 3);
    const type = (header >> 1) & 3;
    // The decoder reports such a block itself.
    if (type === RESERVED_BLOCK) return data.length;
    is_last = (header & 1) === 1;
    at += 3 + (type === RLE_BLOCK ? 1 : header >> 3);
  }
  const has_checksum = (descriptor & 0x04) !== 0;
  return at + (has_checksum ? 4 : 0);
}

/**
 * How many bodies are unpacked at a time: each may need the memory of the largest allowed body and a core's time,
 * however little its client sent.
 */
const MOST_AT_A_TIME = 4;
const PIECE_BYTES = 64 * 1024;
/** The largest window that data compressed for HTTP may need (RFC 9659): 8 MiB. */
const ZSTD_WINDOW_LOG = 23;

type Engine = Transform & { readonly bytesWritten: number };

const ENGINES: Readonly<Record<ContentCoding, (data: Buffer) => Engine>> = {
  gzip: () => zlib.createGunzip({ chunkSize: PIECE_BYTES }),
  deflate: (data) =>
    isZlib(data) ? zlib.createInflate({ chunkSize: PIECE_BYTES }) : zlib.createInflateRaw({ chunkSize: PIECE_BYTES }),
  br: () => zlib.createBrotliDecompress({ chunkSize: PIECE_BYTES }),
  zstd: () => zlib.createZstdDecompress({ chunkSize: PIECE_BYTES, params: ZSTD_PARAMS }),
};
const ZSTD_PARAMS = { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG };

/** The bounds of one body: the size limit of its route, and its share of the room for unfinished bodies. */
export interface UnpackBounds {
  readonly limit_bytes: number;
  readonly share: Pick<BodyShare, "take">;
}

let running = 0;
const waiting: (() => void)[] = [];

/**
 * A decompressed body, unpacked outside the serving thread. Rejects with `request_too_large` as soon as the result
 * exceeds the limit, with NoBodyRoom as soon as there is no room for it, and with `invalid_json` for data that are broken,
 * cut, or followed by other data. The caller gives the share back.
 */
export async function unpackBody(data: Buffer, coding: ContentCoding, bounds: UnpackBounds): Promise<Buffer> {
  if (running >= MOST_AT_A_TIME) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    const fault = coding === "zstd" ? zstdFault(data) : null;
    if (fault !== null) throw unreadable(coding, fault);
    const engine = ENGINES[coding](data);
    const unpacked = await outputOf(engine, data, coding, bounds);
    if (engine.bytesWritten < data.length) throw unreadable(coding, "other data follow its end");
    return unpacked;
  } catch (thrown) {
    throw asRefusal(thrown, coding);
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

/** All that an engine makes of the data. It is stopped as soon as that exceeds a bound. */
function outputOf(
  engine: Engine,
  data: Buffer,
  coding: ContentCoding,
  { limit_bytes, share }: UnpackBounds,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const stop = (why: GatewayError): void => {
      engine.destroy();
      reject(why);
    };
    engine.on("data", (piece: Buffer) => {
      bytes += piece.byteLength;
      if (bytes > limit_bytes) return stop(bodyTooLarge(limit_bytes, `more once its ${coding} is unpacked`));
      const refusal = share.take(piece.byteLength);
      if (refusal === null) pieces.push(piece);
      else stop(refusal);
    });
    engine.on("error", reject);
    engine.on("end", () => resolve(Buffer.concat(pieces, bytes)));
    engine.end(data);
  });
}

/** Some clients send `deflate` with zlib's wrapping, as the standard says, and some without (RFC 1950, 2.2). */
function isZlib(data: Buffer): boolean {
  const [method = 0, flags = 0] = data;
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
}

function asRefusal(thrown: unknown, coding: ContentCoding): unknown {
  if (thrown instanceof GatewayError || !(thrown instanceof Error)) return thrown;
  const code = "code" in thrown ? thrown.code : null;
  return unreadable(coding, code === "Z_BUF_ERROR" ? "it ends too early" : "it is broken", thrown);
}

function unreadable(coding: ContentCoding, why: string, cause?: Error): GatewayError {
  return new GatewayError("invalid_json", `The body cannot be unpacked as ${coding}: ${why}.`, { cause });
}
