import { ZERO } from "../../core/money/money.ts";
import { LATENCY_BUCKETS, type TrafficLatency, type TrafficSums } from "../../core/operations/traffic.ts";
import { Sums } from "../sql/report.ts";
import { toInt } from "../sql/values.ts";

/** The columns of the traffic tables, which all have the same counts. */

const SUM_COLUMNS = [
  "requests",
  "charge_micro",
  "loss_micro",
  "costed_micro",
  "upstream_micro",
  "prompt_tokens",
  "cached_tokens",
  "completion_tokens",
  "timed_tokens",
  "timed_ms",
  "first_ms",
  "total_ms",
] as const;

const buckets = (name: string): string[] => Array.from({ length: LATENCY_BUCKETS }, (_, at) => `${name}_${at}`);
const FIRST_BYTE = buckets("first");
const TOTAL = buckets("total");

export const COUNT_COLUMNS: readonly string[] = SUM_COLUMNS;
/** Counts of answers by latency, in the gateway's own tables. Those that are zero are stored as null, which takes no room. */
export const LATENCY_COLUMNS: readonly string[] = [...FIRST_BYTE, ...TOTAL];
/** How many counts a slice's cell has: those of all tables, then those by latency. */
export const COUNTS = COUNT_COLUMNS.length + LATENCY_COLUMNS.length;

type SumColumn = (typeof SUM_COLUMNS)[number];

/** The index of each column in a slice's counts. */
export const AT: Readonly<Record<SumColumn, number>> = Object.fromEntries(
  SUM_COLUMNS.map((name, at) => [name, at]),
) as Record<SumColumn, number>;
export const FIRST_BYTE_AT = SUM_COLUMNS.length;
export const TOTAL_AT = FIRST_BYTE_AT + LATENCY_BUCKETS;

/** The status that an outcome belongs to, as SQL. */
export const STATUS_OF = `CASE t.outcome WHEN 'answered' THEN 'answered' WHEN 'left' THEN 'left'
  ELSE CASE WHEN substr(t.outcome, 1, 1) = '!' THEN 'refused' ELSE 'failed' END END`;

const requestsOf = (status: string, condition: string): string =>
  `CAST(sum(CASE WHEN ${condition} THEN t.requests ELSE 0 END) AS BIGINT) AS ${status}`;

/** Sums over rows of a traffic table `t`. PostgreSQL's sum of bigints is exact and wider, so it is cut back. */
export const SUMS = [
  ...SUM_COLUMNS.map((name) => `CAST(sum(t.${name}) AS BIGINT) AS ${name}`),
  requestsOf("answered", "t.outcome = 'answered'"),
  requestsOf("client_left", "t.outcome = 'left'"),
  requestsOf("refused", "substr(t.outcome, 1, 1) = '!'"),
].join(", ");

/** Sums of the latency counts. They are of type INTEGER on PostgreSQL, whose sum is a bigint. */
export const LATENCY_SUMS = LATENCY_COLUMNS.map((name) => `sum(t.${name}) AS ${name}`).join(", ");

export type SumRow = Readonly<Record<SumColumn | "answered" | "client_left" | "refused", unknown>>;

const NO_COUNTS: readonly number[] = Array.from({ length: LATENCY_BUCKETS }, () => 0);

export const TRAFFIC = new Sums<TrafficSums>({
  ...{ requests: 0, answered: 0, failed: 0, left: 0, refused: 0 },
  ...{ charge_micro: ZERO, loss_micro: ZERO, costed_micro: ZERO, upstream_micro: ZERO },
  ...{ prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0 },
  ...{ timed_tokens: 0, timed_ms: 0, first_ms: 0, total_ms: 0 },
});

/** With the counts by latency. */
export const MEASURED = new Sums<TrafficSums & TrafficLatency>({
  ...TRAFFIC.nothing,
  ...{ first_byte: NO_COUNTS, total: NO_COUNTS },
});

export function sumsOf(row: SumRow): TrafficSums {
  const sums = TRAFFIC.read({ ...row, left: row.client_left, failed: 0 });
  return { ...sums, failed: sums.requests - sums.answered - sums.left - sums.refused };
}

export function latencyOf(row: object): TrafficLatency {
  const counts = row as Readonly<Record<string, unknown>>;
  const read = (names: readonly string[]): number[] => names.map((name) => toInt(counts[name] ?? 0));
  return { first_byte: read(FIRST_BYTE), total: read(TOTAL) };
}
