import type { ReactNode } from "react";
import type { Traffic, TrafficBy } from "../../../../contract/traffic.ts";
import { useApi } from "../../api/use-api.ts";
import { BarList } from "../../kit/bar-list.tsx";
import { Card } from "../../kit/card.tsx";
import { formatColumnMoney, formatCompact, moneyDecimals, viewerZone } from "../../kit/format.ts";
import { LongName } from "../../kit/long-name.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { QuietLink, TextLink } from "../../kit/row-link.tsx";
import { EmptyState, Loaded, Skeleton } from "../../kit/states.tsx";
import { TrafficChart } from "../traffic/traffic-chart.tsx";
import { errorsIn, groupName } from "../traffic/traffic-figures.ts";
import { readQuery } from "../traffic/traffic-query.ts";
import { TrafficTiles } from "../traffic/traffic-tiles.tsx";
import { TrafficNotes, TrafficSkeleton, topOf } from "../traffic/traffic-view.tsx";
import { RequestTable } from "./latest-requests.tsx";

const REFRESH_MS = 15_000;
const SHOWN = 7;

/** The whole gateway's last day: what it earned, what failed, how quick it was, and who used it. */
export function AllOverview({ operator }: { operator: ReactNode }) {
  const traffic = useLastDay("model");
  return (
    <>
      <PageHeader title="Overview" description="All accounts, the last 24 hours." />
      <Loaded query={traffic} skeleton={<TrafficSkeleton />}>
        {(report) => (
          <div className="space-y-5">
            {operator}
            <TrafficNotes traffic={report} />
            <TrafficTiles traffic={report} />
            <TrafficChart traffic={topOf(report, SHOWN)} />
            <div className="grid gap-5 lg:grid-cols-2 xl:grid-cols-3">
              <Leaders by="account" title="Who spent most" measure="charge" />
              <Leaders by="vendor" title="Vendors that failed" measure="errors" />
              <Leaders by="error" title="Why requests failed" measure="errors" />
            </div>
            <LatestOfAll />
          </div>
        )}
      </Loaded>
    </>
  );
}

function useLastDay(by: TrafficBy) {
  const query = readQuery({ range: "24h" }, { now_ms: Date.now(), zone: viewerZone(), by });
  return useApi("GET /usage/traffic", { query: { ...query, top: "20" } }, { refresh_ms: REFRESH_MS });
}

type Ranked = "charge" | "errors";

/** The groups with the most of a measure, as links to their figures. */
function Leaders({ by, title, measure }: { by: TrafficBy; title: string; measure: Ranked }) {
  const traffic = useLastDay(by);
  return (
    <Card
      title={title}
      actions={
        <TextLink to="/usage" search={(before) => ({ ...before, by, range: "24h" })}>
          All
        </TextLink>
      }
    >
      <Loaded query={traffic} skeleton={<Skeleton className="h-32" />}>
        {(report) => <Ranking report={report} title={title} measure={measure} />}
      </Loaded>
    </Card>
  );
}

function Ranking({ report, title, measure }: { report: Traffic; title: string; measure: Ranked }) {
  const amountOf = (group: Traffic["groups"][number]): number =>
    measure === "charge" ? group.charge_micro : errorsIn(group);
  const ranked = report.groups
    .filter((group) => amountOf(group) > 0 && !group.others)
    .toSorted((a, b) => amountOf(b) - amountOf(a))
    .slice(0, SHOWN);
  if (ranked.length === 0)
    return <EmptyState icon="check" title={measure === "charge" ? "Nothing was spent" : "Nothing failed"} />;
  const decimals = moneyDecimals(ranked.map(amountOf));
  const items = ranked.map((group) => ({
    key: group.id ?? "",
    label: <Leader group={group} by={report.by} />,
    value: amountOf(group),
    shown:
      measure === "charge"
        ? formatColumnMoney(amountOf(group), report.currency, decimals)
        : formatCompact(amountOf(group)),
  }));
  return <BarList label={title} items={items} />;
}

function Leader({ group, by }: { group: Traffic["groups"][number]; by: Traffic["by"] }) {
  const name = groupName(group, by);
  if (by === "account" && group.id)
    return (
      <QuietLink to="/" search={(before) => ({ ...before, account: group.id ?? undefined })}>
        <LongName>{name}</LongName>
      </QuietLink>
    );
  if (by === "vendor" && group.id)
    return (
      <QuietLink
        to="/usage"
        search={(before) => ({ ...before, range: "24h", vendor: group.id ?? undefined, by: "error" })}
      >
        <LongName>{name}</LongName>
      </QuietLink>
    );
  return <LongName>{name}</LongName>;
}

function LatestOfAll() {
  const latest = useApi("GET /requests", { query: { limit: "10" } }, { refresh_ms: REFRESH_MS });
  return (
    <Card title="Latest requests" actions={<TextLink to="/requests">All requests</TextLink>} flush>
      <Loaded query={latest} skeleton={<Skeleton className="m-5 h-40" />}>
        {({ data, names }) =>
          data.length === 0 ? (
            <EmptyState icon="requests" title="No requests yet" />
          ) : (
            <RequestTable requests={data} accountNames={new Map(Object.entries(names.accounts))} />
          )
        }
      </Loaded>
    </Card>
  );
}
