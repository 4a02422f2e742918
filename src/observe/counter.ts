import { type Metric, type MetricOptions, type MetricReading, writeHead, writeSample } from "./exposition.ts";

/**
 * Sums by the first label's value, then by the second label's value, which is empty where the counter has one label.
 */
type LabelSums = Map<string, Map<string, number>>;

/** A counter with one or two labels. An addition is two look-ups and builds no string from the labels. */
export class Counter implements Metric {
  readonly name: string;
  readonly #options: MetricOptions;
  readonly #label_names: readonly string[];
  readonly #sums: LabelSums = new Map();

  constructor(options: MetricOptions & { readonly labels: readonly [string] | readonly [string, string] }) {
    this.name = options.name;
    this.#options = options;
    this.#label_names = options.labels;
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

  write(): string {
    let lines = writeHead(this.#options, "counter");
    for (const [first, sums] of this.#sums) {
      for (const [second, sum] of sums) lines += writeSample(this.name, this.#labelsOf([first, second]), sum);
    }
    return lines;
  }

  read(): MetricReading {
    const points = [...this.#sums].flatMap(([first, sums]) =>
      [...sums].map(([second, sum]) => [Object.fromEntries(this.#labelsOf([first, second])), sum] as const),
    );
    const { name, help } = this.#options;
    return { name, help, type: "counter", points };
  }

  #labelsOf(values: readonly [string, string]): (readonly [string, string])[] {
    return this.#label_names.map((name, index) => [name, values[index] ?? ""] as const);
  }
}
