import { FilterSelect, FilterTime } from "../../kit/filter-bar.tsx";
import { viewerZone } from "../../kit/format.ts";
import { useUrlState } from "../../kit/url-state.ts";
import { hasEnds, TIMES, timeFields } from "./request-query.ts";

const OPTIONS = [...TIMES, { value: "custom", label: "From … to …" }];

/** A filter by time, with the ends of a range where one is chosen. */
export function TimeFilter() {
  const [search] = useUrlState("time", "from", "to");
  const { time } = search;
  const zone = viewerZone();
  return (
    <>
      <FilterSelect
        name="time"
        label="Time"
        options={OPTIONS}
        all="Any time"
        also={(chosen) => timeFields(chosen, { before: time, now_ms: Date.now(), zone })}
        is_told_elsewhere={hasEnds(search)}
      />
      {time === "custom" && (
        <>
          <FilterTime name="from" label="From" />
          <FilterTime name="to" label="To" last />
        </>
      )}
    </>
  );
}
