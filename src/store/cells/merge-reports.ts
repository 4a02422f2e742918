import type {
  TrafficCell,
  TrafficGroupSums,
  TrafficLatency,
  TrafficQuery,
  TrafficReport,
  TrafficSums,
  VendorHistory,
  VendorSlot,
} from "../../core/operations/traffic.ts";
import type {
  UsageCell,
  UsageExploration,
  UsageExploreQuery,
  UsageGroup,
  UsageRow,
  UsageTotals,
} from "../../core/store/ports.ts";
import { dearestFirst, withOthers } from "../accounts/explore-usage.ts";
import { USAGE } from "../accounts/usage-sums.ts";
import { MEASURED, TRAFFIC } from "../schema/traffic-columns.ts";
import { stackCells } from "../sql/report.ts";
import { othersOf } from "../traffic/report-traffic.ts";
import { byText, sumByName } from "./merge-lists.ts";

/** Reports on the traffic and the usage of all accounts, of which each cell has a part. */

type TrafficMeasures = TrafficSums & TrafficLatency;

/** More groups and rows than a report can have: which are shown apart is decided over all parts. */
const ALL = 10_000_000;

export function wholeTraffic(query: TrafficQuery): TrafficQuery {
  return { ...query, top: ALL };
}

/** `earlier`: each cell's report of the time before, by group, as its groups of the asked time lack those that it had earlier alone. */
export function mergeTraffic(
  parts: readonly TrafficReport[],
  earlier: readonly TrafficReport[],
  query: TrafficQuery,
): TrafficReport {
  const periods = query.periods.map((_, at) =>
    MEASURED.total(parts.map((part) => part.periods[at] ?? MEASURED.nothing)),
  );
  const total = MEASURED.total(parts.map((part) => part.total));
  const before = query.before === null ? null : MEASURED.total(parts.map((part) => part.before ?? MEASURED.nothing));
  const counted = { counted_ms: earliest(parts), is_behind: parts.some(({ is_behind }) => is_behind) };
  if (query.group === null) return { periods, total, before, groups: [], group_count: 0, cells: [], ...counted };
  const all = [
    ...sumByName(
      parts.flatMap((part) => part.groups),
      ({ id }) => id ?? "",
      addGroup,
    ).values(),
  ];
  const had = sumByName(
    earlier.flatMap((part) => part.groups),
    ({ id }) => id ?? "",
    addGroup,
  );
  const groups: TrafficGroupSums[] = all
    .toSorted(busiestFirst)
    .slice(0, query.top)
    .map((group) => ({
      ...group,
      before: before && MEASURED.combine(had.get(group.id ?? "") ?? MEASURED.nothing, MEASURED.nothing, 1),
    }));
  const ids = groups.flatMap(({ id }) => (id === null ? [] : [id]));
  const has_others = all.length > groups.length;
  const cells = trafficCells(parts, ids, has_others ? periods : null);
  if (has_others) groups.push(othersOf(groups, total, before));
  return { ...{ periods, total, before, groups }, group_count: all.length, cells, ...counted };
}

/** Up to when every part has counted; null where one has counted nothing yet. */
function earliest(parts: readonly { readonly counted_ms: number | null }[]): number | null {
  const times = parts.map(({ counted_ms }) => counted_ms ?? Number.NEGATIVE_INFINITY);
  const first = Math.min(...times);
  return Number.isFinite(first) ? first : null;
}

function addGroup(sum: TrafficGroupSums, group: TrafficGroupSums): TrafficGroupSums {
  return { ...MEASURED.combine(sum, group, 1), id: sum.id, name: sum.name ?? group.name, before: null };
}

function busiestFirst(a: TrafficGroupSums, b: TrafficGroupSums): number {
  if (a.charge_micro !== b.charge_micro) return a.charge_micro < b.charge_micro ? 1 : -1;
  return b.requests - a.requests || byText(a.id ?? "", b.id ?? "");
}

function trafficCells(
  parts: readonly TrafficReport[],
  ids: readonly string[],
  periods: readonly TrafficMeasures[] | null,
): TrafficCell[] {
  const shown = new Set(ids);
  const found = parts.flatMap(({ cells }) => cells).filter(({ group }) => group !== null && shown.has(group));
  const summed = sumByName(
    found,
    ({ period, group }) => `${period} ${group}`,
    (sum, cell) => ({ ...TRAFFIC.combine(sum, cell, 1), period: sum.period, group: sum.group }),
  );
  const cells = [...summed.values()]
    .toSorted((a, b) => a.period - b.period)
    .map(({ period, group, ...sums }) => ({ period, group, sums }));
  const stacked = stackCells<number, TrafficSums>(cells, {
    ...{ sums: TRAFFIC, groups: ids },
    wholes: periods?.map((whole, period) => [period, whole]) ?? null,
    isAny: ({ requests }) => requests !== 0,
  });
  return stacked.map(({ sums, period, group }) => ({ ...sums, period, group }));
}

