import { costOf, type Price } from "../../core/money/price.ts";
import { totalInput } from "../../core/money/usage.ts";
import {
  LATENCY_BUCKETS,
  LATENCY_ENDS_MS,
  routeName,
  type TrafficSlice,
  type TrafficSliceCell,
  type TrafficSliceQuery,
  type UpstreamPrices,
} from "../../core/operations/traffic.ts";
import { AT, COUNTS, FIRST_BYTE_AT, TOTAL_AT } from "../schema/traffic-columns.ts";
import { now_ms } from "../sql/clock.ts";
import { sql, sqlFor } from "../sql/statement.ts";
import { toInt, toIntOrNull } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { ENDED_COLUMNS, type EndedRequest, type EndedRow, endedRequests } from "./ended-requests.ts";
import { oldestSlot, VendorSlots } from "./vendor-slots.ts";

/** A late end (docs/rulings.md 146) corrects what was counted if it comes within this time of the recovery. */
const LATE_WITHIN_MS = 24 * 3_600_000;

const selectState = sql("SELECT revision, counted_seq FROM traffic_state WHERE one = 1");

/**
 * The time before which every row is visible. SQLite numbers rows in the order in which readers see them. On PostgreSQL a row may become
 * visible after one with a higher number, while a transaction that writes is open: the numbers of its rows were drawn at most the
 * ledger's deadline after its times were read. A Citus coordinator has no number for a transaction that writes at a worker: there each open one counts.
 */
const selectVisible = sqlFor({
  sqlite: "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) + 1000 AS before_ms",
  postgres: `SELECT CAST(extract(epoch FROM least(clock_timestamp() + interval '1 second',
      (SELECT min(xact_start) - interval '5 seconds' FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
          AND (backend_xid IS NOT NULL OR to_regproc('citus_version') IS NOT NULL))))
    * 1000 AS BIGINT) AS before_ms`,
});

const selectNext = sql(`SELECT seq, ${ENDED_COLUMNS} FROM requests WHERE seq > ? ORDER BY seq LIMIT ?`);

// The columns of the two tables have different names.
const selectWaiting = sql(
  `SELECT since_ms, counted, ${ENDED_COLUMNS} FROM traffic_waiting JOIN requests ON id = request_id
    ORDER BY request_id LIMIT ?`,
);
/** How many waiting requests are looked at in one slice. They are as many as run at a time. */
const WAITING_AT_ONCE = 5000;

type NextRow = EndedRow & { readonly seq: unknown };
type WaitingRow = EndedRow & { readonly since_ms: unknown; readonly counted: string | null };

/**
 * The next finished requests in the order of their rows, and those that have ended since their turn came. A slice of written rows only does
 * not say that everything is counted up to now.
 */
export function* readTrafficSlice({ limit, prices_json, written_only = false }: TrafficSliceQuery): Work<TrafficSlice> {
  const started_ms = yield* now_ms();
  const state = yield* row<{ revision: unknown; counted_seq: unknown }>(selectState);
  const after_seq = toIntOrNull(state?.counted_seq) ?? 0;
  const visible = yield* row<{ before_ms: unknown }>(selectVisible);
  const before_ms = toInt(visible?.before_ms);
  const found = yield* rows<NextRow>(selectNext, [after_seq, limit]);
  const end = found.findIndex(({ created_ms }) => toInt(created_ms) >= before_ms);
  const next = end === -1 ? found : found.slice(0, end);
  const counted = new SliceCounts(pricesOf(prices_json));
  for (const [at, request] of (yield* endedRequests(next)).entries()) {
    if (request === null) counted.wait.push({ request_id: next[at]?.id ?? "", counted: null });
    else counted.add(request);
  }
  yield* countWaiting(counted, started_ms);
  const has_more = end === -1 && found.length === limit;
  return {
    revision: toIntOrNull(state?.revision) ?? 0,
    to_seq: toIntOrNull(next.at(-1)?.seq) ?? after_seq,
    counted_ms: end === -1 && !has_more && !written_only ? Math.min(started_ms, before_ms) : lastTime(next),
    cells: counted.cells,
    vendors: counted.slots.all.filter(({ slot }) => slot >= oldestSlot(started_ms)),
    wait: counted.wait,
    settled: counted.settled,
    has_more,
  };
}

