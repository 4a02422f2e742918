import { seededRandom } from "../support/seeded-random.ts";

/** Draws from a seeded source. Equal seeds give equal draws in the same order. */
export class Draw {
  readonly #random: () => number;

  constructor(seed: number) {
    // Neighbouring seeds would begin alike: they are spread over all that there are.
    this.#random = seededRandom(Math.imul(seed + 1, 0x9e3779b1));
  }

  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  /** From 0 to below 1. */
  fraction(): number {
    return this.#random();
  }

  /** True in this share of the cases. */
  chance(share: number): boolean {
    return this.#random() < share;
  }

  /** One of the items, each as likely as its weight. The items must not be empty. */
  weighted<Item extends { readonly weight: number }>(items: readonly Item[]): Item {
    const total = items.reduce((sum, { weight }) => sum + weight, 0);
    let left = this.#random() * total;
    for (const item of items) {
      left -= item.weight;
      if (left < 0) return item;
    }
    return items.at(-1) as Item;
  }

  /** One of the items. The items must not be empty. */
  one<Item>(items: readonly Item[]): Item {
    return items[this.whole(0, items.length - 1)] as Item;
  }
}