type VendorCalls = Pick<VendorSlot, "calls" | "first_ms" | "first_count" | "total_ms">;

function addCalls<Row extends VendorCalls>(sum: Row, row: Row): Row {
  return {
    ...sum,
    calls: sum.calls + row.calls,
    first_ms: sum.first_ms + row.first_ms,
    first_count: sum.first_count + row.first_count,
    total_ms: sum.total_ms + row.total_ms,
  };
}

export function mergeHistories(parts: readonly VendorHistory[]): VendorHistory {
  const steps = sumByName(
    parts.flatMap((part) => part.steps),
    ({ vendor, step, error }) => JSON.stringify([vendor, step, error]),
    addCalls,
  );
  const routes = sumByName(
    parts.flatMap((part) => part.routes),
    ({ vendor, upstream_model, error }) => JSON.stringify([vendor, upstream_model, error]),
    addCalls,
  );
  return {
    counted_ms: earliest(parts),
    steps: [...steps.values()].toSorted(
      (a, b) => byText(a.vendor, b.vendor) || a.step - b.step || byText(a.error, b.error),
    ),
    routes: [...routes.values()].toSorted(
      (a, b) => byText(a.vendor, b.vendor) || byText(a.upstream_model, b.upstream_model) || byText(a.error, b.error),
    ),
  };
}

const addUsage = <Row extends UsageTotals>(sum: Row, row: Row): Row => ({ ...sum, ...USAGE.combine(sum, row, 1) });

export function mergeUsage(parts: readonly (readonly UsageRow[])[]): UsageRow[] {
  const sums = sumByName(parts.flat(), ({ group }) => group, addUsage);
  return [...sums.values()].toSorted((a, b) => byText(a.group, b.group));
}

/** What each cell is asked for: everything, in place of the largest groups of its own. */
export function wholeUsage(query: UsageExploreQuery): UsageExploreQuery {
  return { ...query, top: null, limit: ALL };
}

export function mergeExplorations(parts: readonly UsageExploration[], query: UsageExploreQuery): UsageExploration {
  const rows = parts.flatMap((part) => part.rows);
  if (query.group === null) {
    const all = [...sumByName(rows, ({ day }) => day ?? "", addUsage).values()];
    const days = all.toSorted(byDay).slice(0, query.limit);
    return { groups: [], rows: days, total: USAGE.total(days) };
  }
  const total = USAGE.total(parts.map((part) => part.total));
  const summed = sumByName(
    parts.flatMap((part) => part.groups),
    ({ id }) => id ?? "",
    addUsage,
  );
  const groups = withOthers([...summed.values()].toSorted(dearestFirst), query);
  if (query.by_day) return { groups, rows: usageCells(rows, groups, query), total };
  return { groups, rows: groups.map(({ id, ...rest }) => ({ ...rest, day: null, group: id })), total };
}

/** The shown groups day by day, and what the others have of each day. */
function usageCells(
  rows: readonly UsageCell[],
  groups: readonly UsageGroup[],
  { limit }: UsageExploreQuery,
): UsageCell[] {
  const shown = groups.flatMap(({ id }) => (id === null ? [] : [id]));
  const summed = [...sumByName(rows, ({ day, group }) => `${day} ${group}`, addUsage).values()].toSorted(byDay);
  const is_shown = new Set(shown);
  const cells = summed.flatMap(({ day, group, others: _, ...sums }) =>
    group === null || !is_shown.has(group) ? [] : [{ period: day, group, sums }],
  );
  const days = [...sumByName(rows, ({ day }) => day ?? "", addUsage).values()].toSorted(byDay).slice(0, limit);
  const stacked = stackCells<string | null, UsageTotals>(cells.slice(0, limit), {
    ...{ sums: USAGE, groups: shown },
    wholes: groups.length > shown.length ? days.map((day) => [day.day, day]) : null,
    isAny: ({ request_count }) => request_count !== 0,
  });
  return stacked.map(({ period: day, group, sums }) => ({ day, group, others: group === null, ...sums }));
}

function byDay(a: UsageCell, b: UsageCell): number {
  return byText(a.day ?? "", b.day ?? "");
}
