import type { ReactNode } from "react";
import type { Traffic, TrafficGroup } from "../../../../contract/traffic.ts";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { DownloadLink } from "../../kit/download-link.tsx";
import { countColumn, longestOf, moneyColumn } from "../../kit/figure-columns.tsx";
import { formatColumnDuration, formatColumnShare, formatCompact, formatCount } from "../../kit/format.ts";
import { FittingName, LongName } from "../../kit/long-name.tsx";
import { QuietLink } from "../../kit/row-link.tsx";
import { None } from "../../kit/values.tsx";
import { changeOf, errorShare, groupName } from "./traffic-figures.ts";
import { GROUPINGS } from "./traffic-query.ts";

const FIRST_ROWS = 20;

/** The report's groups, dearest first. A row leads to the requests or the report behind it. */
export function TrafficTable({ traffic, csv }: { traffic: Traffic; csv: string }) {
  const kind = GROUPINGS.find(({ value }) => value === traffic.by)?.label ?? "Group";
  const more = traffic.group_count - traffic.groups.length + (traffic.groups.at(-1)?.others ? 1 : 0);
  return (
    <Card flush title={`By ${kind.toLowerCase()}`} actions={<DownloadLink href={csv} />}>
      <DataTable
        caption={`Traffic by ${kind.toLowerCase()}`}
        columns={columnsOf(traffic, kind)}
        rows={traffic.groups}
        file={null}
        rowKey={({ id, others }) => (others ? "others" : `=${id}`)}
        first_rows={FIRST_ROWS}
        sort_param="sort"
      />
      {more > 1 && (
        <p className="border-t border-line px-5 py-2.5 text-[0.88rem] text-ink-soft">
          The others are {formatCount(more)} more; the file has them one by one.
        </p>
      )}
    </Card>
  );
}

function columnsOf(traffic: Traffic, kind: string): Column<TrafficGroup>[] {
  const { currency, by, total } = traffic;
  const has_margin = total.margin_micro !== null;
  const latencies = traffic.groups.flatMap(({ first_byte_ms: { p50, p95, mean } }) => [p50, p95, mean]);
  const longest_ms = longestOf(latencies);
  return [
    {
      key: "group",
      header: kind,
      heading: true,
      sortBy: (group) => groupName(group, by),
      cell: (group) => <GroupCell group={group} by={by} />,
    },
    moneyColumn({ key: "charge", header: "Spend", of: ({ charge_micro }) => charge_micro, currency }),
    {
      key: "change",
      header: "Change",
      numeric: true,
      sortBy: (group) => group.charge_micro - group.before.charge_micro,
      cell: ({ charge_micro, before }) => (
        <span className="whitespace-nowrap text-ink-soft">{changeOf(charge_micro, before.charge_micro)}</span>
      ),
    },
    ...(has_margin
      ? [
          moneyColumn<TrafficGroup>({
            key: "margin",
            header: "Margin",
            wide_only: true,
            of: ({ margin_micro }) => margin_micro,
            currency,
          }),
        ]
      : []),
    countColumn({ key: "requests", header: "Requests", of: ({ requests }) => requests }),
    {
      key: "errors",
      header: "Errors",
      numeric: true,
      sortBy: (group) => errorShare(group) ?? 0,
      cell: (group) => <Errors group={group} />,
    },
    {
      key: "first_byte",
      header: "First byte p50 / p95",
      numeric: true,
      className: "whitespace-nowrap",
      wide_only: true,
      sortBy: ({ first_byte_ms: { p50, mean } }) => p50 ?? mean ?? 0,
      cell: ({ first_byte_ms }) => latency(first_byte_ms, longest_ms),
    },
    countColumn({ key: "tokens", header: "Tokens", wide_only: true, of: ({ total_tokens }) => total_tokens }),
    {
      key: "speed",
      header: "Tokens/s",
      numeric: true,
      wide_only: true,
      sortBy: ({ tokens_per_s }) => tokens_per_s ?? 0,
      cell: ({ tokens_per_s }) => (tokens_per_s === null ? <None /> : formatCompact(tokens_per_s)),
    },
  ];
}

/** The median and the 95th percentile; of accounts and keys the mean, of which alone they are counted. */
function latency({ p50, p95, mean }: TrafficGroup["first_byte_ms"], longest_ms: number): ReactNode {
  const shown = (each_ms: number) => formatColumnDuration(each_ms, longest_ms);
  if (p50 === null || p95 === null) return mean === null ? <None /> : <span data-hint="on average">{shown(mean)}</span>;
  return (
    <>
      {shown(p50)} <span className="text-ink-soft">/ {shown(p95)}</span>
    </>
  );
}

function Errors({ group }: { group: TrafficGroup }) {
  const share = errorShare(group);
  if (share === null) return <None />;
  const { failed, refused, left } = group;
  return (
    <span
      className={share >= 0.05 ? "text-danger-ink" : ""}
      data-hint={`${formatCount(failed)} failed, ${formatCount(refused)} refused, ${formatCount(left)} left`}
    >
      {formatColumnShare(share)}
    </span>
  );
}

/** A group as a link to its parts: an account's models, a vendor's routes. */
function GroupCell({ group, by }: { group: TrafficGroup; by: Traffic["by"] }) {
  const { id, others } = group;
  const name = groupName(group, by);
  if (others || !id) return <span className="font-normal text-ink-soft">{name}</span>;
  const search = PARTS[by ?? "error"](id);
  if (search === null) return <FittingName>{name}</FittingName>;
  return (
    <QuietLink to="/usage" search={(before) => ({ ...before, ...search })}>
      <LongName>{name}</LongName>
    </QuietLink>
  );
}

const PARTS: Readonly<Record<NonNullable<Traffic["by"]>, (id: string) => Readonly<Record<string, string>> | null>> = {
  account: (id) => ({ account: id, view: "traffic", by: "model" }),
  key: (id) => ({ key: id, by: "model" }),
  model: (id) => ({ model: id, by: "route" }),
  vendor: (id) => ({ vendor: id, by: "route" }),
  route: (id) => ({ route: id, by: "error" }),
  status: (id) => ({ status: id, by: "error" }),
  error: () => null,
};
