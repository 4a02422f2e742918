import type { Traffic } from "../../../../contract/traffic.ts";
import { useIsAdministrator } from "../../api/session.ts";
import { Card } from "../../kit/card.tsx";
import { formatPeriod } from "../../kit/format.ts";
import { Select } from "../../kit/input.tsx";
import type { Series } from "../../kit/series.ts";
import { TimeChart } from "../../kit/time-chart.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { minutesOf, requestsAt } from "../requests/requests-at.ts";
import { eachSeries, isMoney, measureFormat, measuresFor, readMeasure, seriesOf } from "./traffic-figures.ts";
import { GROUPINGS } from "./traffic-query.ts";

/** The report over time. Latencies and speeds are those of all groups together, and below them of each. */
export function TrafficChart({ traffic }: { traffic: Traffic }) {
  const [{ key, model, status, ...search }, setSearch] = useUrlState("measure", "key", "model", "status");
  const measures = measuresFor(useIsAdministrator());
  const measure = readMeasure(search.measure, measures);
  const kind = GROUPINGS.find(({ value }) => value === traffic.by)?.label.toLowerCase();
  const title = [measure.label, `by ${traffic.step}`, measure.adds_up && kind ? `and ${kind}` : ""];
  const caption = title.filter(Boolean).join(" ");
  const zone = traffic.utc_days ? "UTC" : traffic.zone;
  const shared = {
    labels: traffic.periods.map(({ start }) => start),
    format: measureFormat(measure.value, traffic.currency),
    formatLabel: (start: string) => formatPeriod(start, traffic.step, zone),
    currency: isMoney(measure.value) ? traffic.currency : null,
    linkTo: (place: number, of: Series | null) => {
      const [since, until] = [traffic.periods[place], traffic.periods[place + 1]].map((each) => each?.start);
      const minutes = minutesOf(since ?? traffic.since, until ?? traffic.until);
      return requestsAt(minutes, { key, model, status }, of);
    },
  };
  const shape = measure.adds_up ? "bars" : "lines";
  const each = eachSeries(traffic, measure);
  const each_caption = `${measure.label}${measure.value === "speed" ? "" : " on average"} by ${traffic.step} and ${kind}`;
  return (
    <Card
      title={caption}
      actions={
        <Select
          label="Measure"
          hide_label
          options={measures}
          value={measure.value}
          onChange={(typed) => setSearch({ measure: typed === "charge" ? undefined : typed })}
        />
      }
    >
      <TimeChart key={caption} caption={caption} series={seriesOf(traffic, measure)} shape={shape} {...shared} />
      {each.length > 0 && (
        <div className="mt-5 border-t border-line pt-4">
          <h3 className="mb-2 font-semibold">{each_caption}</h3>
          <TimeChart key={each_caption} caption={each_caption} series={each} shape="lines" {...shared} />
        </div>
      )}
    </Card>
  );
}
