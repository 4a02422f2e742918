import type { UsageExploration } from "../../../../contract/usage.ts";
import { Card } from "../../kit/card.tsx";
import { formatShortDay } from "../../kit/format.ts";
import { TimeChart } from "../../kit/time-chart.tsx";
import { requestsAt } from "../requests/requests-at.ts";
import { chartSeries, measureFormat } from "./measure.ts";
import { MeasureSelect, useMeasure } from "./measure-select.tsx";

/** Thirty days by model: spend, tokens or requests. */
export function SpendChart({ usage }: { usage: UsageExploration }) {
  const { measure, label } = useMeasure();
  const { days, series } = chartSeries(usage, measure);
  return (
    <Card title="Last 30 days" actions={<MeasureSelect />}>
      <TimeChart
        caption={`${label} by day and model, last 30 days`}
        labels={days}
        series={series}
        format={measureFormat(measure, usage.currency)}
        currency={measure === "cost" ? usage.currency : null}
        formatLabel={formatShortDay}
        linkTo={(place, of) => requestsAt({ from: days[place], to: days[place] }, {}, of)}
      />
    </Card>
  );
}
