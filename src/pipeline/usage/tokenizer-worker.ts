/** Runs the tokenizer off the serving thread. Message: {id, texts}; answer: {id, tokens}, null where it cannot count. */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

declare const self: Worker;

/** The longest piece: byte-pair encoders take quadratic time on text without breaks. */
const PIECE_CHARACTERS = 1000;
/**
 * The tokenizer's special marks (`<|endoftext|>`) count as text where a client writes them; by default they are an
 * error.
 */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

self.onmessage = (event: MessageEvent<{ id: number; texts: string[] }>) => {
  const { id, texts } = event.data;
  postMessage({ id, tokens: countAll(texts) });
};

function countAll(texts: readonly string[]): number[] | null {
  try {
    return texts.map(countCapped);
  } catch {
    return null;
  }
}

function countCapped(text: string): number {
  let tokens = 0;
  for (let start = 0; start < text.length; start += PIECE_CHARACTERS) {
    tokens += countTokens(text.slice(start, start + PIECE_CHARACTERS), AS_TEXT);
  }
  return tokens;
}
