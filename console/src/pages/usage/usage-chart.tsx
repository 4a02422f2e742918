import type { UsageExploration } from "../../../../contract/usage.ts";
import { BarList } from "../../kit/bar-list.tsx";
import { Card } from "../../kit/card.tsx";
import { formatShortDay } from "../../kit/format.ts";
import { TimeChart } from "../../kit/time-chart.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { columnFormat, type Measure, measured, measureFormat } from "../overview/measure.ts";
import { MeasureSelect, useMeasure } from "../overview/measure-select.tsx";
import { requestsAt } from "../requests/requests-at.ts";
import { GroupCell } from "./group-cell.tsx";
import { groupKind, reportRows, reportSeries } from "./report.ts";

const MOST_BARS = 12;

/** The report as a chart: stacked bars over the days, or one bar for each key or model. */
export function UsageChart({ report }: { report: UsageExploration }) {
  const { measure, label } = useMeasure();
  const by_day = report.by.startsWith("day");
  const kind = groupKind(report.by);
  const title = [
    label,
    by_day ? "by day" : null,
    kind === null ? null : `${by_day ? "and" : "by"} ${kind === "tag" ? report.tag : kind}`,
  ];
  return (
    <Card title={title.filter(Boolean).join(" ")} actions={<MeasureSelect />}>
      {by_day ? (
        <Days report={report} measure={measure} caption={title.filter(Boolean).join(" ")} />
      ) : (
        <Shares report={report} measure={measure} label={title.filter(Boolean).join(" ")} />
      )}
    </Card>
  );
}

function Days({ report, measure, caption }: { report: UsageExploration; measure: Measure; caption: string }) {
  const { days, series } = reportSeries(report, measure);
  const [{ key, project, model, tagged }] = useUrlState("key", "project", "model", "tagged");
  const filters = { key, project, model, tag: tagged };
  return (
    <TimeChart
      caption={`${caption}, ${formatShortDay(report.since)} to ${formatShortDay(report.until)}`}
      labels={days}
      series={series}
      format={measureFormat(measure, report.currency)}
      currency={measure === "cost" ? report.currency : null}
      formatLabel={formatShortDay}
      linkTo={(place, of) => requestsAt({ from: days[place], to: days[place] }, filters, of)}
    />
  );
}

function Shares({ report, measure, label }: { report: UsageExploration; measure: Measure; label: string }) {
  const rows = reportRows(report).toSorted((a, b) => measured(b, measure) - measured(a, measure));
  const longest = rows.slice(0, MOST_BARS);
  const format = columnFormat(
    measure,
    report.currency,
    longest.map((row) => measured(row, measure)),
  );
  const items = longest.map((row, index) => ({
    key: row.key,
    label: <GroupCell row={row} of={report} />,
    value: measured(row, measure),
    shown: format(measured(row, measure)),
    colour: index,
  }));
  return (
    <>
      <BarList label={label} items={items} />
      {rows.length > MOST_BARS && (
        <p className="mt-3 text-[0.85rem] text-ink-soft">The {MOST_BARS} largest; the table has all of them.</p>
      )}
    </>
  );
}
