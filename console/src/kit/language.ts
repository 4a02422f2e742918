/**
 * The language of the console's numbers and dates, which is that of its words: English as the reader's browser has it
 * ("en-GB"), else "en-US". A sentence is in one language, and an amount is shown as it may be typed.
 */
export function englishOf(languages: readonly string[]): string {
  return languages.find((language) => /^en(-|$)/i.test(language) && isTag(language)) ?? "en-US";
}

/** Browsers have been seen with a system's locale in place of a tag ("en-US@posix"), which no format takes. */
function isTag(language: string): boolean {
  try {
    return Intl.getCanonicalLocales(language).length === 1;
  } catch {
    return false;
  }
}

export const LANGUAGE = englishOf(globalThis.navigator?.languages ?? []);
