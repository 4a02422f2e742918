import type { ExploreBy, UsageExploration, UsageTotals } from "../../../contract/usage.ts";
import { toJsonNumber } from "../../core/money.ts";
import type { UsageExploration as Exploration, UsageTotals as Totals } from "../../core/ports.ts";

export function showTotals(totals: Totals): UsageTotals {
  return {
    cost_micro: toJsonNumber(totals.cost_micro),
    prompt_tokens: totals.prompt_tokens,
    completion_tokens: totals.completion_tokens,
    total_tokens: totals.prompt_tokens + totals.completion_tokens,
    request_count: totals.request_count,
    success_count: totals.success_count,
  };
}

export interface ExplorationLabels {
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
