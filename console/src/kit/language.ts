/**
 * The language of the console's numbers and dates, which is that of its words: English as the reader's browser has it
 * ("en-GB"), else "en-US". A sentence is in one language, and an amount is shown as it may be typed.
 */
export function englishOf(languages: readonly string[]): string {
  return languages.find((language) => /^en(-|$)/i.test(language)) ?? "en-US";
}

export const LANGUAGE = englishOf(globalThis.navigator?.languages ?? []);
