import type { MetricObjectWithValues, MetricValueWithName, Registry } from "prom-client";
import Histogram from "prom-client/lib/histogram.js";

/** What was observed under one value of the label: hits of each bucket alone, the last one for all beyond the bounds. */
interface Tally {
  readonly hits: number[];
  sum: number;
  count: number;
}

/**
 * A histogram with one label that is cheap to add to: hits are counted by index, and written as the metrics library shows
 * them when somebody reads them. The library makes half a dozen objects of every observation and finds the bucket by
 * its bound as text.
 */
export class TalliedHistogram<Label extends string> extends Histogram<Label> {
  readonly #name: string;
  readonly #help: string;
  readonly #label: Label;
  readonly #bounds: readonly number[];
  readonly #tallies = new Map<string, Tally>();

  /** `buckets` are upper bounds, ascending. */
  constructor(registry: Registry, options: { name: string; help: string; label: Label; buckets: readonly number[] }) {
    const { name, help, label, buckets } = options;
    super({ name, help, labelNames: [label], buckets: [...buckets], registers: [registry] });
    this.#name = name;
    this.#help = help;
    this.#label = label;
    this.#bounds = buckets;
  }

  /** Counts a value under this value of the label. */
  add(value: number, label: string): void {
    let tally = this.#tallies.get(label);
    if (tally === undefined) {
      tally = { hits: new Array<number>(this.#bounds.length + 1).fill(0), sum: 0, count: 0 };
      this.#tallies.set(label, tally);
    }
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket += 1;
    tally.hits[bucket] = (tally.hits[bucket] as number) + 1;
    tally.sum += value;
    tally.count += 1;
  }

  override async get(): Promise<MetricObjectWithValues<MetricValueWithName<Label>>> {
    const values = Array.from(this.#tallies, ([label, tally]) => this.#valuesOf(label, tally)).flat();
    const shown: unknown = { name: this.#name, help: this.#help, type: "histogram", aggregator: "sum", values };
    return shown as MetricObjectWithValues<MetricValueWithName<Label>>;
  }

  /** What the registry asks in place of `get`. */
  getForPromString(): Promise<MetricObjectWithValues<MetricValueWithName<Label>>> {
    return this.get();
  }

  /** Buckets are shown with all that fell into smaller ones. */
  #valuesOf(label: string, { hits, sum, count }: Tally): unknown[] {
    const labels = { [this.#label]: label };
    let below = 0;
    const buckets = [...this.#bounds, "+Inf"].map((le, at) => {
      below += hits[at] as number;
      return { metricName: `${this.#name}_bucket`, value: below, labels: { le, ...labels } };
    });
    return [
      ...buckets,
      { metricName: `${this.#name}_sum`, value: sum, labels },
      { metricName: `${this.#name}_count`, value: count, labels },
    ];
  }
}