function lastTime(next: readonly NextRow[]): number {
  const last = next.at(-1);
  return last === undefined ? 0 : toInt(last.created_ms);
}

let last_prices: { readonly json: string; readonly prices: UpstreamPrices } = { json: "{}", prices: {} };

/** The prices of a slice; those of the slice before are read no more. */
function pricesOf(json: string): UpstreamPrices {
  if (json !== last_prices.json) last_prices = { json, prices: JSON.parse(json) as UpstreamPrices };
  return last_prices.prices;
}

/** Counts those of the waiting requests that have ended since, and corrects those whose own end came late. */
function* countWaiting(sums: SliceCounts, time_ms: number): Work<void> {
  const waiting = yield* rows<WaitingRow>(selectWaiting, [WAITING_AT_ONCE]);
  for (const [at, request] of (yield* endedRequests(waiting)).entries()) {
    const { counted = null, since_ms = 0 } = waiting[at] ?? {};
    if (request === null) continue;
    if (counted === null) {
      sums.add(request);
      if (!request.is_recovered) sums.settled.push(request.id);
    } else if (request.late) {
      sums.correct(JSON.parse(counted) as TrafficSliceCell, request);
      sums.settled.push(request.id);
    } else if (time_ms - toInt(since_ms) > LATE_WITHIN_MS) sums.settled.push(request.id);
  }
}

type CountedCell = TrafficPlace & { readonly counts: number[] };

class SliceCounts {
  readonly slots = new VendorSlots();
  readonly wait: TrafficSlice["wait"][number][] = [];
  readonly settled: string[] = [];
  readonly #prices: UpstreamPrices;
  readonly #cells = new Map<string, CountedCell>();
  /** The cell that was counted in last: requests of one place often come in a row. */
  #last: CountedCell | null = null;

  constructor(prices: UpstreamPrices) {
    this.#prices = prices;
  }

  add(request: EndedRequest): void {
    this.#count(placeOf(request), request);
    if (request.is_recovered) this.wait.push({ request_id: request.id, counted: JSON.stringify(this.#alone(request)) });
  }

  /** Takes back what was counted of a request, and counts its own end where the recovery had counted it, as the day's usage does. */
  correct(was: TrafficSliceCell, request: EndedRequest): void {
    const { counts } = this.#cellOf(was);
    for (const [at, count] of was.counts.entries()) counts[at] = (counts[at] ?? 0) - count;
    // The recovery knew of no attempts.
    this.#count({ ...placeOf(request), hour: was.hour }, request);
  }

  get cells(): TrafficSliceCell[] {
    return [...this.#cells.values()];
  }

  #count(place: TrafficPlace, request: EndedRequest): void {
    addRequest(this.#cellOf(place).counts, request, this.#prices);
    this.slots.addRequest(request);
  }

  #alone(request: EndedRequest): TrafficSliceCell {
    const counts = noCounts();
    addRequest(counts, request, this.#prices);
    return { ...placeOf(request), counts };
  }

  #cellOf(place: TrafficPlace): CountedCell {
    if (this.#last !== null && isAt(this.#last, place)) return this.#last;
    const { hour, account_id, key_id, model, vendor, upstream_model, outcome } = place;
    const id = `${hour}\n${account_id}\n${key_id}\n${model}\n${vendor}\n${upstream_model}\n${outcome}`;
    let cell = this.#cells.get(id);
    if (cell === undefined) {
      cell = { hour, account_id, key_id, model, vendor, upstream_model, outcome, counts: noCounts() };
      this.#cells.set(id, cell);
    }
    this.#last = cell;
    return cell;
  }
}

function isAt(cell: CountedCell, place: TrafficPlace): boolean {
  return (
    cell.key_id === place.key_id &&
    cell.hour === place.hour &&
    cell.model === place.model &&
    cell.outcome === place.outcome &&
    cell.vendor === place.vendor &&
    cell.upstream_model === place.upstream_model &&
    cell.account_id === place.account_id
  );
}

const MS_PER_HOUR = 3_600_000;

/** What a request is told apart by. */
export type TrafficPlace = Omit<TrafficSliceCell, "counts">;

function placeOf(request: EndedRequest): TrafficPlace {
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

function noCounts(): number[] {
  return new Array<number>(COUNTS).fill(0);
}

function addRequest(counts: number[], request: EndedRequest, prices: UpstreamPrices): void {
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
