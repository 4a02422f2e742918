import zlib from "node:zlib";
import { GatewayError } from "../../core/errors.ts";
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

/** The result with `info: true`: the bytes, and how many bytes of the input they were made from. */
interface Unpacked {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

type Decoder = (data: Buffer, most_bytes: number) => Promise<Unpacked>;

const DECODERS: Readonly<Record<ContentCoding, Decoder>> = {
  gzip: decoder(zlib.gunzip),
  deflate: (data, most_bytes) => (isZlib(data) ? inflate : inflateRaw)(data, most_bytes),
  br: decoder(zlib.brotliDecompress),
  zstd: decoder(zlib.zstdDecompress, { params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }),
};
const inflate = decoder(zlib.inflate);
const inflateRaw = decoder(zlib.inflateRaw);

let running = 0;
const waiting: (() => void)[] = [];

/**
 * A decompressed body, unpacked outside the serving thread. Rejects with `request_too_large` as soon as the result
 * exceeds the limit, and with `invalid_json` for data that are broken, cut, or followed by other data.
 */
export async function unpackBody(data: Buffer, coding: ContentCoding, limit_bytes: number): Promise<Buffer> {
  if (running >= MOST_AT_A_TIME) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    const fault = coding === "zstd" ? zstdFault(data) : null;
    if (fault !== null) throw unreadable(coding, fault);
    const { buffer, engine } = await DECODERS[coding](data, limit_bytes);
    if (engine.bytesWritten < data.length) throw unreadable(coding, "other data follow its end");
    return buffer;
  } catch (thrown) {
    throw asRefusal(thrown, coding, limit_bytes);
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

type Options = zlib.ZlibOptions & zlib.ZstdOptions;
type Decode = (data: Buffer, options: Options, callback: (error: Error | null, result: Buffer) => void) => void;

/** A decoder of the runtime: it collects its output piece by piece, and gives up at the limit. */
function decoder(decode: Decode, options: Options = {}): Decoder {
  return (data, maxOutputLength) =>
    new Promise((resolve, reject) => {
      decode(data, { ...options, maxOutputLength, chunkSize: PIECE_BYTES, info: true }, (error, result: unknown) =>
        error === null ? resolve(result as Unpacked) : reject(error),
      );
    });
}

/** Some clients send `deflate` with zlib's wrapping, as the standard says, and some without (RFC 1950, 2.2). */
function isZlib(data: Buffer): boolean {
  const [method = 0, flags = 0] = data;
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
}

function asRefusal(thrown: unknown, coding: ContentCoding, limit_bytes: number): unknown {
  if (thrown instanceof GatewayError || !(thrown instanceof Error)) return thrown;
  const code = "code" in thrown ? thrown.code : null;
  if (code === "ERR_BUFFER_TOO_LARGE") return bodyTooLarge(limit_bytes, `more once its ${coding} is unpacked`);
  return unreadable(coding, code === "Z_BUF_ERROR" ? "it ends too early" : "it is broken", thrown);
}

function unreadable(coding: ContentCoding, why: string, cause?: Error): GatewayError {
  return new GatewayError("invalid_json", `The body cannot be unpacked as ${coding}: ${why}.`, { cause });
}
