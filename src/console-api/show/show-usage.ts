import type { ExploreBy, UsageExploration } from "../../../contract/usage.ts";
import type { UsageExploration as Exploration } from "../../core/store/ports.ts";
import { showTotals } from "../../ledger/account-objects.ts";

interface ExplorationLabels {
  readonly by: ExploreBy;
  readonly tag?: string;
  readonly tag_value?: string;
  readonly since: string;
  readonly until: string;
  readonly currency: string;
  /** Names of keys by their ids. */
  readonly names: ReadonlyMap<string, string>;
}

export function showExploration(found: Exploration, labels: ExplorationLabels): UsageExploration {
  const { by, tag = null, tag_value: value = null, since, until, currency, names } = labels;
  return {
    object: "usage.exploration",
    by,
    tag,
    value,
    since,
    until,
    currency,
    groups: found.groups.map((group) => ({
      id: group.id,
      name: group.id === null ? null : (names.get(group.id) ?? null),
      others: group.others,
      ...showTotals(group),
    })),
    data: found.rows.map((row) => ({ day: row.day, group: row.group, others: row.others, ...showTotals(row) })),
    total: showTotals(found.total),
  };
}
