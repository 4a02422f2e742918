import type { Shown } from "./chart-marks.tsx";
import { cx } from "./cx.ts";
import { LongName } from "./long-name.tsx";
import type { Series, TimeChartProps } from "./series.ts";

/** A chart as it is drawn: its series are those that are shown. */
export interface Chart extends Required<TimeChartProps> {
  readonly series: readonly Shown[];
  /** How the values of single times are written, which stand beside or below each other. */
  readonly formatEach: (value: number) => string;
}

/** What the series have at a place; nulls are left out. */
export function valuesAt(series: readonly Series[], place: number): number[] {
  return series.flatMap(({ values }) => values[place] ?? []);
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

interface LegendProps {
  readonly chart: Chart;
  /** All series, those that are hidden among them. */
  readonly all: readonly Shown[];
  readonly active: number | null;
  readonly onToggle: (name: string) => void;
}

/**
 * The series by their colours with a value each: of the active time, else of the whole time where parts add up to it. A click on a name hides its
 * series, and shows it again.
 */
export function ChartLegend({ chart, all, active, onToggle }: LegendProps) {
  const { series, labels, format, formatEach, formatLabel, shape } = chart;
  const total = series.length === all.length ? "Total" : "Total shown";
  const when = active !== null ? formatLabel(labels[active] ?? "") : shape === "bars" ? total : "";
  const shown = (values: Series["values"]): string => {
    if (active === null) return shape === "bars" ? formatEach(sumOf(values.map((value) => value ?? 0))) : "";
    const value = values[active] ?? null;
    return value === null ? "–" : formatEach(value);
  };
  const bars_of = active === null ? labels.map((_, place) => place) : [active];
  const sum = sumOf(bars_of.flatMap((place) => valuesAt(series, place)));
  return (
    <div className="min-w-0 text-[0.85rem] text-ink-soft">
      <p className="flex min-h-7 items-center gap-2 font-medium text-ink tabular-nums">
        {when}
        {shape === "bars" && <span>{format(sum)}</span>}
      </p>
      <ul className="flex flex-wrap items-center gap-x-4 gap-y-0.5">
        {all.map((each) => {
          const is_shown = series.includes(each);
          const entry = (
            <>
              <span
                aria-hidden="true"
                className="size-2.5 shrink-0 rounded-[3px]"
                style={{ background: is_shown ? each.colour : "var(--line-strong)" }}
              />
              <span className={cx("min-w-0 break-words", !is_shown && "line-through")}>
                <LongName>{each.name}</LongName>
              </span>
            </>
          );
          return (
            <li key={each.name} className="flex min-w-0 items-center gap-1.5">
              {all.length === 1 ? (
                entry
              ) : (
                <button
                  type="button"
                  aria-pressed={is_shown}
                  data-hint={is_shown ? "Hide in the chart" : "Show in the chart"}
                  onClick={() => onToggle(each.name)}
                  className="flex min-w-0 items-center gap-1.5 rounded-sm text-left hover:text-ink"
                >
                  {entry}
                </button>
              )}
              <Steady longest={longestOf(chart, each.values)}>{is_shown ? shown(each.values) : ""}</Steady>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** A value with the room of the longest that may stand in its place: what is beside and below it stays where it is. */
function Steady({ longest, children }: { longest: string; children: string }) {
  return (
    <span className="inline-grid font-medium text-ink tabular-nums">
      <span aria-hidden="true" className="invisible col-start-1 row-start-1">
        {longest}
      </span>
      <span className="col-start-1 row-start-1">{children}</span>
    </span>
  );
}

function longestOf({ formatEach, shape }: Chart, values: Series["values"]): string {
  const known = values.map((value) => value ?? 0);
  const texts = [...known, ...(shape === "bars" ? [sumOf(known)] : [])].map(formatEach);
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), "–");
}
