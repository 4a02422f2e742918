import type { ReactNode } from "react";
import type { Traffic, TrafficBy, TrafficQuery } from "../../../../contract/traffic.ts";
import { urlOf } from "../../api/call.ts";
import { useApi } from "../../api/use-api.ts";
import { Card } from "../../kit/card.tsx";
import { FilterBar, FilterDay, FilterSelect } from "../../kit/filter-bar.tsx";
import { FoldedFilters } from "../../kit/folded-filters.tsx";
import { formatExactTime, viewerZone } from "../../kit/format.ts";
import { Select } from "../../kit/input.tsx";
import { EmptyState, Loaded, Notice, PageSkeleton } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { KeyFilter } from "../keys/key-filter.tsx";
import { ModelFilter } from "../keys/model-filter.tsx";
import { TrafficChart } from "./traffic-chart.tsx";
import {
  DEFAULT_RANGE,
  FIELDS,
  type Fields,
  GROUPINGS,
  RANGES,
  readGrouping,
  readQuery,
  readRange,
  STATUSES,
} from "./traffic-query.ts";
import { TrafficTable } from "./traffic-table.tsx";
import { TrafficTiles } from "./traffic-tiles.tsx";

/** How often the figures are read again while the page is visible: they are counted every few seconds. */
const REFRESH_MS = 15_000;
/** The most groups that a chart can show distinctly; the table has more, and the file has all. */
const SHOWN_IN_CHART = 7;

/** Usage, errors, latencies and speeds over time, of all accounts (`account` is undefined) or of one. */
export function TrafficView({ account }: { account: string | undefined }) {
  const [search] = useUrlState(...FIELDS);
  const by = readGrouping(search.by, account === undefined ? "account" : "model");
  const query = useTrafficQuery(search, by, account);
  const traffic = useApi("GET /usage/traffic", { query }, { refresh_ms: REFRESH_MS });
  const csv = urlOf("/usage/traffic", { query: { ...query, top: undefined, format: "csv" } as TrafficQuery });
  return (
    <>
      <Filters by={by} account={account} />
      <Loaded query={traffic} skeleton={<TrafficSkeleton />}>
        {(report) => (
          <div className="space-y-5">
            <TrafficNotes traffic={report} />
            {report.total.requests + report.before.requests === 0 ? (
              <NoTraffic />
            ) : (
              <Report traffic={report} csv={csv} />
            )}
          </div>
        )}
      </Loaded>
    </>
  );
}

/** The query of an address. Times of presets move on with the clock, hour by hour. */
function useTrafficQuery(search: Fields, by: TrafficBy, account: string | undefined): TrafficQuery {
  const query = readQuery(search, { now_ms: Date.now(), zone: viewerZone(), by });
  return { ...query, top: "100", ...(account === undefined ? {} : { account }) };
}

function Report({ traffic, csv }: { traffic: Traffic; csv: string }) {
  return (
    <>
      <TrafficTiles traffic={traffic} />
      <TrafficChart traffic={topOf(traffic, SHOWN_IN_CHART)} />
      <TrafficTable traffic={traffic} csv={csv} />
    </>
  );
}

/** The report with its first groups, and all further ones as others, for a chart. */
export function topOf(traffic: Traffic, count: number): Traffic {
  if (traffic.groups.length <= count + 1) return traffic;
  const shown = new Set(traffic.groups.slice(0, count).map(({ id }) => id));
  const [first] = traffic.groups.slice(count);
  if (first === undefined) return traffic;
  const rest = new Map<string, Traffic["data"][number]>();
  const data: Traffic["data"] = [];
  for (const row of traffic.data) {
    if (!row.others && shown.has(row.group)) {
      data.push(row);
      continue;
    }
    const sum = rest.get(row.start);
    rest.set(row.start, sum === undefined ? { ...row, group: null, others: true } : addRows(sum, row));
  }
  const others = { ...first, id: null, name: null, others: true };
  return { ...traffic, groups: [...traffic.groups.slice(0, count), others], data: [...data, ...rest.values()] };
}

