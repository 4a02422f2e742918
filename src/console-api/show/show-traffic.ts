import type { Traffic, TrafficCounts, TrafficFigures } from "../../../contract/traffic.ts";
import { toJsonNumber } from "../../core/money/money.ts";
import {
  LATENCY_ENDS_MS,
  type TrafficLatency,
  type TrafficReport,
  type TrafficSums,
} from "../../core/operations/traffic.ts";
import type { Periods } from "../read/read-periods.ts";
import { showTime } from "./show.ts";

const MS_PER_HOUR = 3_600_000;

interface TrafficOptions extends Periods {
  readonly by: Traffic["by"];
  readonly currency: string;
  /** Whether the caller may see what vendors charge the operator. */
  readonly sees_margin: boolean;
}

export function showTraffic(found: TrafficReport, options: TrafficOptions): Traffic {
  const { step, by, zone, spans, before, by_day, is_utc_instead, is_off_hours, currency, sees_margin } = options;
  const figures = (sums: TrafficSums & TrafficLatency): TrafficFigures => showFigures(sums, sees_margin);
  const starts = spans.map(([from]) => timeOf(from));
  return {
    object: "traffic",
    ...{ step, by, zone: zone.name },
    since: starts[0] ?? timeOf(0),
    until: timeOf(spans.at(-1)?.[1] ?? 0),
    utc_days: is_utc_instead || (by_day && zone.name !== "UTC"),
    off_hours: is_off_hours,
    currency,
    counted_until: found.counted_ms === null ? null : showTime(found.counted_ms),
    behind: found.is_behind,
    periods: found.periods.map((sums, at) => ({ start: starts[at] ?? "", ...figures(sums) })),
    total: figures(found.total),
    before: { since: timeOf(before[0]), until: timeOf(before[1]), ...figures(found.before ?? found.total) },
    groups: found.groups.map((group) => ({
      ...{ id: idOf(group.id, by), name: group.name, others: group.id === null },
      ...figures(group),
      before: figures(group.before ?? group),
    })),
    group_count: found.group_count,
    data: found.cells.map((cell) => ({
      ...{ start: starts[cell.period] ?? "", group: idOf(cell.group, by), others: cell.group === null },
      ...showCounts(cell, sees_margin),
      first_byte_mean_ms: meanOf(cell, cell.first_ms),
      total_mean_ms: meanOf(cell, cell.total_ms),
    })),
  };
}

/** A route of no vendor and no name is none, as a vendor without a name is. */
function idOf(id: string | null, by: Traffic["by"]): string | null {
  return by === "route" && id === " " ? "" : id;
}

function meanOf({ answered }: TrafficSums, sum_ms: number): number | null {
  return answered === 0 ? null : Math.round(sum_ms / answered);
}

function timeOf(hour: number): string {
  return showTime(hour * MS_PER_HOUR);
}

function showFigures(sums: TrafficSums & TrafficLatency, sees_margin: boolean): TrafficFigures {
  const latency = (counts: readonly number[], sum_ms: number) => ({
    mean: meanOf(sums, sum_ms),
    p50: percentile(counts, 0.5),
    p95: percentile(counts, 0.95),
  });
  return {
    ...showCounts(sums, sees_margin),
    first_byte_ms: latency(sums.first_byte, sums.first_ms),
    total_ms: latency(sums.total, sums.total_ms),
  };
}

function showCounts(sums: TrafficSums, sees_margin: boolean): TrafficCounts {
  const { requests, answered, failed, left, refused, prompt_tokens, cached_tokens, completion_tokens } = sums;
  const charge_micro = toJsonNumber(sums.charge_micro);
  const costed_micro = toJsonNumber(sums.costed_micro);
  const upstream_micro = toJsonNumber(sums.upstream_micro);
  const knows_margin = sees_margin && (costed_micro !== 0 || upstream_micro !== 0);
  return {
    ...{ requests, answered, failed, left, refused, charge_micro },
    loss_micro: toJsonNumber(sums.loss_micro),
    margin_micro: knows_margin ? costed_micro - upstream_micro : null,
    margin_of: knows_margin && charge_micro > 0 ? Math.round((1000 * costed_micro) / charge_micro) / 1000 : null,
    ...{ prompt_tokens, cached_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
    tokens_per_s: sums.timed_ms === 0 ? null : Math.round((10_000 * sums.timed_tokens) / sums.timed_ms) / 10,
  };
}

/** The latency that a share of all does not exceed, placed within its bucket by how many of the bucket's are below it. */
export function percentile(counts: readonly number[], share: number): number | null {
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  const rank = share * all;
  let below = 0;
  for (const [at, count] of counts.entries()) {
    if (below + count >= rank && count > 0) return within(at, (rank - below) / count);
    below += count;
  }
  return null;
}

/** A place in a bucket, whose ends are factors apart. The first bucket begins at nothing, the last has no end. */
function within(bucket: number, part: number): number {
  const end_ms = LATENCY_ENDS_MS[bucket];
  const start_ms = LATENCY_ENDS_MS[bucket - 1] ?? 0;
  if (end_ms === undefined) return start_ms;
  if (start_ms === 0) return Math.round(end_ms * part);
  return Math.round(start_ms * (end_ms / start_ms) ** part);
}
