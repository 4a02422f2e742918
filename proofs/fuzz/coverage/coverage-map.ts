/**
 * Which edges of the instrumented code an input has passed, and how often, in the manner of AFL: an edge is two blocks
 * that ran one after the other, and its count falls into one of eight classes.
 */

const SIZE = 1 << 16;
const MASK = SIZE - 1;

const counts = new Uint8Array(SIZE);
/** The edges of the current input, so that clearing costs what the input has cost. */
const touched = new Uint32Array(SIZE);
let touched_count = 0;
let last_block = 0;

/** Called by the instrumented code at the beginning of a block. */
export function hit(block: number): void {
  const edge = (block ^ last_block) & MASK;
  const count = counts[edge] as number;
  if (count === 0) touched[touched_count++] = edge;
  if (count < 255) counts[edge] = count + 1;
  last_block = (block << 1) & MASK;
}

export function beginInput(): void {
  for (let at = 0; at < touched_count; at += 1) counts[touched[at] as number] = 0;
  touched_count = 0;
  last_block = 0;
}

/** The classes of counts: 1, 2, 3, 4 to 7, 8 to 15, 16 to 31, 32 to 127, more; each a bit. */
function classOf(count: number): number {
  if (count < 4) return 1 << (count - 1);
  if (count < 8) return 8;
  if (count < 16) return 16;
  if (count < 32) return 32;
  return count < 128 ? 64 : 128;
}

/** What inputs have reached so far. */
export class Reached {
  readonly #seen = new Uint8Array(SIZE);
  edges = 0;

  /** Whether the current input has reached an edge, or a class of counts, that none has reached before. Remembers it. */
  takeNew(): boolean {
    let is_new = false;
    for (let at = 0; at < touched_count; at += 1) {
      const edge = touched[at] as number;
      const bit = classOf(counts[edge] as number);
      const before = this.#seen[edge] as number;
      if ((before & bit) !== 0) continue;
      if (before === 0) this.edges += 1;
      this.#seen[edge] = before | bit;
      is_new = true;
    }
    return is_new;
  }
}
