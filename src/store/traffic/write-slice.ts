import type { TrafficSlice, TrafficSliceCell } from "../../core/operations/traffic.ts";
import { TRAFFIC_TABLES } from "../schema/0001-traffic.ts";
import { COUNT_COLUMNS, LATENCY_COLUMNS } from "../schema/traffic-columns.ts";
import { now_ms } from "../sql/clock.ts";
import {
  addedTo,
  type Columns,
  deleteEach,
  insertEach,
  lookup,
  type SetStatement,
  sql,
  type Value,
} from "../sql/statement.ts";
import { toInt, toIntOrNull } from "../sql/values.ts";
import { row, rows, type Step, step, type Work } from "../sql/work.ts";
import { forgetSums } from "../sums/make-sums.ts";
import { addVendorSlots, forgetVendorSlots } from "./vendor-slots.ts";

const HOURS_PER_DAY = 24;

const openState = sql(
  "INSERT INTO traffic_state (one, revision, counted_seq, counted_ms, is_behind) VALUES (1, 0, 0, NULL, 1) ON CONFLICT (one) DO NOTHING",
);
const lockState = sql("SELECT revision FROM traffic_state WHERE one = 1 {lock}");
const setState = sql(
  `UPDATE traffic_state SET revision = revision + 1, counted_seq = ?, counted_ms = coalesce(nullif(?, 0), counted_ms), is_behind = ?
    WHERE one = 1`,
);
const addWaiting = insertEach(
  "traffic_waiting",
  { request_id: "text", since_ms: "bigint", counted: "text" },
  { conflict: "(request_id) DO UPDATE SET since_ms = excluded.since_ms, counted = excluded.counted" },
);
const dropWaiting = deleteEach("traffic_waiting", { request_id: "text" });

const ROUTE = { model: "text", vendor: "text", upstream_model: "text" } as const satisfies Columns;
const selectRoutes = lookup("SELECT no, model, vendor, upstream_model FROM traffic_routes", ROUTE);
const insertRoutes = insertEach("traffic_routes", ROUTE, { conflict: "(model, vendor, upstream_model) DO NOTHING" });

type TableName = keyof typeof TRAFFIC_TABLES;
const TABLE_NAMES = Object.keys(TRAFFIC_TABLES) as TableName[];

const INSERTS: Readonly<Record<TableName, SetStatement>> = Object.fromEntries(
  TABLE_NAMES.map((name) => [name, insertInto(name)]),
) as Record<TableName, SetStatement>;

function insertInto(name: TableName): SetStatement {
  const { time, of_account, of_route } = TRAFFIC_TABLES[name];
  const account: Columns = of_account ? { account_id: "text", key_id: "text" } : {};
  const route: Columns = of_route ? { route_no: "bigint" } : {};
  const place: Columns = { [time]: "bigint", ...account, ...route, outcome: "text" };
  const latency = of_account ? [] : LATENCY_COLUMNS;
  const counts: Columns = Object.fromEntries(
    [...COUNT_COLUMNS, ...latency].map((column) => [column, "bigint"] as const),
  );
  const sums = [
    addedTo(name, COUNT_COLUMNS),
    ...latency.map((each) => `${each} = nullif(coalesce(${name}.${each}, 0) + coalesce(excluded.${each}, 0), 0)`),
  ];
  const conflict = `(${Object.keys(place).join(", ")}) DO UPDATE SET ${sums.join(", ")}`;
  return insertEach(name, { ...place, ...counts }, { conflict });
}

/** Adds a slice. False, and nothing is written, where the count has gone on since the slice was read. */
export function* writeTrafficSlice(slice: TrafficSlice): Work<boolean> {
  yield* rows(openState);
  const state = yield* row<{ revision: unknown }>(lockState);
  if (toIntOrNull(state?.revision) !== slice.revision) return false;
  yield* addVendorSlots(slice.vendors);
  const steps: Step[] = [...(yield* cellSteps(slice.cells))];
  const time_ms = yield* now_ms();
  const gone = slice.settled.map((id) => [id]);
  const wait = slice.wait.map(({ request_id, counted }) => [request_id, time_ms, counted]);
  if (gone.length > 0) steps.push(step(dropWaiting, gone));
  if (wait.length > 0) steps.push(step(addWaiting, wait));
  steps.push(step(setState, [slice.to_seq, slice.counted_ms, slice.has_more ? 1 : 0]));
  yield steps;
  return true;
}

/** Adds sums to all tables. */
export function* addCells(cells: readonly TrafficSliceCell[]): Work<void> {
  const steps = yield* cellSteps(cells);
  if (steps.length > 0) yield steps;
}

