const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ALPHABET = [...LETTERS, ...LETTERS.toLowerCase(), ..."0123456789"];

/** The largest number of answers in one call: each label is a single token in every common tokenizer. */
export const MOST_LABELS = ALPHABET.length;

export const YES_NO: readonly string[] = ["Yes", "No"];

/** Labels for answers in the order of their listing: A to Z, then a to z, then digits. */
export function lettersFor(count: number): readonly string[] {
  return ALPHABET.slice(0, count);
}

/** Labels for at most ten levels: 0 to 9. */
export function digitsFor(count: number): readonly string[] {
  return Array.from({ length: count }, (_, level) => String(level));
}

/**
 * Returns the label that a token spells, in any spelling: with a space or a tokenizer's mark for a space, with quotes,
 * brackets, a full stop or emphasis around it, in another case, or full-width. Null for other tokens, and for a
 * spelling that could stand for two labels: where both A and a are labels, each stands only for itself.
 */
export function labelReader(labels: readonly string[]): (token: string) => number | null {
  const exact = new Map(labels.map((label, index) => [label, index]));
  const folded = new Map<string, number | null>();
  for (const [index, label] of labels.entries()) {
    const key = label.toLowerCase();
    folded.set(key, folded.has(key) ? null : index);
  }
  return (token) => {
    const bare = bareToken(token);
    return exact.get(bare) ?? folded.get(bare.toLowerCase()) ?? null;
  };
}

/** The marks of byte-level tokenizers for a space and a line break, which some servers show. */
const MARKS = /^[ĠĊ▁]+/;
const AROUND = /^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$/gu;

function bareToken(token: string): string {
  return token.replace(MARKS, "").normalize("NFKC").replace(AROUND, "");
}
