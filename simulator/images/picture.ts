import { crc32, deflateSync } from "node:zlib";

/** A request for images in a form common to all vendors. */
export interface AskedPictures {
  readonly text: string;
  readonly width: number;
  readonly height: number;
  readonly quality: Quality;
  readonly count: number;
  /** How often each is shown on its way. */
  readonly partial_images: number;
  /** The bytes of the images that are edited, by how long each is; absent where there are none. */
  readonly edits?: readonly number[];
}

export const QUALITIES = ["low", "medium", "high"] as const;
export type Quality = (typeof QUALITIES)[number];

/** Tokens of an image of 1,024 × 1,024. */
const SQUARE_TOKENS: Readonly<Record<Quality, number>> = { low: 272, medium: 1056, high: 4160 };
const SQUARE_PIXELS = 1024 * 1024;
const PARTIAL_TOKENS = 100;
/** Tokens of an image that is edited. */
export const EDITED_TOKENS = 64;

export function pictureTokens({ width, height, quality, count, partial_images }: AskedPictures): number {
  const each = Math.ceil((SQUARE_TOKENS[quality] * width * height) / SQUARE_PIXELS);
  return count * (each + partial_images * PARTIAL_TOKENS);
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const BIT_DEPTH = 2;
const PALETTE_TYPE = 3;
const [SKY, SUN, SEA, WAVE] = [0, 1, 2, 3];

/**
 * A picture as a PNG file: a sun over a sea, in colours and at places that are the text's own. `share`: how much of the sea is there, from 0
 * to 1, as a picture on its way has less. `more_bytes` make the file larger, in a chunk that readers pass over.
 */
export function pictureOf({ text, width, height }: AskedPictures, nth: number, share = 1, more_bytes = 0): Buffer {
  const seed = Number(Bun.hash.xxHash32(`${nth} ${text.trim().toLowerCase()}`));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([BIT_DEPTH, PALETTE_TYPE, 0, 0, 0], 8);
  const padding = more_bytes === 0 ? [] : [chunk("paDd", Buffer.alloc(more_bytes, seed & 0xff))];
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", paletteOf(seed)),
    ...padding,
    chunk("IDAT", deflateSync(rowsOf(seed, { width, height, share }))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function paletteOf(seed: number): Buffer {
  const tint = (shift: number, least: number) => least + ((seed >>> shift) % (250 - least));
  return Buffer.from([
    ...[tint(0, 120), tint(3, 120), 240],
    ...[250, tint(6, 180), tint(9, 60)],
    ...[tint(12, 10) >> 2, tint(15, 60) >> 1, tint(18, 100)],
    ...[tint(1, 100), tint(4, 160), 230],
  ]);
}

function rowsOf(seed: number, { width, height, share }: { width: number; height: number; share: number }): Buffer {
  const row_bytes = Math.ceil((width * BIT_DEPTH) / 8) + 1;
  const rows = Buffer.alloc(row_bytes * height);
  const horizon = height * 0.6;
  const radius = Math.min(width, height) * 0.15;
  const sun_x = width * (0.2 + (seed % 60) / 100);
  const sun_y = height * (0.2 + ((seed >>> 8) % 25) / 100);
  const wave = 12 + ((seed >>> 16) % 12);
  const swell = Int8Array.from({ length: width }, (_, x) => Math.round(4 * Math.sin(x / wave)));
  for (let y = 0; y < height; y += 1) {
    const is_sea = y > horizon && (y - horizon) / (height - horizon) <= share;
    const sun_square = radius ** 2 - (y - sun_y) ** 2;
    if (!is_sea && sun_square <= 0) continue;
    for (let x = 0; x < width; x += 1) {
      const above = (x - sun_x) ** 2 < sun_square ? SUN : SKY;
      const colour = is_sea ? ((y + (swell[x] ?? 0)) % wave < 3 ? WAVE : SEA) : above;
      const at = y * row_bytes + 1 + (x >> 2);
      rows[at] = (rows[at] ?? 0) | (colour << (6 - 2 * (x & 3)));
    }
  }
  return rows;
}

function chunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(12 + data.length);
  framed.writeUInt32BE(data.length, 0);
  framed.write(type, 4, "latin1");
  data.copy(framed, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, 8 + data.length)), 8 + data.length);
  return framed;
}
