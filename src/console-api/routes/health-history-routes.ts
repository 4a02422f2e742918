import type { Cell } from "../../../contract/csv.ts";
import {
  type CircuitHistory,
  CircuitHistoryQuery,
  type VendorHistory,
  VendorHistoryQuery,
} from "../../../contract/health.ts";
import type { ConsoleAnswer } from "../../core/answer/console-exchange.ts";
import { MS_PER_DAY } from "../../core/clock.ts";
import { ERRORS, type ErrorCode } from "../../core/errors.ts";
import { given } from "../../core/given.ts";
import type { CircuitRecord } from "../../core/operations/circuits.ts";
import type { VendorHistory as Found, VendorSlot } from "../../core/operations/traffic.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { csvAnswer } from "../show/csv-file.ts";
import { showTime } from "../show/show.ts";

/** What became of the vendors' calls, and when circuits opened and closed. */
export const healthHistoryRoutes = [
  route("GET /health/vendors", "administrator", { query: VendorHistoryQuery, handle: reportVendors }),
  route("GET /health/circuits", "administrator", { query: CircuitHistoryQuery, handle: reportCircuits }),
];

const SLOT_MS = 300_000;
/** The strips: how many slots a step has, and how many steps there are. */
const RANGES = { day: { step_slots: 3, steps: 96 }, week: { step_slots: 24, steps: 84 } } as const;

async function reportVendors(call: ConsoleCall<unknown, VendorHistoryQuery>): Promise<ConsoleAnswer> {
  const { range = "day", format = "json" } = call.query;
  const { step_slots, steps } = RANGES[range];
  const step_ms = step_slots * SLOT_MS;
  const to_step = Math.floor(call.deps.clock.now_ms() / step_ms) + 1;
  const span = { from_slot: (to_step - steps) * step_slots, to_slot: to_step * step_slots, step_slots };
  const found = await call.deps.accounts.vendorHistory(span);
  const shown = showVendors(found, { since_ms: span.from_slot * SLOT_MS, step_ms, step_count: steps });
  return format === "csv" ? downloadVendors(shown, range) : { status: 200, body: shown };
}

interface Strip {
  readonly since_ms: number;
  readonly step_ms: number;
  readonly step_count: number;
}

function showVendors(found: Found, { since_ms, step_ms, step_count }: Strip): VendorHistory {
  const routes_of = Map.groupBy(found.routes, ({ vendor }) => vendor);
  const steps_of = Map.groupBy(found.steps, ({ vendor }) => vendor);
  return {
    object: "vendor_history",
    since: showTime(since_ms),
    step_s: step_ms / 1000,
    step_count,
    counted_until: found.counted_ms === null ? null : showTime(found.counted_ms),
    vendors: Array.from(routes_of, ([vendor, routes]) => ({
      vendor,
      ...callsOf(routes),
      steps: Array.from(
        Map.groupBy(steps_of.get(vendor) ?? [], ({ step }) => step),
        ([step, rows]) => ({ step, ...callsOf(rows) }),
      ),
      routes: Array.from(
        Map.groupBy(routes, ({ upstream_model }) => upstream_model),
        ([upstream_model, rows]) => ({ upstream_model, ...callsOf(rows) }),
      ),
    })),
  };
}

type Calls = Omit<VendorHistory["vendors"][number], "vendor" | "steps" | "routes">;

function callsOf(
  rows: readonly Pick<VendorSlot, "error" | "calls" | "first_ms" | "first_count" | "total_ms">[],
): Calls {
  const sum = (of: (row: (typeof rows)[number]) => number): number => rows.reduce((all, row) => all + of(row), 0);
  const bad = Map.groupBy(
    rows.filter(({ error }) => error !== ""),
    ({ error }) => error,
  );
  const errors = Object.fromEntries(
    Array.from(bad, ([error, some]) => [error, some.reduce((all, { calls }) => all + calls, 0)] as const),
  );
  const calls = sum((row) => row.calls);
  const failed = Object.entries(errors).reduce((all, [code, count]) => all + (isVendorsFault(code) ? count : 0), 0);
  const good = calls - Object.values(errors).reduce((all, count) => all + count, 0);
  const first_count = sum((row) => row.first_count);
  return {
    ...{ calls, failed, errors },
    first_byte_ms: first_count === 0 ? null : Math.round(sum((row) => row.first_ms) / first_count),
    total_ms: good === 0 ? null : Math.round(sum((row) => row.total_ms) / good),
  };
}

/** A bad request is its sender's fault. A code that this version does not know is taken for the vendor's. */
function isVendorsFault(code: string): boolean {
  const status = code in ERRORS ? ERRORS[code as ErrorCode].status : 500;
  return status === 429 || status >= 500;
}

function downloadVendors({ vendors, since, step_s }: VendorHistory, range: string): ConsoleAnswer {
  const start = Date.parse(since);
  const rows = vendors.flatMap(({ vendor, steps }) =>
    steps.map((each): Cell[] => [
      ...[showTime(start + each.step * step_s * 1000), vendor, each.calls, each.failed],
      ...[each.first_byte_ms, each.total_ms],
      Object.entries(each.errors)
        .map(([error, count]) => `${error} ${count}`)
        .join("; "),
    ]),
  );
  return csvAnswer(`vendors-last-${range}`, [
    ["start", "vendor", "calls", "failed", "first_byte_mean_ms", "total_mean_ms", "errors"],
    ...rows,
  ]);
}

const DAYS = { day: 1, week: 7 } as const;
const SHOWN_CHANGES = 200;
const FILE_ROWS = 5000;

async function reportCircuits(call: ConsoleCall<unknown, CircuitHistoryQuery>): Promise<ConsoleAnswer> {
  const { range = "day", vendor, format = "json" } = call.query;
  const { accounts, clock } = call.deps;
  const since_ms = clock.now_ms() - DAYS[range] * MS_PER_DAY;
  const limit = format === "csv" ? FILE_ROWS : SHOWN_CHANGES;
  const found = await accounts.listCircuitChanges({
    since_ms,
    limit: limit + 1,
    ...given({ vendor }),
  });
  const labels = await accounts.labelAccounts(found.flatMap(({ account_id }) => account_id ?? []));
  const emails = new Map(labels.map(({ id, email }) => [id, email]));
  const data = found.slice(0, limit).map((record) => showChange(record, emails));
  if (format === "csv") return downloadCircuits(data, range);
  const body: CircuitHistory = { object: "list", data, has_more: found.length > limit, since: showTime(since_ms) };
  return { status: 200, body };
}

type CircuitRow = CircuitHistory["data"][number];

function showChange(record: CircuitRecord, emails: ReadonlyMap<string, string>): CircuitRow {
  const { account_id, attempts, failures } = record;
  return {
    at: showTime(record.at_ms),
    node: record.node_id,
    vendor: record.vendor,
    upstream_model: record.upstream_model,
    account: account_id,
    account_email: account_id === null ? null : (emails.get(account_id) ?? null),
    state: record.state,
    reason: record.reason,
    ...{ attempts, failures },
  };
}

const COLUMNS = [
  ...(["at", "node", "vendor", "upstream_model", "account", "account_email", "state", "reason"] as const),
  ...(["attempts", "failures"] as const),
];

function downloadCircuits(data: readonly CircuitRow[], range: string): ConsoleAnswer {
  return csvAnswer(`circuits-last-${range}`, [COLUMNS, ...data.map((each) => COLUMNS.map((name) => each[name]))]);
}
