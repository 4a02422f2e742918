import { costOf, type Price } from "../../core/money/price.ts";
import { totalInput } from "../../core/money/usage.ts";
import {
  LATENCY_BUCKETS,
  LATENCY_ENDS_MS,
  routeName,
  type TrafficSliceCell,
  type UpstreamPrices,
} from "../../core/operations/traffic.ts";
import { AT, COUNTS, FIRST_BYTE_AT, TOTAL_AT } from "../schema/traffic-columns.ts";
import type { EndedRequest } from "./ended-requests.ts";

const MS_PER_HOUR = 3_600_000;

/** What a request is told apart by. */
export type TrafficPlace = Omit<TrafficSliceCell, "counts">;

export function placeOf(request: EndedRequest): TrafficPlace {
  const { account_id, key_id, model, error, outcome, ended_ms, created_ms } = request;
  const last = request.attempts.at(-1);
  return {
    hour: Math.floor((ended_ms ?? created_ms) / MS_PER_HOUR),
    account_id,
    key_id,
    model,
    vendor: last?.vendor ?? "",
    upstream_model: last?.upstream_model ?? "",
    outcome: error ?? (outcome === "left" ? "left" : "answered"),
  };
}

export function noCounts(): number[] {
  return new Array<number>(COUNTS).fill(0);
}

export function addRequest(counts: number[], request: EndedRequest, prices: UpstreamPrices): void {
  const { charge_micro, usage, first_byte_ms, duration_ms } = request;
  add(counts, AT.requests, 1);
  add(counts, AT.charge_micro, charge_micro);
  add(counts, AT.loss_micro, request.operator_loss_micro);
  const upstream_micro = upstreamCost(request, prices);
  if (upstream_micro !== null) {
    add(counts, AT.costed_micro, charge_micro);
    add(counts, AT.upstream_micro, upstream_micro);
  }
  if (usage !== null) {
    add(counts, AT.prompt_tokens, totalInput(usage));
    add(counts, AT.cached_tokens, usage.cache_read_tokens);
    add(counts, AT.completion_tokens, usage.output_tokens);
    addSpeed(counts, request, usage.output_tokens);
  }
  if (request.outcome === "answered") {
    if (first_byte_ms !== null) add(counts, FIRST_BYTE_AT + bucketOf(first_byte_ms), 1);
    if (duration_ms !== null) add(counts, TOTAL_AT + bucketOf(duration_ms), 1);
    add(counts, AT.first_ms, Math.round(first_byte_ms ?? 0));
    add(counts, AT.total_ms, Math.round(duration_ms ?? 0));
  }
}

function add(counts: number[], at: number, count: number): void {
  counts[at] = (counts[at] ?? 0) + count;
}

/** The speed of an answer: of a stream from its first byte on, of a whole answer over all of its time. */
function addSpeed(counts: number[], { stream, duration_ms, first_byte_ms }: EndedRequest, tokens: number): void {
  if (duration_ms === null || tokens === 0) return;
  const made_ms = stream && first_byte_ms !== null ? duration_ms - first_byte_ms : duration_ms;
  if (made_ms <= 0) return;
  add(counts, AT.timed_tokens, tokens);
  add(counts, AT.timed_ms, made_ms);
}

function bucketOf(latency_ms: number): number {
  const at = LATENCY_ENDS_MS.findIndex((end_ms) => latency_ms <= end_ms);
  return at === -1 ? LATENCY_BUCKETS - 1 : at;
}

/**
 * What the vendor charges the operator for a request: as recorded, else its usage at the vendor's known prices. Null where neither is
 * known, or where a parameter of the request selected a price list of its own. Nothing where no vendor was asked.
 */
function upstreamCost(request: EndedRequest, prices: UpstreamPrices): number | null {
  const { upstream_cost_micro, usage, created_ms } = request;
  if (upstream_cost_micro !== null) return upstream_cost_micro;
  const last = request.attempts.at(-1);
  if (last === undefined || usage === null) return 0;
  const price = priceFrom(prices[routeName(request.model, last)] ?? [], created_ms);
  return price === null || request.priceOf().variant !== undefined ? null : Number(costOf(usage, price));
}

function priceFrom(prices: readonly Price[], at_ms: number): Price | null {
  return prices.findLast(({ from_ms }) => from_ms <= at_ms) ?? prices[0] ?? null;
}
