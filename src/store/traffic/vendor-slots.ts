import type { Attempt } from "../../core/ledger/ledger.ts";
import type { VendorHistory, VendorHistoryQuery, VendorSlot } from "../../core/operations/traffic.ts";
import { int, readRows, text, typesOf, valuesOf } from "../sql/columns.ts";
import { addedTo, insertEach, sql, sqlFor } from "../sql/statement.ts";
import { toIntOrNull } from "../sql/values.ts";
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

const SUMS = { calls: int, first_ms: int, first_count: int, total_ms: int } as const;
const NAMES = Object.keys(SUMS);
const SLOT = { slot: int, vendor: text, upstream_model: text, error: text, ...SUMS } as const;
const add = insertEach("vendor_slots", typesOf(SLOT), {
  conflict: `(slot, vendor, upstream_model, error) DO UPDATE SET ${addedTo("vendor_slots", NAMES)}`,
});

type Sum = { -readonly [Field in keyof VendorSlot]: VendorSlot[Field] };

/** Sums of attempts by slot, each place once. They are added up in place: every attempt of the gateway passes here. */
export class VendorSlots {
  readonly #sums = new Map<string, Sum>();
  /** The sum that was added to last: requests of one route often come in a row. */
  #last: Sum | null = null;

  addRequest({ attempts, ended_ms, created_ms, outcome }: EndedRequest): void {
    const slot = Math.floor((ended_ms ?? created_ms) / SLOT_MS);
    const last = attempts.at(-1);
    for (const attempt of attempts) {
      // An attempt that was given up because the client had left says nothing against its vendor.
      this.#add(slot, attempt, outcome === "left" && attempt === last);
    }
  }

  get all(): VendorSlot[] {
    return [...this.#sums.values()];
  }

  #add(slot: number, attempt: Attempt, was_left: boolean): void {
    const { error, first_byte_ms, calls = 1, failures = 1 } = attempt;
    const failed = error === null || was_left ? 0 : failures;
    if (calls > failed) {
      const good = this.#sumOf(slot, attempt, "");
      good.calls += calls - failed;
      good.total_ms += Math.round(attempt.duration_ms);
      if (first_byte_ms !== null) {
        good.first_ms += first_byte_ms;
        good.first_count += 1;
      }
    }
    if (failed > 0) this.#sumOf(slot, attempt, error ?? "").calls += failed;
  }

  #sumOf(slot: number, { vendor, upstream_model }: Attempt, error: string): Sum {
    const last = this.#last;
    if (
      last !== null &&
      last.slot === slot &&
      last.error === error &&
      last.vendor === vendor &&
      last.upstream_model === upstream_model
    ) {
      return last;
    }
    const place = `${slot}\n${vendor}\n${upstream_model}\n${error}`;
    let sum = this.#sums.get(place);
    if (sum === undefined) {
      sum = { slot, vendor, upstream_model, error, calls: 0, first_ms: 0, first_count: 0, total_ms: 0 };
      this.#sums.set(place, sum);
    }
    this.#last = sum;
    return sum;
  }
}

/** Adds slots, each place once: one statement changes a row once. */
export function* addVendorSlots(slots: readonly VendorSlot[]): Work<void> {
  if (slots.length === 0) return;
  yield* rows(
    add,
    slots.map((slot) => valuesOf(SLOT, slot)),
  );
}

const SUMMED = NAMES.map((name) => `CAST(sum(${name}) AS BIGINT) AS ${name}`).join(", ");
const selectState = sql("SELECT counted_ms FROM traffic_state WHERE one = 1");
/** The steps of a strip: whole numbers of slots since the first. */
const selectByVendor = sqlFor({
  sqlite: `SELECT (slot - ?) / ? AS step, vendor, error, ${SUMMED} FROM vendor_slots WHERE slot >= ? AND slot < ?
    GROUP BY 1, vendor, error ORDER BY vendor, step, error`,
  postgres: `SELECT (slot - ?::bigint) / ?::bigint AS step, vendor, error, ${SUMMED} FROM vendor_slots WHERE slot >= ? AND slot < ?
    GROUP BY 1, vendor, error ORDER BY vendor, step, error`,
});
const selectByRoute = sql(
  `SELECT vendor, upstream_model, error, ${SUMMED} FROM vendor_slots WHERE slot >= ? AND slot < ?
    GROUP BY vendor, upstream_model, error ORDER BY vendor, upstream_model, error`,
);

const STEP = { step: int, vendor: text, error: text, ...SUMS } as const;
const ROUTE = { vendor: text, upstream_model: text, error: text, ...SUMS } as const;

/** What all nodes measured, by vendor over time, and by route over all of it. */
export function* vendorHistory({ from_slot, to_slot, step_slots }: VendorHistoryQuery): Work<VendorHistory> {
  const asked = [from_slot, step_slots, from_slot, to_slot];
  const steps = yield* readRows(STEP, selectByVendor, asked);
  const routes = yield* readRows(ROUTE, selectByRoute, [from_slot, to_slot]);
  const state = yield* row<{ counted_ms: unknown }>(selectState);
  return { counted_ms: toIntOrNull(state?.counted_ms), steps, routes };
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