function* cellSteps(cells: readonly TrafficSliceCell[]): Work<readonly Step[]> {
  const numbers = yield* routeNumbers(cells);
  return TABLE_NAMES.flatMap((name) => {
    const params = rowsOf(name, cells, numbers);
    return params.length === 0 ? [] : [step(INSERTS[name], params)];
  });
}

interface TrafficRouteRow {
  readonly no: unknown;
  readonly model: string;
  readonly vendor: string;
  readonly upstream_model: string;
}

type Named = Pick<TrafficSliceCell, "model" | "vendor" | "upstream_model">;

function routeId({ model, vendor, upstream_model }: Named): string {
  return `${model}\n${vendor}\n${upstream_model}`;
}

function* routeNumbers(cells: readonly TrafficSliceCell[]): Work<ReadonlyMap<string, number>> {
  const asked = new Map(cells.map((cell) => [routeId(cell), [cell.model, cell.vendor, cell.upstream_model]]));
  const numbers = new Map<string, number>();
  if (asked.size === 0) return numbers;
  // In an order that all nodes keep, so that two that add the same routes never wait for each other in a circle.
  const params = [...asked].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, route]) => route);
  const note = (found: readonly TrafficRouteRow[]): void => {
    for (const route of found) numbers.set(routeId(route), toInt(route.no));
  };
  note(yield* rows<TrafficRouteRow>(selectRoutes, params));
  if (numbers.size === asked.size) return numbers;
  yield* rows(insertRoutes, params);
  note(yield* rows<TrafficRouteRow>(selectRoutes, params));
  return numbers;
}

/** The slice's cells as rows of a table, each place once. */
function rowsOf(
  name: TableName,
  cells: readonly TrafficSliceCell[],
  numbers: ReadonlyMap<string, number>,
): readonly (readonly Value[])[] {
  const { time, of_account, of_route } = TRAFFIC_TABLES[name];
  const length = of_account ? COUNT_COLUMNS.length : undefined;
  const found = new Map<string, { place: Value[]; counts: number[] }>();
  for (const cell of cells) {
    const at = time === "hour" ? cell.hour : Math.floor(cell.hour / HOURS_PER_DAY);
    const account = of_account ? [cell.account_id, cell.key_id] : [];
    const route = of_route ? [numbers.get(routeId(cell)) ?? 0, cell.outcome] : [statusOf(cell.outcome)];
    const place: Value[] = [at, ...account, ...route];
    const id = place.join("\n");
    const known = found.get(id);
    if (known === undefined) found.set(id, { place, counts: cell.counts.slice(0, length) });
    else
      for (const index of known.counts.keys())
        known.counts[index] = (known.counts[index] ?? 0) + (cell.counts[index] ?? 0);
  }
  return Array.from(found.values(), ({ place, counts }) => [
    ...place,
    ...counts.map((count, index) => (index >= COUNT_COLUMNS.length && count === 0 ? null : count)),
  ]);
}

/** The outcome without its code, so that rows are few. Reading takes it for what it stands for (traffic-columns.ts). */
function statusOf(outcome: string): string {
  if (outcome === "answered" || outcome === "left") return outcome;
  return outcome.startsWith("!") ? "!" : "failed";
}

/** Refusals have no requests to be counted anew from. */
const clear = TABLE_NAMES.map((name) => sql(`DELETE FROM ${name} WHERE substr(outcome, 1, 1) <> '!'`));
const clearWaiting = sql("DELETE FROM traffic_waiting");
const startAgain = sql(
  // Also those that have come from another cell, whose places are below all others (store/cells/move).
  `UPDATE traffic_state SET revision = revision + 1, counted_seq = ${Number.MIN_SAFE_INTEGER}, counted_ms = NULL, is_behind = 1 WHERE one = 1`,
);

/** Forgets all counts: the requests that are kept are then counted anew in the background. */
export function* recountTraffic(): Work<void> {
  yield* rows(openState);
  yield* rows(lockState);
  for (const statement of [...clear, clearWaiting, startAgain]) yield* rows(statement);
  yield* forgetVendorSlots();
  yield* forgetSums("traffic");
}

const oldestHour = sql("SELECT min(hour) AS hour FROM traffic_account_hours");
const dropHours = (["traffic_account_hours", "traffic_hours"] as const).map((name) =>
  sql(`DELETE FROM ${name} WHERE hour <= ? AND hour < ?`),
);

/** Deletes the oldest hour's sums where it lies before a time; days stay. Returns how many hours were deleted: 0 or 1. */
export function* dropTraffic(kept_since_ms: number): Work<number> {
  const oldest = toIntOrNull((yield* row<{ hour: unknown }>(oldestHour))?.hour);
  const first_kept = Math.floor(kept_since_ms / 3_600_000);
  if (oldest === null || oldest >= first_kept) return 0;
  for (const statement of dropHours) yield* rows(statement, [oldest, first_kept]);
  return 1;
}
