/** The limit for one name, as names of unknown fields are the client's own text. */
const LONGEST_NAME = 64;
const MOST_NAMES = 40;

/**
 * The value of `x-camino-ignored` (docs/rulings.md 10): the names, with `?` for characters that a header cannot carry.
 * Names beyond the size that proxies and clients accept in a header are only counted.
 */
export function ignoredValue(names: readonly string[]): string {
  const told = names.slice(0, MOST_NAMES).map(fit);
  if (names.length > MOST_NAMES) told.push(`(${names.length - MOST_NAMES} more)`);
  return told.join(", ");
}

function fit(name: string): string {
  const sendable = name.slice(0, LONGEST_NAME).replace(/[^\x20-\x7e]|,/g, "?");
  return name.length <= LONGEST_NAME ? sendable : `${sendable}...`;
}
