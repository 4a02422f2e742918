/**
 * The simulator's tokens: one per four UTF-8 bytes, rounded up. Simple on purpose, so that a test can compute what a
 * request must cost without a tokenizer.
 *
 * - Output: the text, the reasoning and each tool call (name and arguments) are counted apart and summed.
 * - Input: every text that the model would read (instructions, messages, tool results, tool declarations as JSON) joined
 *   and counted once, plus IMAGE_TOKENS for each image; at least 1.
 */
export const BYTES_PER_TOKEN = 4;

/** What one image counts as input, whatever its size. */
export const IMAGE_TOKENS = 64;

/** Tokens of a text of so many bytes. */
export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Tokens of a text. */
export function countTokens(text: string): number {
  return tokensOfBytes(Buffer.byteLength(text));
}

/** Tokens of pieces that make up one text: counted together, not piece by piece. */
export function countPieces(pieces: readonly string[]): number {
  let bytes = 0;
  for (const piece of pieces) bytes += Buffer.byteLength(piece);
  return tokensOfBytes(bytes);
}
