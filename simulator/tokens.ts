/**
 * The simulator's tokens: one per four UTF-8 bytes, rounded up. The rule is simple, so that a test can compute a
 * request's cost without a tokenizer.
 * - Output: the text, the reasoning and each tool call (name and arguments) are counted apart and summed.
 * - Input: every text that the model would read (instructions, messages, tool results, tool declarations as JSON),
 *   joined and counted once, plus IMAGE_TOKENS for each image; at least 1.
 */
export const BYTES_PER_TOKEN = 4;

/** The input tokens of one image, whatever its size. */
export const IMAGE_TOKENS = 64;

/** The tokens of a text of this many bytes. */
export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

export function countTokens(text: string): number {
  return tokensOfBytes(Buffer.byteLength(text));
}

/** Tokens of pieces that make up one text: counted together, not piece by piece. */
export function countPieces(pieces: readonly string[]): number {
  let bytes = 0;
  for (const piece of pieces) bytes += Buffer.byteLength(piece);
  return tokensOfBytes(bytes);
}
