/** A request for embeddings in a form common to all vendors. */
export interface AskedEmbedding {
  /** Each text, or the tokens of it. */
  readonly inputs: readonly (string | readonly number[])[];
  readonly dimensions: number;
  /** Whether vectors are asked for as base64. */
  readonly base64: boolean;
}

/** The length of a vector where none is asked for, and the longest. */
export const USUAL_DIMENSIONS = 64;
export const MOST_DIMENSIONS = 3072;

/**
 * The vector of an input: each word points into a direction of its own, so that texts that share words are alike, and equal texts equal. Of
 * length 1, as real vendors' are; the same in every run.
 */
export function vectorOf(input: string | readonly number[], dimensions: number): number[] {
  const words =
    typeof input === "string" ? (input.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [input]) : input.map(String);
  const sums = new Array<number>(dimensions).fill(0);
  for (const word of words) {
    let state = Number(Bun.hash.xxHash32(word)) || 1;
    for (let at = 0; at < dimensions; at += 1) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      sums[at] = (sums[at] ?? 0) + (state >>> 0) / 2 ** 31 - 1;
    }
  }
  const length = Math.hypot(...sums) || 1;
  return sums.map((value) => Math.fround(value / length));
}
