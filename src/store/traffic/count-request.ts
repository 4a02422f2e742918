import type { RequestRecord } from "../../core/ledger.ts";
import { costOf, type Price } from "../../core/price.ts";
import { LATENCY_BUCKETS, LATENCY_ENDS_MS, type TrafficSliceCell, type UpstreamPrices } from "../../core/traffic.ts";
import { totalInput } from "../../core/usage.ts";
import { AT, COUNTS, FIRST_BYTE_AT, TOTAL_AT } from "./columns.ts";

const MS_PER_HOUR = 3_600_000;

/** A request that has ended, as the cell of one request. */
export function countRequest(record: RequestRecord, prices: UpstreamPrices): TrafficSliceCell {
  const { account_id, key_id, model, error, usage } = record;
  const last = record.attempts.at(-1);
  const counts: number[] = Array.from({ length: COUNTS }, () => 0);
  const charge_micro = Number(record.charge_micro);
  counts[AT.requests] = 1;
  counts[AT.charge_micro] = charge_micro;
  counts[AT.loss_micro] = Number(record.operator_loss_micro);
  const upstream_micro = upstreamCost(record, last, prices);
  if (upstream_micro !== null) {
    counts[AT.costed_micro] = charge_micro;
    counts[AT.upstream_micro] = upstream_micro;
  }
  if (usage !== null) {
    counts[AT.prompt_tokens] = totalInput(usage);
    counts[AT.cached_tokens] = usage.cache_read_tokens;
    counts[AT.completion_tokens] = usage.output_tokens;
    addSpeed(counts, record, usage.output_tokens);
  }
  if (record.outcome === "answered") {
    if (record.first_byte_ms !== null) counts[FIRST_BYTE_AT + bucketOf(record.first_byte_ms)] = 1;
    if (record.duration_ms !== null) counts[TOTAL_AT + bucketOf(record.duration_ms)] = 1;
    counts[AT.first_ms] = Math.round(record.first_byte_ms ?? 0);
    counts[AT.total_ms] = Math.round(record.duration_ms ?? 0);
  }
  return {
    hour: Math.floor((record.ended_ms ?? record.created_ms) / MS_PER_HOUR),
    ...{ account_id, key_id, model },
    vendor: last?.vendor ?? "",
    upstream_model: last?.upstream_model ?? "",
    outcome: error ?? (record.outcome === "left" ? "left" : "answered"),
    counts,
  };
}

/** The speed of an answer: of a stream from its first byte on, of a whole answer over all of its time. */
function addSpeed(counts: number[], { stream, duration_ms, first_byte_ms }: RequestRecord, tokens: number): void {
  if (duration_ms === null || tokens === 0) return;
  const made_ms = stream && first_byte_ms !== null ? duration_ms - first_byte_ms : duration_ms;
  if (made_ms <= 0) return;
  counts[AT.timed_tokens] = tokens;
  counts[AT.timed_ms] = made_ms;
}

/** The place of the bucket that a latency is in. */
export function bucketOf(latency_ms: number): number {
  const at = LATENCY_ENDS_MS.findIndex((end_ms) => latency_ms <= end_ms);
  return at === -1 ? LATENCY_BUCKETS - 1 : at;
}

/**
 * What the vendor charges the operator for a request: as recorded, else its usage at the vendor's known prices. Null where neither is
 * known, or where a parameter of the request selected a price list of its own. Nothing where no vendor was asked.
 */
function upstreamCost(
  record: RequestRecord,
  last: RequestRecord["attempts"][number] | undefined,
  prices: UpstreamPrices,
): number | null {
  if (record.upstream_cost_micro !== null) return Number(record.upstream_cost_micro);
  if (last === undefined || record.usage === null) return 0;
  if (record.price.variant !== undefined) return null;
  const price = priceFrom(prices[`${last.vendor} ${last.upstream_model}`] ?? [], record.created_ms);
  return price === null ? null : Number(costOf(record.usage, price));
}

function priceFrom(prices: readonly Price[], at_ms: number): Price | null {
  return prices.findLast(({ from_ms }) => from_ms <= at_ms) ?? prices[0] ?? null;
}
