import { type KeyboardEvent, useState } from "react";
import { IconButton } from "./button.tsx";
import { ChartTable } from "./chart-table.tsx";
import { LongName } from "./long-name.tsx";
import { axisSteps, seriesColour } from "./scale.ts";
import type { Series, TimeChartProps } from "./series.ts";
import { useWidth } from "./use-width.ts";

const HEIGHT = 216;
const TOP = 8;
const BOTTOM = 24;

/**
 * Stacked bars over time, in plain SVG. Hover or arrow keys show one bar's values; a table has all numbers, for people
 * who cannot see the bars.
 */
export function TimeChart({ caption, labels, series, format, formatLabel = (label) => label }: TimeChartProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [active, setActive] = useState<number | null>(null);
  const [as_table, setAsTable] = useState(false);
  const totals = labels.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
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
        <Legend
          series={series}
          format={format}
          active={active}
          label={active === null ? null : formatLabel(labels[active] ?? "")}
        />
        <IconButton
          icon={as_table ? "usage" : "table"}
          label={as_table ? "Show as a chart" : "Show as a table"}
          onClick={() => setAsTable(!as_table)}
          className="-mt-1 -mr-2"
        />
      </div>
      {as_table ? (
        <ChartTable caption={caption} labels={labels} series={series} format={format} formatLabel={formatLabel} />
      ) : (
        <div ref={box} onPointerLeave={() => setActive(null)}>
          <svg
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={`${caption}. ${describe({ labels, totals, active, format, formatLabel })}`}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys go from bar to bar
            tabIndex={0}
            onKeyDown={onKeyDown}
            onBlur={() => setActive(null)}
            className="block rounded-md"
          >
            <Plot
              width={width}
              labels={labels}
              series={series}
              totals={totals}
              format={format}
              formatLabel={formatLabel}
              active={active}
              onActive={setActive}
            />
          </svg>
        </div>
      )}
    </div>
  );
}

/** The active bar, else the highest, in words. */
function describe({
  labels,
  totals,
  active,
  format,
  formatLabel,
}: Omit<PlotProps, "width" | "series" | "onActive">): string {
  if (active !== null) return `${formatLabel(labels[active] ?? "")}: ${format(totals[active] ?? 0)}`;
  const most = Math.max(...totals, 0);
  const when = labels[totals.indexOf(most)] ?? "";
  return most === 0 ? "Nothing in this time." : `The most is ${format(most)}, on ${formatLabel(when)}.`;
}

type PlotProps = Required<Omit<TimeChartProps, "caption">> & {
  width: number;
  totals: readonly number[];
  active: number | null;
  onActive: (index: number) => void;
};

function Plot({ width, labels, series, totals, format, formatLabel, active, onActive }: PlotProps) {
  const steps = axisSteps(Math.max(...totals, 0));
  const most = steps.at(-1) ?? 1;
  const left = Math.max(...steps.map((step) => format(step).length)) * 6.6 + 10;
  const slot = Math.max(0, (width - left) / Math.max(1, labels.length));
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / most);
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
          <Bar
            x={left + slot * index + slot * 0.16}
            width={slot * 0.68}
            values={series.map(({ values }) => values[index] ?? 0)}
            y={y}
          />
          {index % every === 0 && (
            <text
              x={Math.min(left + slot * (index + 0.5), width - 22)}
              y={HEIGHT - 6}
              textAnchor="middle"
              className="fill-ink-soft text-[11px]"
            >
              {formatLabel(label)}
            </text>
          )}
        </g>
      ))}
    </>
  );
}

function Bar({
  x,
  width,
  values,
  y,
}: {
  x: number;
  width: number;
  values: readonly number[];
  y: (value: number) => number;
}) {
  let below = 0;
  return values.map((value, index) => {
    const bottom = below;
    below += value;
    if (value <= 0) return null;
    const height = Math.max(1, y(bottom) - y(below));
    // biome-ignore lint/suspicious/noArrayIndexKey: a series is its place in the stack
    return <rect key={index} x={x} width={width} y={y(bottom) - height} height={height} fill={seriesColour(index)} />;
  });
}

function Legend({
  series,
  format,
  active,
  label,
}: {
  series: readonly Series[];
  format: (value: number) => string;
  active: number | null;
  label: string | null;
}) {
  return (
    <ul className="flex min-h-7 min-w-0 flex-wrap items-center gap-x-4 gap-y-0.5 text-[0.85rem] text-ink-soft">
      {label !== null && <li className="font-medium text-ink">{label}</li>}
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
          {active !== null && <span className="font-medium text-ink tabular-nums">{format(values[active] ?? 0)}</span>}
        </li>
      ))}
    </ul>
  );
}
