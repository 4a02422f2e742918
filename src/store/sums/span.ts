/** Spans of days over which sums are kept. A span begins at a multiple of its size and is made of spans of the next smaller size. */

/** What is summed up: the days' usage, and the traffic by account and key. */
export type SumKind = "usage" | "traffic";

/** How many spans of one size make up a span of the next size. */
export const SPANS_IN_NEXT = 4;

/**
 * The sizes of spans, in days. A sum of one day of usage saves rows, because usage has rows by key and model and sums have only one of
 * the two; traffic has rows by key already, so its smallest span is longer.
 */
export const SIZES: Readonly<Record<SumKind, readonly number[]>> = {
  usage: [1, 4, 16, 64, 256],
  traffic: [4, 16, 64, 256],
};

export interface Span {
  readonly size: number;
  readonly first_day: number;
}

/** How many changes the days of a span have had since they were closed, in all; null where one of them is not closed. */
export type RevisionOf = (span: Span) => number | null;

/** A span's revision is the sum of its days' revisions: since these only rise, the sum is unchanged only while each of them is. */
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

export function subSpans({ size, first_day }: Span): Span[] {
  const part = size / SPANS_IN_NEXT;
  return Array.from({ length: SPANS_IN_NEXT }, (_, at) => ({ size: part, first_day: first_day + at * part }));
}
