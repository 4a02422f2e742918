import type { ExploreQuery, UsageExploration } from "../../../../contract/usage.ts";
import { urlOf } from "../../api/call.ts";
import { useApi } from "../../api/use-api.ts";
import { useLive } from "../../api/use-live.ts";
import { LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { Combobox } from "../../kit/combobox.tsx";
import { FilterBar, FilterSelect } from "../../kit/filter-bar.tsx";
import { Select } from "../../kit/input.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { EmptyState, Loaded, Notice, Skeleton } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { useAccount } from "../../kit/use-account.ts";
import { keyName } from "../keys/key-state.ts";
import { useModels } from "../keys/use-models.ts";
import { rangeObjection, readRange } from "./range.ts";
import { RangePicker } from "./range-picker.tsx";
import { DEFAULT_GROUPING, GROUPINGS, readGrouping } from "./report.ts";
import { UsageChart } from "./usage-chart.tsx";
import { UsageTable } from "./usage-table.tsx";
import { UsageTotals } from "./usage-totals.tsx";

/** Usage by day, key and model: as numbers, as a chart and as a file. Days are UTC, as on bills. */
export function UsagePage() {
  const account = useAccount();
  const [search] = useUrlState("range", "since", "until", "by", "key", "model");
  const range = readRange(search, Date.now());
  const objection = rangeObjection(range);
  const { key, model } = search;
  const by = readGrouping(search.by);
  const query: ExploreQuery = {
    account,
    ...range,
    by,
    ...(key === undefined ? {} : { key }),
    ...(model === undefined ? {} : { model }),
    // As many groups as a chart can show distinctly; the file has all groups.
    ...(by.startsWith("day,") ? { top: "7" } : {}),
  };
  const usage = useApi("GET /usage/explore", { query }, { enabled: objection === null });
  useLive(account, ["GET /usage/explore"]);
  const { top: _top, ...whole } = query;
  return (
    <>
      <PageHeader title="Usage" description="What was used and what it cost. Days begin at midnight UTC." />
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
  const [{ by, model }, setSearch] = useUrlState("by", "model");
  const keys = useApi("GET /keys", { query: { account } });
  const { options } = useModels();
  return (
    <FilterBar names={["range", "since", "until", "by", "key", "model"]}>
      <RangePicker range={range} />
      <Select
        label="Group by"
        options={GROUPINGS}
        value={readGrouping(by)}
        onChange={(event) =>
          setSearch({ by: event.target.value === DEFAULT_GROUPING ? undefined : event.target.value })
        }
        className="w-auto max-sm:flex-1 max-sm:basis-40"
      />
      <FilterSelect
        name="key"
        label="Key"
        options={(keys.data?.data ?? []).map((key) => ({ value: key.id, label: keyName(key) }))}
        all="All keys"
      />
      <Combobox
        label="Model"
        hide_label
        placeholder="All models"
        options={[{ value: "", label: "All models" }, ...options]}
        value={model ?? ""}
        onChange={(chosen) => setSearch({ model: chosen })}
        className="w-56 max-sm:w-full"
      />
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
