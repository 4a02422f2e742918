import type { OwnedRequest } from "./running-request.ts";

const NONE: Readonly<Record<string, string>> = {};

/** The headers that say how an answer was made, which a replayed answer needs as well. None for most. */
export function factHeaders({ receipt, request }: OwnedRequest): Readonly<Record<string, string>> {
  const { ignored } = receipt;
  const { granted_cap: capped } = request;
  if (ignored.length === 0 && capped === undefined) return NONE;
  return {
    ...(ignored.length > 0 && { "x-camino-ignored": ignoredValue(ignored) }),
    ...(capped !== undefined && { "x-camino-capped": String(capped) }),
  };
}

/** The largest value: more than this many bytes of header, and some proxies refuse the whole answer. */
const MOST_BYTES = 2048;
/** Room for the count of the names that are not told. */
const COUNT_BYTES = 16;
const SEPARATOR = ", ";
/** Printable ASCII, but for what separates names or begins a code. */
const PLAIN = /^[!-$&-+\--~]*$/;

/**
 * The value of `x-camino-ignored` (docs/rulings.md 10, 158): the names in printable ASCII, percent-encoded elsewhere, as
 * they are the client's own text. Names for which there is no room are only counted: `+17`.
 */
export function ignoredValue(names: readonly string[]): string {
  let value = "";
  let untold = 0;
  for (const name of names) {
    const room = MOST_BYTES - COUNT_BYTES - SEPARATOR.length - value.length;
    const written = name.length <= room ? encoded(name) : null;
    if (written === null || written.length > room) untold += 1;
    else value += value === "" ? written : SEPARATOR + written;
  }
  if (untold === 0) return value;
  return value === "" ? `+${untold}` : `${value}${SEPARATOR}+${untold}`;
}

/** Half of a surrogate pair is no character, and becomes the mark of one that could not be read. */
function encoded(name: string): string {
  if (PLAIN.test(name)) return name;
  let text = "";
  for (const byte of Buffer.from(name)) {
    const character = String.fromCharCode(byte);
    text += PLAIN.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return text;
}
