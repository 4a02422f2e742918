import type { Series } from "./series.ts";

/** A series with its colour, which it keeps while others are hidden. */
export interface Shown extends Series {
  readonly colour: string;
}

interface BarPlace {
  readonly x: number;
  readonly width: number;
}

/** One bar of values that stand on each other: upwards from zero, and below it what is negative. Each part says of which series it is. */
export function Bar({
  place: { x, width },
  at,
  series,
  y,
}: {
  place: BarPlace;
  at: number;
  series: readonly Shown[];
  y: (value: number) => number;
}) {
  let above = 0;
  let below = 0;
  return series.map(({ name, colour, values }) => {
    const value = values[at] ?? 0;
    if (value === 0) return null;
    const start = value > 0 ? above : below;
    const end = start + value;
    if (value > 0) above = end;
    else below = end;
    const top = y(Math.max(start, end));
    const height = Math.max(1, y(Math.min(start, end)) - top);
    return <rect key={name} data-series={name} x={x} width={width} y={top} height={height} fill={colour} />;
  });
}

/** A line for each series, with a gap where it has no value. A point marks each value, as one between two gaps has no line. */
export function Lines({
  series,
  x,
  y,
}: {
  series: readonly Shown[];
  x: (place: number) => number;
  y: (value: number) => number;
}) {
  return series.map(({ name, colour, values }) => (
    <g key={name} fill={colour} className="pointer-events-none">
      <path d={pathOf(values, x, y)} fill="none" stroke={colour} strokeWidth={2} strokeLinejoin="round" />
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
