import { type Metric, type MetricOptions, type MetricReading, writeHead, writeSample } from "./exposition.ts";

/** The observations under one label value: hits of each bucket alone; the last entry counts those above all bounds. */
interface Tally {
  readonly hits: number[];
  sum: number;
  count: number;
}

/** A histogram with one label. An observation costs a look-up and a loop over the bounds. */
export class Histogram implements Metric {
  readonly name: string;
  readonly #options: MetricOptions;
  readonly #label: string;
  readonly #bounds: readonly number[];
  readonly #tallies = new Map<string, Tally>();

  /** `buckets` are upper bounds, ascending. */
  constructor(options: MetricOptions & { readonly label: string; readonly buckets: readonly number[] }) {
    this.name = options.name;
    this.#options = options;
    this.#label = options.label;
    this.#bounds = options.buckets;
  }

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

  write(): string {
    let lines = writeHead(this.#options, "histogram");
    for (const [label, tally] of this.#tallies) lines += this.#writeTally([this.#label, label], tally);
    return lines;
  }

  read(): MetricReading {
    const { name, help } = this.#options;
    const points = [...this.#tallies].map(([label, { hits, sum, count }]) => {
      return { labels: { [this.#label]: label }, hits: [...hits], sum, count };
    });
    return { name, help, type: "histogram", bounds: this.#bounds, points };
  }

  /** Writes a bucket with the sum of its own hits and those of all smaller buckets, as the format requires. */
  #writeTally(label: readonly [string, string], { hits, sum, count }: Tally): string {
    let lines = "";
    let below = 0;
    for (const [index, hit] of hits.entries()) {
      below += hit;
      const bound = this.#bounds[index];
      const le = ["le", bound === undefined ? "+Inf" : String(bound)] as const;
      lines += writeSample(`${this.name}_bucket`, [le, label], below);
    }
    return `${lines}${writeSample(`${this.name}_sum`, [label], sum)}${writeSample(`${this.name}_count`, [label], count)}`;
  }
}
