/** How many first facts are remembered, and how many lists of facts that begin with each. */
const MOST_FIRST = 500;
const MOST_BENEATH = 32;

type Fact = string | number | null;

interface DescribedFacts<Facts> {
  readonly facts: Facts;
  readonly bytes: Buffer;
}

/**
 * Bytes that many calls share, written once and found by the facts that they were written from. Facts are compared one by one, which is quicker than
 * making one text of them.
 */
export class Alike<Facts extends readonly Fact[]> {
  readonly #describe: (facts: Facts) => Buffer;
  readonly #known = new Map<Fact, DescribedFacts<Facts>[]>();

  constructor(describe: (facts: Facts) => Buffer) {
    this.#describe = describe;
  }

  of(facts: Facts): Buffer {
    const beneath = this.#beneath(facts[0] ?? null);
    for (const known of beneath) if (isSame(known.facts, facts)) return known.bytes;
    if (beneath.length >= MOST_BENEATH) beneath.length = 0;
    const bytes = this.#describe(facts);
    beneath.push({ facts, bytes });
    return bytes;
  }

  #beneath(first: Fact): DescribedFacts<Facts>[] {
    const found = this.#known.get(first);
    if (found !== undefined) return found;
    if (this.#known.size >= MOST_FIRST) this.#known.clear();
    const made: DescribedFacts<Facts>[] = [];
    this.#known.set(first, made);
    return made;
  }
}

function isSame(one: readonly Fact[], other: readonly Fact[]): boolean {
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
}
