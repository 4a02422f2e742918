import { MS_PER_DAY } from "../../core/clock.ts";
import type { GatewayFacts, OpenAlert, VendorPace } from "../../core/deliveries/alerts.ts";
import { int, readRows, text } from "../sql/columns.ts";
import { sql, sqlFor } from "../sql/statement.ts";
import { toInt, toIntOrNull, toMicro } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { SLOT_MS } from "../traffic/vendor-slots.ts";

/** A circuit that nobody closed is that of a process that has ended. */
const CIRCUIT_MS = 3_600_000;
/** The least calls of a slot that tell how fast a route is. */
const PACE_LEAST_CALLS = 10;
/** A faster route makes no alert, so the day before is read for slower ones alone. */
const PACE_LEAST_MS = 2000;
/** The slot that has begun has few calls at first, and those of the last minutes may be counted late. */
const PACE_NOW_SLOTS = 3;
const SLOTS_PER_DAY = MS_PER_DAY / SLOT_MS;

const selectVendors = sql(
  `SELECT vendor, CAST(sum(calls) AS BIGINT) AS calls, CAST(sum(CASE WHEN error = '' THEN 0 ELSE calls END) AS BIGINT) AS failures
    FROM vendor_slots WHERE slot = ? GROUP BY vendor`,
);
const selectCircuits = sql(
  `SELECT node_id, vendor, upstream_model, state, reason FROM circuit_changes WHERE at_ms >= ? AND account_id IS NULL ORDER BY at_ms, no`,
);
const selectIncidents = sql("SELECT seq, kind, detail FROM incidents WHERE closed_ms IS NULL ORDER BY seq LIMIT 100");
const selectAudit = sql("SELECT result FROM chores WHERE name = 'audit'");
/** Backups of PostgreSQL are its operator's own, and the gateway does not know of them. */
const selectBackUp = sqlFor({
  sqlite: "SELECT 1 AS is_known, (SELECT value FROM marks WHERE name = 'backed_up_ms') AS at_ms",
  postgres: "SELECT 0 AS is_known, NULL::bigint AS at_ms",
});
const selectLoss = sql(
  "SELECT CAST(coalesce(sum(loss_micro), 0) AS BIGINT) AS loss_micro FROM traffic_hours WHERE hour >= ?",
);

const CALLS = { vendor: text, calls: int, failures: int } as const;

const selectPaces = sql(
  `SELECT vendor, upstream_model, slot, first_ms / first_count AS mean_ms FROM vendor_slots
    WHERE slot > ? AND error = '' AND first_count >= ? ORDER BY vendor, upstream_model, slot DESC`,
);
const selectDay = sql(
  `SELECT first_ms / first_count AS mean_ms FROM vendor_slots
    WHERE slot >= ? AND slot < ? AND vendor = ? AND upstream_model = ? AND error = '' AND first_count > 0`,
);

const PACE = { vendor: text, upstream_model: text, slot: int, mean_ms: int } as const;
const MEAN = { mean_ms: int } as const;

/** The routes that are slow now, and those whose alert was begun. Most of the time there is none, and the day is not read. */
function* paces(slot: number, begun: ReadonlySet<string>): Work<VendorPace[]> {
  const recent = yield* readRows(PACE, selectPaces, [slot - PACE_NOW_SLOTS, PACE_LEAST_CALLS]);
  const found: VendorPace[] = [];
  for (const slots of Map.groupBy(recent, ({ vendor, upstream_model }) => `${vendor} ${upstream_model}`).values()) {
    const [newest, second = newest] = slots;
    if (newest === undefined || second === undefined) continue;
    const { vendor, upstream_model: model } = newest;
    const now_ms = slots.slice(0, 2).map(({ mean_ms }) => mean_ms);
    const is_slow = now_ms.length === 2 && now_ms.every((each) => each >= PACE_LEAST_MS);
    if (!is_slow && !begun.has(`${vendor} ${model}`)) continue;
    const until = second.slot;
    const day = yield* readRows(MEAN, selectDay, [until - SLOTS_PER_DAY, until, vendor, model]);
    found.push({ vendor, model, now_ms, before_ms: day.map(({ mean_ms }) => mean_ms) });
  }
  return found;
}

export function* gatewayFacts(now: number, open: readonly OpenAlert[]): Work<GatewayFacts> {
  const slot = Math.floor(now / SLOT_MS);
  const begun = new Set(open.flatMap(({ type, subject }) => (type === "vendor.failing" ? [subject] : [])));
  // A vendor whose alert was begun may have no call any more. One with a model is a route that was slow.
  const silent = [...begun].filter((subject) => !subject.includes(" "));
  const vendors = new Map<string, { vendor: string; calls: number; failures: number }>(
    silent.map((vendor) => [vendor, { vendor, calls: 0, failures: 0 }]),
  );
  // The slot that has begun or the one before it, whichever has more failures.
  for (const each of [slot - 1, slot]) {
    for (const counted of yield* readRows(CALLS, selectVendors, [each]))
      if (counted.failures >= (vendors.get(counted.vendor)?.failures ?? 0)) vendors.set(counted.vendor, counted);
  }
  const circuits = new Map<string, { vendor: string; model: string; reason: string }>();
  type Change = Readonly<Record<"node_id" | "vendor" | "upstream_model" | "state" | "reason", string>>;
  for (const change of yield* rows<Change>(selectCircuits, [now - CIRCUIT_MS])) {
    const { node_id, vendor, upstream_model: model, state, reason } = change;
    if (state === "opened") circuits.set(`${node_id} ${vendor} ${model}`, { vendor, model, reason });
    else circuits.delete(`${node_id} ${vendor} ${model}`);
  }
  const incidents = yield* rows<{ seq: unknown; kind: string; detail: string }>(selectIncidents);
  const backup = yield* row<{ is_known: unknown; at_ms: unknown }>(selectBackUp);
  const loss = yield* row<{ loss_micro: unknown }>(selectLoss, [Math.floor(now / MS_PER_DAY) * 24]);
  return {
    vendors: [...vendors.values()],
    paces: yield* paces(slot, begun),
    circuits: [...new Map([...circuits.values()].map((each) => [`${each.vendor} ${each.model}`, each])).values()],
    incidents: incidents.map(({ seq, kind, detail }) => ({ id: toInt(seq), kind, detail })),
    audit: (yield* row<{ result: string | null }>(selectAudit))?.result ?? null,
    ...(toInt(backup?.is_known ?? 0) === 1 && { backed_up_ms: toIntOrNull(backup?.at_ms) }),
    loss_micro: toMicro(loss?.loss_micro ?? 0),
  };
}
