import { median } from "./median.ts";

/** Figures of one subject by their names: `{ cpu_us: 88.1, p50_ms: 0.7 }`. */
export type RoundFigures = Readonly<Record<string, number>>;

/** What a lane has measured: for each subject and figure one number for each round. JSON has it as it is. */
export class Rounds {
  readonly #values = new Map<string, Map<string, number[]>>();

  add(subject: string, figures: RoundFigures): void {
    const known = this.#values.get(subject) ?? new Map<string, number[]>();
    this.#values.set(subject, known);
    for (const [figure, value] of Object.entries(figures)) known.set(figure, [...(known.get(figure) ?? []), value]);
  }

  all(subject: string, figure: string): readonly number[] {
    return this.#values.get(subject)?.get(figure) ?? [];
  }

  median(subject: string, figure: string): number {
    return median(this.all(subject, figure));
  }

  /** The median of the rounds' ratios, each of two figures of one round: what slows the machine for a while slows both. */
  ratio(subject: string, base: string, figure: string): number {
    const bases = this.all(base, figure);
    return median(this.all(subject, figure).map((value, round) => value / (bases[round] ?? Number.NaN)));
  }

  /** How far the rounds lie apart, as a part of their median: (most − least) ÷ median. NaN for less than two rounds. */
  spread(subject: string, figure: string): number {
    const values = this.all(subject, figure);
    if (values.length < 2) return Number.NaN;
    return (Math.max(...values) - Math.min(...values)) / median(values);
  }

  toJSON(): Record<string, Record<string, number[]>> {
    return Object.fromEntries([...this.#values].map(([subject, figures]) => [subject, Object.fromEntries(figures)]));
  }
}
