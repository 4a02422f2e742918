import { type KeyboardEvent, useState } from "react";
import { IconButton } from "./button.tsx";
import { Bar, Lines } from "./chart-marks.tsx";
import { ChartTable } from "./chart-table.tsx";
import { formatColumnMoney, moneyDecimals } from "./format.ts";
import { LongName } from "./long-name.tsx";
import { axisBetween, seriesColour } from "./scale.ts";
import type { Series, TimeChartProps } from "./series.ts";
import { useWidth } from "./use-width.ts";

const HEIGHT = 216;
const TOP = 8;
const BOTTOM = 24;

/**
 * Stacked bars or lines over time, in plain SVG. Hover or arrow keys show one time's values; a table has all numbers, for people
 * who cannot see the chart, and as a file.
 */
export function TimeChart({
  formatLabel = (label) => label,
  shape = "bars",
  currency = null,
  ...given
}: TimeChartProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [active, setActive] = useState<number | null>(null);
  const [as_table, setAsTable] = useState(false);
  const formatEach =
    alike(
      given.series.flatMap(({ values }) => values),
      currency,
    ) ?? given.format;
  const chart = { ...given, formatLabel, shape, currency, formatEach };
  const { labels } = chart;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const from = active ?? (step === 1 ? -1 : labels.length);
    setActive(Math.min(labels.length - 1, Math.max(0, from + step)));
  };
  return (
    <div>
      <div className="mb-2 flex items-start justify-between gap-x-4">
        <Legend chart={chart} active={active} />
        <IconButton
          icon={as_table ? "usage" : "table"}
          label={as_table ? "Show as a chart" : "Show as a table"}
          onClick={() => setAsTable(!as_table)}
          className="-mt-1 -mr-2"
        />
      </div>
      {as_table ? (
        <ChartTable {...chart} />
      ) : (
        <div ref={box} onPointerLeave={() => setActive(null)}>
          <svg
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={`${chart.caption}. ${describe(chart, active)}`}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys go from bar to bar
            tabIndex={0}
            onKeyDown={onKeyDown}
            onBlur={() => setActive(null)}
            className="block rounded-md"
          >
            <Plot chart={chart} width={width} active={active} onActive={setActive} />
          </svg>
        </div>
      )}
    </div>
  );
}

interface Chart extends Required<TimeChartProps> {
  /** How the values of single times are written, which stand beside or below each other. */
  readonly formatEach: (value: number) => string;
}

/** The format that writes all amounts of a column with the same decimals; null for what are no amounts. */
function alike(column: readonly (number | null)[], currency: string | null): ((micro: number) => string) | null {
  if (currency === null) return null;
  const decimals = moneyDecimals(column);
  return (micro) => formatColumnMoney(Math.round(micro), currency, decimals);
}

/** What the series have at a place; nulls are left out. */
function valuesAt(series: readonly Series[], place: number): number[] {
  return series.flatMap(({ values }) => values[place] ?? []);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The active time, else the highest bar or point, in words. */
function describe({ labels, series, format, formatLabel, shape }: Chart, active: number | null): string {
  const when = (place: number) => formatLabel(labels[place] ?? "");
  const heights = labels.map((_, place) => {
    const values = valuesAt(series, place);
    return shape === "bars" ? sumOf(values) : Math.max(...values, 0);
  });
  if (active !== null && shape === "bars") return `${when(active)}: ${format(heights[active] ?? 0)}`;
  if (active !== null) return `${when(active)}: ${eachAt(series, active, format) || "nothing"}`;
  const most = Math.max(...heights, 0);
  return most === 0 ? "No data in this period." : `The most is ${format(most)}, on ${when(heights.indexOf(most))}.`;
}

function eachAt(series: readonly Series[], place: number, format: Chart["format"]): string {
  const said = series.flatMap(({ name, values }) => {
    const value = values[place] ?? null;
    return value === null ? [] : [`${name} ${format(value)}`];
  });
  return said.join(", ");
}

/** The lowest and the highest that a chart shows. */
function extremes({ labels, series, shape }: Chart): readonly [least: number, most: number] {
  const ends = labels.flatMap((_, place) => {
    const values = valuesAt(series, place);
    if (shape === "lines") return values;
    return [sumOf(values.filter((value) => value < 0)), sumOf(values.filter((value) => value > 0))];
  });
  return [Math.min(...ends, 0), Math.max(...ends, 0)];
}

interface PlotProps {
  readonly chart: Chart;
  readonly width: number;
  readonly active: number | null;
  readonly onActive: (index: number) => void;
}

function Plot({ chart, width, active, onActive }: PlotProps) {
  const { labels, series, formatLabel, shape, currency } = chart;
  const steps = axisBetween(...extremes(chart));
  const format = alike(steps, currency) ?? chart.format;
  const least = steps[0] ?? 0;
  const most = steps.at(-1) ?? 1;
  const left = Math.max(...steps.map((step) => format(step).length)) * 6.6 + 10;
  const slot = Math.max(0, (width - left) / Math.max(1, labels.length));
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - least) / (most - least));
  const middle = (place: number) => left + slot * (place + 0.5);
  const every = Math.ceil(64 / Math.max(1, slot));
  return (
    <>
      {steps.map((step) => (
        <g key={step}>
          <line x1={left} x2={width} y1={y(step)} y2={y(step)} stroke="var(--line)" />
          <text x={left - 8} y={y(step) + 4} textAnchor="end" className="fill-ink-soft text-[11px] tabular-nums">
            {format(step)}
          </text>
        </g>
      ))}
      {labels.map((label, index) => (
        <g key={label} onPointerEnter={() => onActive(index)}>
          <rect
            x={left + slot * index}
            y={TOP}
            width={slot}
            height={HEIGHT - TOP - BOTTOM}
            fill={active === index ? "var(--sunken)" : "transparent"}
          />
          {shape === "bars" && (
            <Bar
              place={{ x: left + slot * index + slot * 0.16, width: slot * 0.68 }}
              values={series.map(({ values }) => values[index] ?? null)}
              y={y}
            />
          )}
          {index % every === 0 && (
            <text
              x={Math.min(middle(index), width - 22)}
              y={HEIGHT - 6}
              textAnchor="middle"
              className="fill-ink-soft text-[11px]"
            >
              {formatLabel(label)}
            </text>
          )}
        </g>
      ))}
      {shape === "lines" && <Lines series={series} x={middle} y={y} />}
    </>
  );
}

/** The series by their colours with a value each: of the active time, else of the whole time where parts add up to it. */
function Legend({ chart, active }: { chart: Chart; active: number | null }) {
  const { series, labels, format, formatEach, formatLabel, shape } = chart;
  const when = active !== null ? formatLabel(labels[active] ?? "") : shape === "bars" ? "Total" : "";
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
        {shape === "bars" && series.length > 1 && <span>{format(sum)}</span>}
      </p>
      <ul className="flex flex-wrap items-center gap-x-4 gap-y-0.5">
        {series.map(({ name, values }, index) => (
          <li key={name} className="flex min-w-0 items-center gap-1.5">
            <span
              aria-hidden="true"
              className="size-2.5 shrink-0 rounded-[3px]"
              style={{ background: seriesColour(index) }}
            />
            <span className="min-w-0 break-words">
              <LongName>{name}</LongName>
            </span>
            <Steady longest={longestOf(chart, values)}>{shown(values)}</Steady>
          </li>
        ))}
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
