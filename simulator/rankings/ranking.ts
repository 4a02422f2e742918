/** Whose rules and words a vendor of rankings has. */
export type RankingHouse = "cohere" | "jina" | "voyage" | "tei";

export interface AskedRanking {
  readonly house: RankingHouse;
  readonly query: string;
  readonly texts: readonly string[];
  /** How many results are sent; null for all. */
  readonly top: number | null;
  readonly returns_documents: boolean;
}

export interface RankedText {
  readonly index: number;
  readonly score: number;
}

/** Every text with the share of the query's words that it has, the best first: a test can tell the order beforehand. */
export function rankTexts({ query, texts }: Pick<AskedRanking, "query" | "texts">): RankedText[] {
  const wanted = new Set(wordsOf(query));
  const ranked = texts.map((text, index) => {
    const found = wordsOf(text).filter((word) => wanted.has(word)).length;
    return { index, score: (found + 1) / (wanted.size + text.length / 1000 + 1) };
  });
  return ranked.toSorted((one, other) => other.score - one.score);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
