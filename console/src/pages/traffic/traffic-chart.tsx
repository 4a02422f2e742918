import type { Traffic } from "../../../../contract/traffic.ts";
import { Card } from "../../kit/card.tsx";
import { formatPeriod } from "../../kit/format.ts";
import { Select } from "../../kit/input.tsx";
import { TimeChart } from "../../kit/time-chart.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { MEASURES, measureFormat, readMeasure, seriesOf } from "./traffic-figures.ts";
import { GROUPINGS } from "./traffic-query.ts";

/** The report over time. Latencies and speeds are of all groups together. */
export function TrafficChart({ traffic }: { traffic: Traffic }) {
  const [search, setSearch] = useUrlState("measure");
  const measure = readMeasure(search.measure);
  const kind = GROUPINGS.find(({ value }) => value === traffic.by)?.label.toLowerCase();
  const title = [measure.label, `by ${traffic.step}`, measure.adds_up && kind ? `and ${kind}` : ""];
  const caption = title.filter(Boolean).join(" ");
  const zone = traffic.utc_days ? "UTC" : traffic.zone;
  return (
    <Card
      title={caption}
      actions={
        <Select
          label="Measure"
          hide_label
          options={MEASURES}
          value={measure.value}
          onChange={(event) => setSearch({ measure: event.target.value === "charge" ? undefined : event.target.value })}
        />
      }
    >
      <TimeChart
        caption={caption}
        labels={traffic.periods.map(({ start }) => start)}
        series={seriesOf(traffic, measure)}
        format={measureFormat(measure.value, traffic.currency)}
        formatLabel={(start) => formatPeriod(start, traffic.step, zone)}
      />
    </Card>
  );
}
