import { BASE62_ALPHABET, requestIdsFrom } from "../../src/core/ids.ts";

/** Draws from a seed: equal seeds draw alike. */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1 (Mulberry32). */
  part(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(part: number): boolean {
    return this.part() < part;
  }

  /** A whole number between two, most of them near the least. */
  skewed(least: number, most: number): number {
    return least + Math.floor((most - least) * this.part() ** 3);
  }

  /** One of a list, the first most often. */
  of<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(items.length * this.part() ** 2)];
    if (item === undefined) throw new Error("nothing to draw from");
    return item;
  }

  text(length: number): string {
    let text = "";
    while (text.length < length) text += BASE62_ALPHABET[Math.floor(62 * this.part())];
    return text;
  }

  /** A request's id of a moment: it begins with the time, as the gateway's own ids do. */
  requestId(at_ms: number): string {
    return `${requestIdsFrom(at_ms)}${this.text(14)}`;
  }
}
