import { MS_PER_DAY } from "../../core/clock.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { toInt, toIntOrNull } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { type RevisionOf, revisions, SIZES, type Span, type SumKind } from "./span.ts";

const selectDays = sql("SELECT day, revision FROM closed_days WHERE kind = ? AND day >= ? AND day <= ? ORDER BY day");
const selectSpans = sql(
  "SELECT size, first_day, made_of FROM summed_spans WHERE kind = ? AND size <= ? AND first_day >= ? AND first_day <= ?",
);

interface SpanRow {
  readonly size: unknown;
  readonly first_day: unknown;
  readonly made_of: unknown;
}

/** The closed days between two days, and which spans of them have up-to-date sums. */
export interface KnownSums {
  readonly days: readonly number[];
  readonly revisionOf: RevisionOf;
  isTrue(span: Span): boolean;
}

/** Reads which sums exist. Spans of more than `largest` days are left out. */
export function* knownSums(
  kind: SumKind,
  { first, last, largest = Number.MAX_SAFE_INTEGER }: Days & { readonly largest?: number },
): Work<KnownSums> {
  const closed = yield* rows<{ day: unknown; revision: unknown }>(selectDays, [kind, first, last]);
  const days = new Map(closed.map(({ day, revision }) => [toInt(day), toInt(revision)]));
  const made = new Map<string, number | null>();
  if (days.size > 0) {
    for (const each of yield* rows<SpanRow>(selectSpans, [kind, largest, first, last])) {
      made.set(`${toInt(each.size)} ${toInt(each.first_day)}`, toIntOrNull(each.made_of));
    }
  }
  const revisionOf = revisions(days);
  const isTrue = (span: Span): boolean => {
    const made_of = made.get(`${span.size} ${span.first_day}`);
    return typeof made_of === "number" && made_of === revisionOf(span);
  };
  return { days: [...days.keys()], revisionOf, isTrue };
}

/** Days by their number, both inclusive. */
export interface Days {
  readonly first: number;
  readonly last: number;
}

/** How a report reads days: `spans` from their up-to-date sums, and the `rest` from the days' own rows. Each day is in one of them. */
interface ReadPlan {
  readonly spans: readonly Span[];
  readonly rest: readonly Days[];
}

/** Plans with the longest spans that have sums. Plan and report must be read in the same snapshot, since sums may change in between. */
export function* planRead(kind: SumKind, within: Days, largest?: number): Work<ReadPlan> {
  // After the clock was set back, closed days may get new rows without a new revision: only days before today's are read from sums.
  const yesterday = Math.floor((yield* now_ms()) / MS_PER_DAY) - 1;
  const { first } = within;
  const last = Math.min(within.last, yesterday);
  const sizes = SIZES[kind].filter((size) => largest === undefined || size <= largest).toReversed();
  const known = yield* knownSums(kind, { first, last, largest: sizes[0] ?? 0 });
  const spans: Span[] = [];
  const rest: Days[] = [];
  let next = first;
  for (const day of known.days) {
    if (day < next) continue;
    const span = sizes
      .map((size) => ({ size, first_day: day }))
      .find((each) => day % each.size === 0 && day + each.size - 1 <= last && known.isTrue(each));
    if (span === undefined) continue;
    if (day > next) rest.push({ first: next, last: day - 1 });
    spans.push(span);
    next = day + span.size;
  }
  if (next <= within.last) rest.push({ first: next, last: within.last });
  return { spans, rest };
}
