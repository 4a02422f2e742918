/** How quickly finished requests are counted: how many in a slice, and how many times as long as the slice took the node rests after it. */
interface TrafficPace {
  readonly slice: number;
  readonly rest_factor: number;
}

/** Four hundred requests are a millisecond or two of the database's thread. */
const QUIET: TrafficPace = { slice: 400, rest_factor: 9 };
/** A node that is a minute behind counts more at a time, so that it keeps up at full load with a twentieth of its time. */
const LATE: TrafficPace = { slice: 1000, rest_factor: 19 };
const BUSY: TrafficPace = { slice: 400, rest_factor: 49 };

const MANY_OPEN = 8;
const LATE_MS = 60_000;
const VERY_LATE_MS = 600_000;

/**
 * The pace at which a node counts. With many requests open calls come before reports, and the less the count is behind, the slower it is;
 * ten minutes behind, it is as quick as in quiet times.
 */
export function trafficPace(open_requests: number, behind_ms: number): TrafficPace {
  if (open_requests < MANY_OPEN || behind_ms >= VERY_LATE_MS) return QUIET;
  return behind_ms >= LATE_MS ? LATE : BUSY;
}

/** The pace of the first slice. */
export const FIRST_PACE = QUIET;
