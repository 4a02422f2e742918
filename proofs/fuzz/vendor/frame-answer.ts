import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import type { Draw } from "../../torture/draw.ts";
import { headOf, inChunks } from "./http-parts.ts";
import type { Payload } from "./recorded-answers.ts";

export interface Piece {
  readonly bytes: Buffer;
  /** How long the vendor waits before it writes the piece. */
  readonly pause_ms: number;
}

/** An answer as bytes on a connection. */
export interface Framed {
  readonly pieces: readonly Piece[];
  /** What becomes of the connection: kept, closed in order, reset, or left open in silence. */
  readonly ending: "keep" | "close" | "reset" | "stall";
}

const CODINGS: readonly [name: string, encode: (bytes: Buffer) => Buffer][] = [
  ["gzip", (bytes) => gzipSync(bytes)],
  ["deflate", (bytes) => deflateSync(bytes)],
  ["deflate", (bytes) => deflateRawSync(bytes)],
  ["br", (bytes) => brotliCompressSync(bytes)],
  ["identity", (bytes) => bytes],
];
const REASONS = ["OK", "", "Très bien"];
const RETRY_AFTER = ["1", "0", "-1", "1e9", "99999999999999999999", "soon", "Wed, 21 Oct 2065 07:28:00 GMT", ""];

/** A body as HTTP has it: with its length, in chunks, or up to the connection's end; sometimes compressed, after interim answers. */
export function frameSoundly(payload: Payload, status: number, draw: Draw): Framed {
  const headers = [`content-type: ${payload.content_type}`, "server: wild"];
  let { body } = payload;
  if (draw.chance(0.08)) {
    const [name, encode] = draw.one(CODINGS);
    body = encode(body);
    headers.push(`content-encoding: ${name}`);
  }
  if (status >= 400 && draw.chance(0.4)) headers.push(`retry-after: ${draw.one(RETRY_AFTER)}`);
  const interim = draw.chance(0.04) ? "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n" : "";
  const first = `${interim}HTTP/1.1 ${status} ${draw.one(REASONS)}`;
  const way = draw.whole(0, 5);
  if (way === 0) return cutUp(Buffer.concat([headOf(first, ...headers, "connection: close"), body]), "close", draw);
  if (way <= 3)
    return cutUp(Buffer.concat([headOf(first, ...headers, `content-length: ${body.length}`), body]), "keep", draw);
  return cutUp(
    Buffer.concat([headOf(first, ...headers, "transfer-encoding: chunked"), inChunks(body, draw)]),
    "keep",
    draw,
  );
}

/** The bytes in one piece, or in some with pauses between them. */
export function cutUp(bytes: Buffer, ending: Framed["ending"], draw: Draw): Framed {
  const count = draw.weighted([
    { weight: 6, count: 1 },
    { weight: 3, count: 3 },
    { weight: 1, count: 12 },
  ]).count;
  const places = Array.from({ length: count - 1 }, () => draw.whole(0, bytes.length)).sort((one, other) => one - other);
  const pieces = [0, ...places].map(
    (from, at): Piece => ({
      bytes: bytes.subarray(from, places[at] ?? bytes.length),
      pause_ms: at === 0 ? 0 : draw.one([0, 0, 1, 15]),
    }),
  );
  return { pieces, ending };
}
