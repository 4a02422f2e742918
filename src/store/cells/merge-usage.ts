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
import { stackCells } from "../sql/report.ts";
import { byText, sumByName } from "./merge-lists.ts";

/** Reports on the usage of all accounts, of which each cell has a part. */

const addUsage = <Row extends UsageTotals>(sum: Row, row: Row): Row => ({ ...sum, ...USAGE.combine(sum, row, 1) });

export function mergeUsage(parts: readonly (readonly UsageRow[])[]): UsageRow[] {
  const sums = sumByName(parts.flat(), ({ group }) => group, addUsage);
  return [...sums.values()].toSorted((a, b) => byText(a.group, b.group));
}

/** More groups and rows than a report can have: what is shown apart is decided over all parts. */
const ALL = 10_000_000;

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
  if (query.by_day) return { groups, rows: cellsOf(rows, groups, query), total };
  return { groups, rows: groups.map(({ id, ...rest }) => ({ ...rest, day: null, group: id })), total };
}

/** The shown groups day by day, and what the others have of each day. */
function cellsOf(rows: readonly UsageCell[], groups: readonly UsageGroup[], { limit }: UsageExploreQuery): UsageCell[] {
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
