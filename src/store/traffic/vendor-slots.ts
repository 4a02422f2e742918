import type { VendorHistory, VendorHistoryQuery, VendorSlot } from "../../core/traffic.ts";
import { insertEach, sql, sqlFor } from "../sql/statement.ts";
import { toInt, toIntOrNull } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import type { EndedRequest } from "./ended-requests.ts";

/** The length of a slot: five minutes. */
export const SLOT_MS = 300_000;
const SLOTS_PER_HOUR = 12;

const KEPT_MS = 10 * 24 * 3_600_000;

/** Requests that ended before are not counted: their slots would be deleted at once. */
export function oldestSlot(now_ms: number): number {
  return Math.floor((now_ms - KEPT_MS) / SLOT_MS);
}

/** The attempts of an ended request, by the slot in which it ended. Those of one request that are alike are one row. */
export function vendorSlots({ attempts, ended_ms, created_ms, outcome }: EndedRequest): VendorSlot[] {
  const slot = Math.floor((ended_ms ?? created_ms) / SLOT_MS);
  return attempts.flatMap(({ vendor, upstream_model, error, first_byte_ms, duration_ms, calls = 1, failures }, at) => {
    // An attempt that was given up because the client had left says nothing against its vendor.
    const was_left = outcome === "left" && at === attempts.length - 1;
    const failed = error === null || was_left ? 0 : (failures ?? 1);
    const route = { slot, vendor, upstream_model };
    const timed =
      first_byte_ms === null ? { first_ms: 0, first_count: 0 } : { first_ms: first_byte_ms, first_count: 1 };
    const good = { ...route, ...timed, error: "", calls: calls - failed, total_ms: Math.round(duration_ms) };
    const bad = { ...route, error: error ?? "", calls: failed, first_ms: 0, first_count: 0, total_ms: 0 };
    return [...(good.calls > 0 ? [good] : []), ...(failed > 0 ? [bad] : [])];
  });
}

const add = insertEach(
  "vendor_slots",
  {
    slot: "bigint",
    vendor: "text",
    upstream_model: "text",
    error: "text",
    calls: "bigint",
    first_ms: "bigint",
    first_count: "bigint",
    total_ms: "bigint",
  },
  {
    conflict: `(slot, vendor, upstream_model, error) DO UPDATE SET calls = vendor_slots.calls + excluded.calls,
      first_ms = vendor_slots.first_ms + excluded.first_ms, first_count = vendor_slots.first_count + excluded.first_count,
      total_ms = vendor_slots.total_ms + excluded.total_ms`,
  },
);

/** Sums of slots, each place once. */
export class VendorSlots {
  readonly #slots = new Map<string, VendorSlot>();

  add(each: VendorSlot): void {
    const place = `${each.slot}\n${each.vendor}\n${each.upstream_model}\n${each.error}`;
    const known = this.#slots.get(place);
    this.#slots.set(place, known === undefined ? each : sumOf(known, each));
  }

  get all(): VendorSlot[] {
    return [...this.#slots.values()];
  }
}

/** Adds slots, each place once: one statement changes a row once. */
export function* addVendorSlots(slots: readonly VendorSlot[]): Work<void> {
  if (slots.length === 0) return;
  yield* rows(
    add,
    slots.map(({ slot, vendor, upstream_model, error, calls, first_ms, first_count, total_ms }) => [
      ...[slot, vendor, upstream_model, error, calls, first_ms, first_count, total_ms],
    ]),
  );
}

function sumOf(a: VendorSlot, b: VendorSlot): VendorSlot {
  return {
    ...a,
    calls: a.calls + b.calls,
    first_ms: a.first_ms + b.first_ms,
    first_count: a.first_count + b.first_count,
    total_ms: a.total_ms + b.total_ms,
  };
}

const SUMS = ["calls", "first_ms", "first_count", "total_ms"]
  .map((name) => `CAST(sum(${name}) AS BIGINT) AS ${name}`)
  .join(", ");
const selectState = sql("SELECT counted_ms FROM traffic_state WHERE one = 1");
/** The steps of a strip: whole numbers of slots since the first. */
const selectByVendor = sqlFor({
  sqlite: `SELECT (slot - ?) / ? AS step, vendor, error, ${SUMS} FROM vendor_slots WHERE slot >= ? AND slot < ?
    GROUP BY 1, vendor, error ORDER BY vendor, step, error`,
  postgres: `SELECT (slot - ?::bigint) / ?::bigint AS step, vendor, error, ${SUMS} FROM vendor_slots WHERE slot >= ? AND slot < ?
    GROUP BY 1, vendor, error ORDER BY vendor, step, error`,
});
const selectByRoute = sql(
  `SELECT vendor, upstream_model, error, ${SUMS} FROM vendor_slots WHERE slot >= ? AND slot < ?
    GROUP BY vendor, upstream_model, error ORDER BY vendor, upstream_model, error`,
);

interface SumRow extends Readonly<Record<"calls" | "first_ms" | "first_count" | "total_ms", unknown>> {
  readonly vendor: string;
  readonly error: string;
}

/** What all nodes measured, by vendor over time, and by route over all of it. */
export function* vendorHistory({ from_slot, to_slot, step_slots }: VendorHistoryQuery): Work<VendorHistory> {
  const asked = [from_slot, step_slots, from_slot, to_slot];
  const steps = yield* rows<SumRow & { readonly step: unknown }>(selectByVendor, asked);
  const routes = yield* rows<SumRow & { readonly upstream_model: string }>(selectByRoute, [from_slot, to_slot]);
  const state = yield* row<{ counted_ms: unknown }>(selectState);
  return {
    counted_ms: toIntOrNull(state?.counted_ms),
    steps: steps.map((each) => ({ step: toInt(each.step), vendor: each.vendor, error: each.error, ...sums(each) })),
    routes: routes.map((each) => ({
      ...{ vendor: each.vendor, upstream_model: each.upstream_model, error: each.error },
      ...sums(each),
    })),
  };
}

function sums(each: SumRow) {
  return {
    calls: toInt(each.calls),
    first_ms: toInt(each.first_ms),
    first_count: toInt(each.first_count),
    total_ms: toInt(each.total_ms),
  };
}

const oldest = sql("SELECT min(slot) AS slot FROM vendor_slots");
const drop = sql("DELETE FROM vendor_slots WHERE slot <= ? AND slot < ?");
const clear = sql("DELETE FROM vendor_slots");

/** Deletes the oldest hour before a time. Returns how many hours went: 0 or 1. */
export function* dropVendorSlots(kept_since_ms: number): Work<number> {
  const first = toIntOrNull((yield* row<{ slot: unknown }>(oldest))?.slot);
  const kept = Math.floor(kept_since_ms / SLOT_MS);
  if (first === null || first >= kept) return 0;
  yield* rows(drop, [first + SLOTS_PER_HOUR, kept]);
  return 1;
}

export function* forgetVendorSlots(): Work<void> {
  yield* rows(clear);
}
