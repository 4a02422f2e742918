/** The allowed word that a misspelt one most likely meant; null when none is near. */
export function suggest(found: string, allowed: readonly string[]): string | null {
  const limit = found.length <= 4 ? 1 : Math.max(2, Math.floor(found.length / 4));
  let best: string | null = null;
  let best_distance = limit + 1;
  for (const word of allowed) {
    const distance = editDistance(normalise(found), normalise(word));
    if (distance < best_distance) [best, best_distance] = [word, distance];
  }
  return best;
}

/** ` (did you mean "…"?)` for a misspelt word; empty when no allowed word is near. */
export function hintFor(found: string, allowed: readonly string[]): string {
  const meant = suggest(found, allowed);
  return meant === null ? "" : ` (did you mean ${JSON.stringify(meant)}?)`;
}

/** Spells `baseUrl`, `base-url` and `BASE_URL` as `base_url`, so that the comparison ignores case and separators. */
function normalise(word: string): string {
  return word
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
}

/** The number of letters that must be changed, added, removed or swapped with their neighbour to turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      row.push(least);
    }
    [before, previous] = [previous, row];
  }
  return previous[b.length] ?? 0;
}
