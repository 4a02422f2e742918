import type { Search } from "../../kit/url-state.ts";
import { RANGES, readRange as readTrafficRange } from "../traffic/traffic-query.ts";
import { PRESETS, readPreset } from "./range.ts";
import { DEFAULT_GROUPING } from "./report.ts";

/** Usage in money and by UTC day, as it is billed, or as traffic over time, with errors and latencies. */
export type UsageTab = "bill" | "traffic";

/** The fields that mean the same in both tabs. */
const SHARED = ["account", "since", "until", "key", "model"] as const;

/** The search of the other tab: the filters that both have stay, and the range and the grouping where the other has them, too. */
export function searchOf(to: UsageTab, search: Search, of_all: boolean): Search {
  const shared = Object.fromEntries(SHARED.map((name) => [name, search[name]]));
  // All accounts begin with traffic, one account with its bill.
  const view = to === (of_all ? "traffic" : "bill") ? undefined : to;
  return { ...shared, view, ...(to === "bill" ? billed(search) : traffic(search)) };
}

function billed({ range, by }: Search): Search {
  const known = readTrafficRange(range);
  const is_known = known === "custom" || PRESETS.some(({ value }) => value === known);
  const grouping = by === "key" ? "day,key" : undefined;
  return { range: is_known ? known : undefined, by: grouping };
}

function traffic({ range, by = DEFAULT_GROUPING }: Search): Search {
  const known = readPreset(range);
  const is_known = known === "custom" || RANGES.some(({ value }) => value === known);
  const grouping = by.endsWith("key") ? "key" : by.endsWith("model") ? "model" : undefined;
  return { range: is_known ? known : undefined, by: grouping };
}
