/** Finding rows by words that a person typed: every word must occur in the text, whatever its case. */

const MOST_WORDS = 4;

/** A condition with the parameters of `searchParams`, over an SQL text that is in lower case already. */
export function searchCondition(text: string): string {
  return Array.from({ length: MOST_WORDS }, () => `${text} LIKE ? ESCAPE '\\'`).join(" AND ");
}

/** The patterns of the first four words; those that are missing match everything. */
export function searchParams(typed: string | undefined): string[] {
  const words = (typed ?? "").toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
  return Array.from({ length: MOST_WORDS }, (_, at) => `%${(words[at] ?? "").replace(/[\\%_]/g, "\\$&")}%`);
}
