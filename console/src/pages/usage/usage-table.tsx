import type { UsageExploration } from "../../../../contract/usage.ts";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { DownloadLink } from "../../kit/download-link.tsx";
import { formatShare, formatShortDay } from "../../kit/format.ts";
import { Count, Money, None, Tokens } from "../../kit/values.tsx";
import { GroupCell } from "./group-cell.tsx";
import { groupingLabel, groupKind, type ReportRow, reportRows } from "./report.ts";

const FIRST_ROWS = 50;

/** The report's rows, sortable. A long report shows its first rows until the user asks for all. */
export function UsageTable({ report, csv }: { report: UsageExploration; csv: string }) {
  return (
    <Card flush title={`By ${groupingLabel(report)}`} actions={<DownloadLink href={csv} />}>
      <DataTable
        caption="Usage"
        columns={columnsOf(report)}
        rows={reportRows(report)}
        file={null}
        rowKey={({ key }) => key}
        first_rows={FIRST_ROWS}
        sort_param="sort"
        // Days come newest first, opposite to the chart.
        {...(report.by.startsWith("day") ? { initial_sort: "-day" } : {})}
      />
    </Card>
  );
}

const HEADERS = { key: "Key", model: "Model", project: "Project", tag: "Tag" } as const;

function columnsOf(report: UsageExploration): Column<ReportRow>[] {
  const { currency, by } = report;
  const kind = groupKind(by);
  const by_day = by.startsWith("day");
  const day: Column<ReportRow> = {
    key: "day",
    header: "Day",
    heading: kind === null,
    sortBy: (row) => row.day,
    cell: (row) => <span className="whitespace-nowrap">{formatShortDay(row.day ?? report.since)}</span>,
  };
  const group: Column<ReportRow> = {
    key: "group",
    header: kind === "tag" ? (report.tag ?? HEADERS.tag) : HEADERS[kind ?? "model"],
    heading: true,
    sortBy: ({ label }) => label,
    cell: (row) => <GroupCell row={row} of={report} />,
  };
  return [
    // The heading comes first: a card begins with what tells the rows of a day apart.
    ...(kind === null ? [] : [group]),
    ...(by_day ? [day] : []),
    {
      key: "cost",
      header: "Spend",
      numeric: true,
      sortBy: ({ cost_micro }) => cost_micro,
      cell: ({ cost_micro }) => <Money micro={cost_micro} currency={currency} />,
    },
    {
      key: "share",
      header: "Share",
      numeric: true,
      wide_only: true,
      cell: ({ cost_micro }) =>
        report.total.cost_micro === 0 ? <None /> : formatShare(cost_micro / report.total.cost_micro),
    },
    {
      key: "requests",
      header: "Requests",
      numeric: true,
      sortBy: ({ request_count }) => request_count,
      cell: ({ request_count }) => <Count count={request_count} />,
    },
    {
      key: "answered",
      header: "Answered",
      numeric: true,
      wide_only: true,
      sortBy: (row) => answered(row),
      cell: (row) => {
        const share = answered(row);
        // Rounded down, so that only the whole is shown as "100%".
        return share === null ? <None /> : formatShare(Math.floor(100 * share) / 100);
      },
    },
    {
      key: "in",
      header: "Tokens in",
      numeric: true,
      sortBy: ({ prompt_tokens }) => prompt_tokens,
      cell: ({ prompt_tokens }) => <Tokens count={prompt_tokens} />,
    },
    {
      key: "out",
      header: "Tokens out",
      numeric: true,
      sortBy: ({ completion_tokens }) => completion_tokens,
      cell: ({ completion_tokens }) => <Tokens count={completion_tokens} />,
    },
  ];
}

function answered({ request_count, success_count }: ReportRow): number | null {
  return request_count === 0 ? null : success_count / request_count;
}
