import type { ExploreQuery, UsageExploration } from "../../../../contract/usage.ts";
import { urlOf } from "../../api/call.ts";
import { useApi } from "../../api/use-api.ts";
import { useLive } from "../../api/use-live.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { FilterBar, FilterSelect } from "../../kit/filter-bar.tsx";
import { Select } from "../../kit/input.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { EmptyState, Loaded, Notice, Skeleton } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { useAllAccounts } from "../../kit/all-accounts.ts";
import { useAccount } from "../../kit/use-account.ts";
import { KeyFilter } from "../keys/key-filter.tsx";
import { projectOptions, useProjects } from "../keys/use-projects.ts";
import { ModelFilter } from "../keys/model-filter.tsx";
import { FIELDS as TRAFFIC_FIELDS } from "../traffic/traffic-query.ts";
import { TrafficView } from "../traffic/traffic-view.tsx";
import { rangeObjection, readRange } from "./range.ts";
import { RangePicker } from "./range-picker.tsx";
import { GROUPINGS, groupingFields, groupKind, readGrouping, tagGroupings } from "./report.ts";
import { UsageChart } from "./usage-chart.tsx";
import { UsageTable } from "./usage-table.tsx";
import { UsageTotals } from "./usage-totals.tsx";

/** Usage as on bills, and as traffic: of an account, or for administrators of all accounts. */
export function UsagePage() {
  const account = useAccount();
  const shows_all = useAllAccounts();
  const [{ view }, setSearch] = useUrlState("view", ...TRAFFIC_FIELDS);
  const clear = Object.fromEntries(TRAFFIC_FIELDS.map((name) => [name, undefined]));
  if (shows_all)
    return (
      <>
        <PageHeader
          title="Usage"
          description="What all accounts used, what it cost, what failed, and how quick it was."
        />
        <TrafficView account={undefined} />
      </>
    );
  const is_traffic = view === "traffic";
  return (
    <>
      <PageHeader
        title="Usage"
        description={
          is_traffic
            ? "What was used over time, what failed, and how quick it was."
            : "What was used and what it cost. Days begin at midnight UTC."
        }
        actions={
          <Button
            icon={is_traffic ? "credits" : "usage"}
            onClick={() => setSearch({ ...clear, view: is_traffic ? undefined : "traffic" })}
          >
            {is_traffic ? "As on the bill" : "By hour, vendor and status"}
          </Button>
        }
      />
      {is_traffic ? <TrafficView account={account} /> : <BilledUsage />}
    </>
  );
}

/** Usage by day, key and model: as numbers, as a chart and as a file. Days are UTC, as on bills. */
function BilledUsage() {
  const account = useAccount();
  const [search] = useUrlState("range", "since", "until", "by", "tag", "key", "project", "model");
  const range = readRange(search, Date.now());
  const objection = rangeObjection(range);
  const { key, project, model, tag } = search;
  const by = readGrouping(search.by, tag);
  const query: ExploreQuery = {
    account,
    ...range,
    by,
    ...(tag !== undefined && groupKind(by) === "tag" ? { tag } : {}),
    ...(key === undefined ? {} : { key }),
    ...(project === undefined ? {} : { project }),
    ...(model === undefined ? {} : { model }),
    // As many groups as a chart can show distinctly; the file has all groups.
    ...(by.startsWith("day,") ? { top: "7" } : {}),
  };
  const usage = useApi("GET /usage/explore", { query }, { enabled: objection === null });
  useLive(account, ["GET /usage/explore"]);
  const { top: _top, ...whole } = query;
  return (
    <>
      <Filters range={range} />
      {objection === null ? (
        <Loaded query={usage} skeleton={<UsageSkeleton />}>
          {(report) => <Report report={report} csv={urlOf("/usage/explore", { query: { ...whole, format: "csv" } })} />}
        </Loaded>
      ) : (
        <Notice tone="warn">{objection}</Notice>
      )}
    </>
  );
}

function Filters({ range }: { range: ReturnType<typeof readRange> }) {
  const account = useAccount();
  const [{ by, tag }, setSearch] = useUrlState("by", "tag");
  const names = useApi("GET /tags", { query: { account } }).data?.data.map(({ name }) => name) ?? [];
  const grouping = readGrouping(by, tag);
  const is_by_tag = groupKind(grouping) === "tag" && tag !== undefined;
  // A tag of the address that no key has any more is a choice, too.
  const tags = is_by_tag && !names.includes(tag) ? [...names, tag] : names;
  const projects = useProjects(account);
  return (
    <FilterBar names={["range", "since", "until", "by", "tag", "key", "project", "model"]}>
      <RangePicker range={range} />
      <Select
        label="Group by"
        options={[...GROUPINGS, ...tagGroupings(tags)]}
        value={is_by_tag ? `${grouping}:${tag}` : grouping}
        onChange={(event) => setSearch(groupingFields(event.target.value))}
        className="w-auto max-sm:flex-1 max-sm:basis-40"
      />
      <KeyFilter account={account} />
      {projects.length > 0 && (
        <FilterSelect name="project" label="Project" options={projectOptions(projects)} all="All projects" />
      )}
      <ModelFilter width="w-56" />
    </FilterBar>
  );
}

function Report({ report, csv }: { report: UsageExploration; csv: string }) {
  if (report.total.request_count === 0)
    return (
      <Card flush>
        <EmptyState
          icon="usage"
          title="Nothing was used"
          action={
            <LinkButton to="/keys" icon="key">
              To the keys
            </LinkButton>
          }
        >
          No request fits these days and filters. Choose a longer range, or clear the filters.
        </EmptyState>
      </Card>
    );
  return (
    <div className="space-y-5">
      <UsageTotals report={report} />
      <UsageChart report={report} />
      <UsageTable report={report} csv={csv} />
    </div>
  );
}

function UsageSkeleton() {
  return (
    <div role="status" className="space-y-5">
      <span className="sr-only">Loading</span>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        {["spend", "requests", "in", "out"].map((stat) => (
          <Skeleton key={stat} className="h-25 rounded-xl" />
        ))}
      </div>
      <Skeleton className="h-80 rounded-xl" />
      <Skeleton className="h-64 rounded-xl" />
    </div>
  );
}
