/**
 * Whether every word that somebody typed occurs in a text, in any order and letter case: how every list of the console
 * that is loaded whole is searched. Nothing typed is in every text.
 */
export function wordsIn(typed: string): (text: string) => boolean {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}
