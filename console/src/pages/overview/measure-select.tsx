import { Select } from "../../kit/input.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { MEASURES, type Measure, readMeasure } from "./measure.ts";

/** The measure that a chart shows, which the address keeps, and its name. */
export function useMeasure(): { measure: Measure; label: string } {
  const measure = readMeasure(useUrlState("measure")[0].measure);
  return { measure, label: MEASURES.find(({ value }) => value === measure)?.label ?? "" };
}

/** Chooses the measure that a chart shows. */
export function MeasureSelect() {
  const [search, setSearch] = useUrlState("measure");
  return (
    <Select
      label="Measure"
      hide_label
      options={MEASURES}
      value={readMeasure(search.measure)}
      onChange={(typed) => setSearch({ measure: typed === "cost" ? undefined : typed })}
    />
  );
}
