import type { RequestRecord } from "../../core/ledger.ts";
import type { TrafficSlice, TrafficSliceCell, UpstreamPrices, VendorSlot } from "../../core/traffic.ts";
import { REQUEST_COLUMNS, requestRecords, type RequestRow } from "../accounts/request-rows.ts";
import { now_ms } from "../sql/clock.ts";
import { sql, sqlFor } from "../sql/statement.ts";
import { toInt, toIntOrNull } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { countRequest } from "./count-request.ts";
import { oldestSlot, vendorSlots } from "./vendor-slots.ts";

/** A late end (docs/rulings.md 146) corrects what was counted if it comes within this time of the recovery. */
const LATE_WITHIN_MS = 24 * 3_600_000;

const selectState = sql("SELECT revision, counted_seq FROM traffic_state WHERE one = 1");

/**
 * The time before which every row is visible. SQLite numbers rows in the order in which readers see them. On PostgreSQL a row may become
 * visible after one with a higher number, while a transaction that writes is open: the numbers of its rows were drawn at most the
 * ledger's deadline after its times were read.
 */
const selectVisible = sqlFor({
  sqlite: "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) + 1000 AS before_ms",
  postgres: `SELECT CAST(extract(epoch FROM least(clock_timestamp() + interval '1 second',
      (SELECT min(xact_start) - interval '5 seconds' FROM pg_stat_activity
        WHERE datname = current_database() AND backend_xid IS NOT NULL AND pid <> pg_backend_pid())))
    * 1000 AS BIGINT) AS before_ms`,
});

const selectNext = sql(`SELECT seq, ${REQUEST_COLUMNS} FROM requests WHERE seq > ? ORDER BY seq LIMIT ?`);

// The columns of the two tables have different names.
const selectWaiting = sql(
  `SELECT since_ms, counted, ${REQUEST_COLUMNS} FROM traffic_waiting JOIN requests ON id = request_id
    ORDER BY request_id LIMIT ?`,
);
/** How many waiting requests are looked at in one slice. They are as many as run at a time. */
const WAITING_AT_ONCE = 5000;

type NextRow = RequestRow & { readonly seq: unknown };
type WaitingRow = RequestRow & { readonly since_ms: unknown; readonly counted: string | null };

/** The next finished requests in the order of their rows, at most `limit`, and those that have ended since their turn came. */
export function* readTrafficSlice(asked: {
  readonly limit: number;
  readonly prices: UpstreamPrices;
}): Work<TrafficSlice> {
  const { limit, prices } = asked;
  const started_ms = yield* now_ms();
  const state = yield* row<{ revision: unknown; counted_seq: unknown }>(selectState);
  const after_seq = toIntOrNull(state?.counted_seq) ?? 0;
  const visible = yield* row<{ before_ms: unknown }>(selectVisible);
  const before_ms = toInt(visible?.before_ms);
  const found = yield* rows<NextRow>(selectNext, [after_seq, limit]);
  const end = found.findIndex(({ created_ms }) => toInt(created_ms) >= before_ms);
  const next = end === -1 ? found : found.slice(0, end);
  const cells = new Cells();
  const wait: TrafficSlice["wait"][number][] = [];
  for (const record of yield* requestRecords(next)) {
    if (record.status === "held") {
      wait.push({ request_id: record.id, counted: null });
      continue;
    }
    const cell = countRequest(record, prices);
    cells.add(cell);
    cells.vendors.push(...vendorSlots(record));
    if (isRecovered(record)) wait.push({ request_id: record.id, counted: JSON.stringify(cell) });
  }
  const waiting = yield* rows<WaitingRow>(selectWaiting, [WAITING_AT_ONCE]);
  const again = yield* endedSince(waiting, { prices, now_ms: started_ms, cells });
  return {
    revision: toIntOrNull(state?.revision) ?? 0,
    to_seq: toIntOrNull(next.at(-1)?.seq) ?? after_seq,
    counted_ms: end === -1 && found.length < limit ? Math.min(started_ms, before_ms) : lastTime(next),
    cells: cells.all,
    vendors: cells.vendors.filter(({ slot }) => slot >= oldestSlot(started_ms)),
    wait: [...wait, ...again.wait],
    settled: again.settled,
    has_more: end === -1 && found.length === limit,
  };
}

function lastTime(next: readonly NextRow[]): number {
  const last = next.at(-1);
  return last === undefined ? 0 : toInt(last.created_ms);
}

/** Counts those of the waiting requests that have ended since, and corrects those whose own end came late. */
function* endedSince(
  waiting: readonly WaitingRow[],
  { prices, now_ms: time_ms, cells }: { prices: UpstreamPrices; now_ms: number; cells: Cells },
): Work<Pick<TrafficSlice, "wait" | "settled">> {
  const settled: string[] = [];
  const wait: TrafficSlice["wait"][number][] = [];
  const records = yield* requestRecords(waiting);
  for (const [at, record] of records.entries()) {
    const { counted = null, since_ms = 0 } = waiting[at] ?? {};
    if (record.status === "held") continue;
    const cell = countRequest(record, prices);
    if (counted === null) {
      cells.add(cell);
      cells.vendors.push(...vendorSlots(record));
      if (isRecovered(record)) wait.push({ request_id: record.id, counted: JSON.stringify(cell) });
      else settled.push(record.id);
    } else if (record.late) {
      const was = JSON.parse(counted) as TrafficSliceCell;
      cells.add({ ...was, counts: was.counts.map((count) => -count) });
      // It is counted where the recovery had counted it, as the day's usage is.
      cells.add({ ...cell, hour: was.hour });
      // The recovery knew of no attempts.
      cells.vendors.push(...vendorSlots(record));
      settled.push(record.id);
    } else if (time_ms - toInt(since_ms) > LATE_WITHIN_MS) settled.push(record.id);
  }
  return { wait, settled };
}

/** Whether a recovery ended the request: it knows no times. */
function isRecovered({ queue_ms, late }: RequestRecord): boolean {
  return queue_ms === null && !late;
}

/** Cells that add up by what they are told apart by, and the attempts behind them. */
class Cells {
  readonly vendors: VendorSlot[] = [];
  readonly #cells = new Map<string, TrafficSliceCell & { readonly counts: number[] }>();

  add(cell: TrafficSliceCell): void {
    const { hour, account_id, key_id, model, vendor, upstream_model, outcome, counts } = cell;
    const id = [hour, account_id, key_id, model, vendor, upstream_model, outcome].join("\n");
    const known = this.#cells.get(id);
    if (known === undefined) this.#cells.set(id, { ...cell, counts: [...counts] });
    else for (const [at, count] of counts.entries()) known.counts[at] = (known.counts[at] ?? 0) + count;
  }

  get all(): TrafficSliceCell[] {
    return [...this.#cells.values()];
  }
}
