import type { Draw } from "../../torture/draw.ts";

/** Changes of bytes, for inputs of any format. A dictionary holds the format's own words, one byte a character. */

export interface MutateOptions {
  readonly words: readonly string[];
  /** Another input of the same format, whose parts may be spliced in. */
  readonly other?: Buffer;
  readonly most_bytes?: number;
}

const MOST_BYTES = 24 * 1024;
/** Bytes at which formats change their state. */
const STRUCTURE = /[\r\n:;,{}[\]" ]/g;

/** The input with one to four changes. Never returns more than `most_bytes`. */
export function mutateBytes(input: Buffer, draw: Draw, options: MutateOptions): Buffer {
  let bytes = input;
  for (let steps = draw.whole(1, 4); steps > 0; steps -= 1) bytes = change(bytes, draw, options);
  return bytes.subarray(0, options.most_bytes ?? MOST_BYTES);
}

function change(bytes: Buffer, draw: Draw, { words, other }: MutateOptions): Buffer {
  const at = placeIn(bytes, draw);
  const length = Math.min(bytes.length - at, draw.chance(0.8) ? draw.whole(1, 12) : draw.whole(1, 400));
  const before = bytes.subarray(0, at);
  const after = bytes.subarray(at + length);
  switch (draw.whole(0, 8)) {
    case 0:
    case 1:
      return Buffer.concat([before, Buffer.from(draw.one(words), "latin1"), bytes.subarray(at)]);
    case 2:
      return Buffer.concat([before, Buffer.from(draw.one(words), "latin1"), after]);
    case 3:
      return Buffer.concat([before, after]);
    case 4:
      return flipped(bytes, at, draw);
    case 5:
      return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]);
    case 6:
      return before;
    case 7:
      return other === undefined ? before : Buffer.concat([before, other.subarray(placeIn(other, draw))]);
    default:
      return repeated(bytes, { at, length }, draw);
  }
}

function flipped(bytes: Buffer, at: number, draw: Draw): Buffer {
  if (bytes.length === 0) return Buffer.from([draw.whole(0, 255)]);
  const changed = Buffer.from(bytes);
  changed[at] = draw.chance(0.5) ? draw.whole(0, 255) : (changed[at] ?? 0) ^ (1 << draw.whole(0, 7));
  return changed;
}

function repeated(bytes: Buffer, part: { readonly at: number; readonly length: number }, draw: Draw): Buffer {
  const piece = bytes.subarray(part.at, part.at + part.length);
  const times = draw.chance(0.9) ? draw.whole(1, 8) : draw.whole(8, 600);
  return Buffer.concat([
    bytes.subarray(0, part.at),
    ...Array.from({ length: times }, () => piece),
    bytes.subarray(part.at),
  ]);
}

/** A place in the bytes: often right at a byte of the structure, where changes find more than inside a word. */
function placeIn(bytes: Buffer, draw: Draw): number {
  if (draw.chance(0.5)) return draw.whole(0, Math.max(0, bytes.length - 1));
  const window = draw.whole(0, Math.max(0, bytes.length - 200));
  const near = [...bytes.toString("latin1", window, window + 200).matchAll(STRUCTURE)].map(
    ({ index }) => window + index,
  );
  if (near.length === 0) return window;
  return Math.min(bytes.length, draw.one(near) + draw.whole(0, 1));
}
