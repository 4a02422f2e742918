import type { UsageExploration } from "../../../../contract/usage.ts";
import { Card } from "../../kit/card.tsx";
import { formatShortDay } from "../../kit/format.ts";
import { Select } from "../../kit/input.tsx";
import { TimeChart } from "../../kit/time-chart.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { chartSeries, MEASURES, measureFormat, readMeasure } from "./measure.ts";

/** Thirty days by model: spend, tokens or requests. */
export function SpendChart({ usage }: { usage: UsageExploration }) {
  const [search, setSearch] = useUrlState("measure");
  const measure = readMeasure(search.measure);
  const { days, series } = chartSeries(usage, measure);
  const label = MEASURES.find(({ value }) => value === measure)?.label ?? "";
  return (
    <Card
      title="Last 30 days"
      actions={
        <Select
          label="Measure"
          hide_label
          options={MEASURES}
          value={measure}
          onChange={(event) => setSearch({ measure: event.target.value === "cost" ? undefined : event.target.value })}
        />
      }
    >
      <TimeChart
        caption={`${label} by day and model, last 30 days`}
        labels={days}
        series={series}
        format={measureFormat(measure, usage.currency)}
        formatLabel={formatShortDay}
      />
    </Card>
  );
}
