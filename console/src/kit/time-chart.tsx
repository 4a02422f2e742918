import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, type MouseEvent, type RefObject, useEffect, useId, useRef, useState } from "react";
import { IconButton } from "./button.tsx";
import { type Chart, ChartLegend, sumOf, valuesAt } from "./chart-legend.tsx";
import { Bar, Lines } from "./chart-marks.tsx";
import { ChartTable } from "./chart-table.tsx";
import { cx } from "./cx.ts";
import { formatColumnMoney, moneyDecimals } from "./format.ts";
import { axisBetween, seriesColour } from "./scale.ts";
import type { Series, TimeChartProps } from "./series.ts";

const HEIGHT = 216;
const TOP = 8;
const BOTTOM = 24;

/**
 * Stacked bars or lines over time, in plain SVG. Hover or arrow keys show one time's values; a click or Enter leads to what it is made of; the
 * legend hides series. A table has all numbers, for people who cannot see the chart, and as a file.
 */
export function TimeChart({
  formatLabel = (label) => label,
  shape = "bars",
  currency = null,
  linkTo = null,
  ...given
}: TimeChartProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [active, setActive] = useState<number | null>(null);
  const [as_table, setAsTable] = useState(false);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const help = useId();
  const navigate = useNavigate();
  const formatEach =
    alike(
      given.series.flatMap(({ values }) => values),
      currency,
    ) ?? given.format;
  const coloured = given.series.map((each, index) => ({ ...each, colour: seriesColour(index) }));
  const series = coloured.filter(({ name }) => !hidden.has(name));
  const chart = { ...given, formatLabel, shape, currency, formatEach, linkTo, series };
  const { labels } = chart;
  const open = (place: number, of: Series | null) => {
    if (linkTo !== null) void navigate(linkTo(place, of));
  };
  const onClick = (event: MouseEvent<SVGSVGElement>) => {
    // A finger that taps wants to see the values: the table has the links.
    if ("pointerType" in event.nativeEvent && event.nativeEvent.pointerType === "touch") return;
    if (!(event.target instanceof Element)) return;
    // What is under the pointer says its own time: the one that is shown may be drawn only after a quick click.
    const under = event.target.closest("[data-place]")?.getAttribute("data-place");
    const place = under == null ? active : Number(under);
    if (place === null) return;
    const name = event.target.getAttribute("data-series");
    open(place, series.find((each) => each.name === name) ?? null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && active !== null) open(active, null);
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const from = active ?? (step === 1 ? -1 : labels.length);
    setActive(Math.min(labels.length - 1, Math.max(0, from + step)));
  };
  return (
    <div>
      <div className="mb-2 flex items-start justify-between gap-x-4">
        <ChartLegend
          chart={chart}
          all={coloured}
          active={active}
          onToggle={(name) => setHidden(toggled(hidden, name, given.series))}
        />
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
            aria-describedby={linkTo === null ? undefined : help}
            onKeyDown={onKeyDown}
            onClick={onClick}
            onBlur={() => setActive(null)}
            className={cx("block rounded-md", linkTo !== null && "cursor-pointer")}
          >
            <Plot chart={chart} width={width} active={active} onActive={setActive} />
          </svg>
          {linkTo !== null && (
            <p id={help} className="sr-only">
              Arrow keys go from time to time, Enter shows its requests.
            </p>
          )}
        </div>
      )}
    </div>
  );
}

/** The hidden series after a click on one's name. The last one is not hidden alone: then all are shown again. */
function toggled(hidden: ReadonlySet<string>, name: string, series: readonly Series[]): ReadonlySet<string> {
  const next = new Set(hidden);
  if (!next.delete(name)) next.add(name);
  return series.every((each) => next.has(each.name)) ? new Set() : next;
}

/** The format that writes all amounts of a column with the same decimals; null for what are no amounts. */
function alike(column: readonly (number | null)[], currency: string | null): ((micro: number) => string) | null {
  if (currency === null) return null;
  const decimals = moneyDecimals(column);
  return (micro) => formatColumnMoney(Math.round(micro), currency, decimals);
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
        <g key={label} data-place={index} onPointerEnter={() => onActive(index)}>
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
              at={index}
              series={series}
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

/** An element's current width in pixels; 0 before it is measured. */
function useWidth<Tag extends HTMLElement>(): [RefObject<Tag | null>, number] {
  const element = useRef<Tag>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element.current);
    return () => observer.disconnect();
  });
  return [element, width];
}
