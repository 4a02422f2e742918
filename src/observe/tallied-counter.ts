import type { Registry } from "prom-client";
import Counter from "prom-client/lib/counter.js";

/**
 * A counter that is cheap to add to: sums are gathered in a map, and handed to the metrics library when somebody reads
 * them. The library works the labels out anew on every addition, which costs more than all that is measured here.
 */
export class TalliedCounter<Label extends string> {
  readonly #label_names: readonly Label[];
  readonly #sums = new Map<string, number>();

  constructor(registry: Registry, options: { name: string; help: string; labelNames: readonly Label[] }) {
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

  /** Adds to the sum under these label values, given in the order of the label names. None may hold a line break. */
  add(value: number, ...labels: string[]): void {
    const key = labels.length === 1 ? (labels[0] ?? "") : labels.join("\n");
    this.#sums.set(key, (this.#sums.get(key) ?? 0) + value);
  }

  #takeSums(): { labels: Partial<Record<Label, string>>; sum: number }[] {
    const taken = Array.from(this.#sums, ([key, sum]) => ({ labels: this.#labelsOf(key), sum }));
    this.#sums.clear();
    return taken;
  }

  #labelsOf(key: string): Partial<Record<Label, string>> {
    const values = key.split("\n");
    const labels: Partial<Record<Label, string>> = {};
    for (const [index, name] of this.#label_names.entries()) labels[name] = values[index] ?? "";
    return labels;
  }
}
