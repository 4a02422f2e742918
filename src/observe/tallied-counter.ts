import type { Registry } from "prom-client";
import Counter from "prom-client/lib/counter.js";

/** Sums by the first label's value, then by the second's, which is empty where there is none. */
type Sums = Map<string, Map<string, number>>;

/**
 * A counter with one or two labels that is cheap to add to: sums are gathered in maps, and handed to the metrics library
 * when somebody reads them. The library works the labels out anew on every addition, which costs more than all that is
 * measured here; a map for each label needs no text that names both.
 */
export class TalliedCounter<Label extends string> {
  readonly #label_names: readonly Label[];
  #sums: Sums = new Map();

  constructor(
    registry: Registry,
    options: { name: string; help: string; labelNames: readonly [Label] | readonly [Label, Label] },
  ) {
    const takeSums = () => this.#takeSums();
    this.#label_names = options.labelNames;
    new Counter({
      ...options,
      registers: [registry],
      collect() {
        for (const { labels, sum } of takeSums()) this.inc(labels, sum);
      },
    });
  }

  /** Adds to the sum under these label values, given in the order of the label names. */
  add(value: number, first: string, second = ""): void {
    let sums = this.#sums.get(first);
    if (sums === undefined) {
      sums = new Map();
      this.#sums.set(first, sums);
    }
    sums.set(second, (sums.get(second) ?? 0) + value);
  }

  #takeSums(): { labels: Partial<Record<Label, string>>; sum: number }[] {
    const taken = [...this.#sums].flatMap(([first, sums]) =>
      Array.from(sums, ([second, sum]) => ({ labels: this.#labelsOf([first, second]), sum })),
    );
    this.#sums = new Map();
    return taken;
  }

  #labelsOf(values: readonly string[]): Partial<Record<Label, string>> {
    const labels: Partial<Record<Label, string>> = {};
    for (const [index, name] of this.#label_names.entries()) labels[name] = values[index] ?? "";
    return labels;
  }
}
