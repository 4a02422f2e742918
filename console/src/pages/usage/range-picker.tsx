import { FilterDay } from "../../kit/filter-bar.tsx";
import { Select } from "../../kit/input.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { type DayRange, DEFAULT_PRESET, PRESETS, readPreset } from "./range.ts";

const OPTIONS = [...PRESETS, { value: "custom", label: "Custom range" }];

/** A choice of days: a preset, or a first and last day. `range`: the shown days, with which a custom range begins. */
export function RangePicker({ range }: { range: DayRange }) {
  const [search, setSearch] = useUrlState("range", "since", "until");
  const preset = readPreset(search.range);
  const choose = (chosen: string) =>
    setSearch(
      chosen === "custom"
        ? { range: chosen, ...range }
        : { range: chosen === DEFAULT_PRESET ? undefined : chosen, since: undefined, until: undefined },
    );
  return (
    <>
      <Select
        label="Range"
        options={OPTIONS}
        value={preset}
        onChange={(event) => choose(event.target.value)}
        className="w-auto max-sm:flex-1 max-sm:basis-40"
      />
      {preset === "custom" && (
        <>
          <FilterDay name="since" label="From" />
          <FilterDay name="until" label="To" />
        </>
      )}
    </>
  );
}
