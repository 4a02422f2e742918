import type { Transform } from "node:stream";
import zlib from "node:zlib";
import { GatewayError } from "../../core/errors.ts";
import type { BodyShare } from "./body-room.ts";
import type { ContentCoding } from "./content-coding.ts";
import { bodyTooLarge } from "./request-body.ts";
import { zstdFault } from "./zstd-frames.ts";

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
