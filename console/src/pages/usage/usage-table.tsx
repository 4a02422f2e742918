import type { UsageExploration } from "../../../../contract/usage.ts";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { DownloadLink } from "../../kit/download-link.tsx";
import { countColumn, moneyColumn, shareColumn } from "../../kit/figure-columns.tsx";
import { formatShortDay } from "../../kit/format.ts";
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

/** What is charged beside tokens has a column where there was any; sound in minutes. */
const UNITS = [
  { name: "input_characters", header: "Characters", per: 1 },
  { name: "input_seconds", header: "Minutes", per: 60 },
  { name: "images", header: "Images", per: 1 },
  { name: "searches", header: "Searches", per: 1 },
] as const;

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
    moneyColumn({ key: "cost", header: "Spend", of: ({ cost_micro }) => cost_micro, currency }),
    shareColumn({
      key: "share",
      header: "Share",
      wide_only: true,
      sorts: false,
      of: ({ cost_micro }) => (report.total.cost_micro === 0 ? null : cost_micro / report.total.cost_micro),
    }),
    countColumn({ key: "requests", header: "Requests", of: ({ request_count }) => request_count }),
    shareColumn({ key: "answered", header: "Answered", wide_only: true, of: answered }),
    countColumn({ key: "in", header: "Tokens in", of: ({ prompt_tokens }) => prompt_tokens }),
    countColumn({ key: "out", header: "Tokens out", of: ({ completion_tokens }) => completion_tokens }),
    ...UNITS.filter(({ name }) => report.total.units?.[name] !== undefined).map(({ name, header, per }) =>
      countColumn<ReportRow>({ key: name, header, of: ({ units }) => Math.round((units?.[name] ?? 0) / per) }),
    ),
  ];
}

/** The share of requests that were answered, rounded down to what is shown: only the whole is "100.0%". */
function answered({ request_count, success_count }: ReportRow): number | null {
  return request_count === 0 ? null : Math.floor((1000 * success_count) / request_count) / 1000;
}
