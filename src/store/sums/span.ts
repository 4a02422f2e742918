/** Spans of days over which sums are kept: a span of a size begins at a multiple of it, and is made of spans of the size before. */

/** What is summed up: the days' usage, and the traffic by account and key. */
export type SumKind = "usage" | "traffic";

/** So many spans of one size are one of the next. */
export const PARTS = 4;

/**
 * The sizes of spans, in days. A day of usage has rows by key and model, and a day of its sums only by one of the two; the traffic's days
 * are told apart by key already, so its least span is longer.
 */
export const SIZES: Readonly<Record<SumKind, readonly number[]>> = {
  usage: [1, 4, 16, 64, 256],
  traffic: [4, 16, 64, 256],
};

export interface Span {
  readonly size: number;
  readonly first_day: number;
}

/** How often the days of a span have changed since they were closed, together; null where one of them is not closed. */
export type RevisionOf = (span: Span) => number | null;

/** Revisions only rise, so that their sum is the same only where each of them is. */
export function revisions(days: ReadonlyMap<number, number>): RevisionOf {
  return ({ size, first_day }) => {
    let sum = 0;
    for (let day = first_day; day < first_day + size; day += 1) {
      const revision = days.get(day);
      if (revision === undefined) return null;
      sum += revision;
    }
    return sum;
  };
}

/** Every span of a kind whose days lie between two, the shorter ones first. */
export function spansWithin(kind: SumKind, first: number, last: number): Span[] {
  return SIZES[kind].flatMap((size) => {
    const spans: Span[] = [];
    for (let day = Math.ceil(first / size) * size; day + size - 1 <= last; day += size) {
      spans.push({ size, first_day: day });
    }
    return spans;
  });
}

/** The spans that a span is made of. */
export function partsOf({ size, first_day }: Span): Span[] {
  const part = size / PARTS;
  return Array.from({ length: PARTS }, (_, at) => ({ size: part, first_day: first_day + at * part }));
}
