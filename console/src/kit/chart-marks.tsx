import { seriesColour } from "./scale.ts";
import type { Series } from "./series.ts";

export interface Place {
  readonly x: number;
  readonly width: number;
}

/** One bar of values that stand on each other: upwards from zero, and below it what is negative. */
export function Bar({
  place: { x, width },
  values,
  y,
}: {
  place: Place;
  values: readonly (number | null)[];
  y: (value: number) => number;
}) {
  let above = 0;
  let below = 0;
  return values.map((each, index) => {
    const value = each ?? 0;
    if (value === 0) return null;
    const start = value > 0 ? above : below;
    const end = start + value;
    if (value > 0) above = end;
    else below = end;
    const top = y(Math.max(start, end));
    const height = Math.max(1, y(Math.min(start, end)) - top);
    // biome-ignore lint/suspicious/noArrayIndexKey: a series is its place in the stack
    return <rect key={index} x={x} width={width} y={top} height={height} fill={seriesColour(index)} />;
  });
}

/** A line for each series, with a gap where it has no value. A point marks each value, as one between two gaps has no line. */
export function Lines({
  series,
  x,
  y,
}: {
  series: readonly Series[];
  x: (place: number) => number;
  y: (value: number) => number;
}) {
  return series.map(({ name, values }, index) => (
    <g key={name} fill={seriesColour(index)} className="pointer-events-none">
      <path d={pathOf(values, x, y)} fill="none" stroke={seriesColour(index)} strokeWidth={2} strokeLinejoin="round" />
      {values.map((value, place) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: a point is its place in time
        value === null ? null : <circle key={place} cx={x(place)} cy={y(value)} r={2.5} />,
      )}
    </g>
  ));
}

function pathOf(values: Series["values"], x: (place: number) => number, y: (value: number) => number): string {
  const steps = values.map((value, place) => {
    if (value === null) return "";
    const begins = place === 0 || values[place - 1] === null;
    return `${begins ? "M" : "L"}${x(place)} ${y(value)}`;
  });
  return steps.join("");
}