/** Adds up the values that a chart stacks. */
function addRows(a: Traffic["data"][number], b: Traffic["data"][number]): Traffic["data"][number] {
  const margin =
    a.margin_micro === null && b.margin_micro === null ? null : (a.margin_micro ?? 0) + (b.margin_micro ?? 0);
  return {
    ...a,
    requests: a.requests + b.requests,
    failed: a.failed + b.failed,
    refused: a.refused + b.refused,
    charge_micro: a.charge_micro + b.charge_micro,
    margin_micro: margin,
    total_tokens: a.total_tokens + b.total_tokens,
    // These cannot be computed from those of the single groups.
    ...{ tokens_per_s: null, first_byte_mean_ms: null, total_mean_ms: null },
  };
}

/** Notes on the figures: days of another zone, and requests that are not counted yet. */
export function TrafficNotes({ traffic }: { traffic: Traffic }) {
  const { utc_days, off_hours, zone, counted_until, behind } = traffic;
  return (
    <>
      {(behind || counted_until === null) && (
        <Notice tone="info">
          {counted_until === null
            ? "Requests are being counted for the first time; figures appear here in a moment."
            : `Older requests are still being counted: so far those up to ${formatExactTime(Date.parse(counted_until))}.`}
        </Notice>
      )}
      <p className="text-[0.88rem] text-ink-soft">
        {utc_days ? "Days and months are in UTC for ranges of this length." : `Times are in ${zone}.`}
        {off_hours && " Its days start within an hour; here each starts with that full hour."}
        {!behind && counted_until !== null && ` Updated ${formatExactTime(Date.parse(counted_until))}.`}
      </p>
    </>
  );
}

function Filters({ by, account }: { by: TrafficBy; account: string | undefined }) {
  const [{ range, route, key }, setSearch] = useUrlState(...FIELDS);
  const vendors = useApi("GET /usage/traffic", {
    query: { by: "vendor", step: "day", top: "100", ...(account === undefined ? {} : { account }) },
  });
  const known = (vendors.data?.groups ?? []).flatMap(({ id }) => (id ? [{ value: id, label: id }] : []));
  const chosen = readRange(range);
  const groupings = account === undefined ? GROUPINGS : GROUPINGS.filter(({ value }) => value !== "account");
  return (
    <FilterBar names={FIELDS}>
      <Select
        label="Range"
        options={[...RANGES, { value: "custom", label: "Custom range" }]}
        value={chosen}
        onChange={(typed) => setSearch(rangeFields(typed))}
        className="w-auto max-sm:flex-1 max-sm:basis-40"
      />
      {chosen === "custom" && (
        <>
          <FilterDay name="since" label="From" />
          <FilterDay name="until" label="To" />
        </>
      )}
      <Select
        label="Group by"
        options={groupings}
        value={by}
        onChange={(typed) => setSearch({ by: typed })}
        className="w-auto max-sm:flex-1 max-sm:basis-40"
      />
      <FoldedFilters>
        {account !== undefined && <KeyFilter account={account} />}
        <ModelFilter width="w-52" />
        <FilterSelect name="vendor" label="Vendor" options={known} all="All vendors" />
        <FilterSelect name="status" label="Status" options={STATUSES} all="Any status" />
      </FoldedFilters>
      {account === undefined && key !== undefined && <Chosen>Key: {key}</Chosen>}
      {route !== undefined && <Chosen>Route: {route}</Chosen>}
    </FilterBar>
  );
}

/** What was chosen by a link of a table, and has no field. */
function Chosen({ children }: { children: ReactNode }) {
  return <span className="self-center text-[0.88rem] text-ink-soft">{children}</span>;
}

function rangeFields(chosen: string): Fields {
  const times = chosen === "custom" ? {} : { since: "", until: "" };
  return { range: chosen === DEFAULT_RANGE ? "" : chosen, ...times };
}

function NoTraffic() {
  return (
    <Card flush>
      <EmptyState icon="usage" title="No requests in this period">
        No completed request matches this period and these filters. Choose a longer range, or clear the filters.
      </EmptyState>
    </Card>
  );
}

export function TrafficSkeleton() {
  return <PageSkeleton tiles={8} blocks={["h-80", "h-64"]} />;
}
