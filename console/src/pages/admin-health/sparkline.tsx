const WIDTH = 120;
const HEIGHT = 28;
const POINTS = 60;

/**
 * The course of a value since the page was opened, the newest at the right. Only a picture: the value itself is beside
 * it. The scale begins at zero, so that a small change does not look large.
 */
export function Sparkline({ values }: { values: readonly (number | null)[] }) {
  const known = values.map((value) => value ?? 0);
  const most = Math.max(...known, 1e-9);
  const x = (index: number) => ((index + POINTS - known.length) / (POINTS - 1)) * WIDTH;
  const y = (value: number) => HEIGHT - 1.5 - (value / most) * (HEIGHT - 4);
  const line = known.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const first = x(0).toFixed(1);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className="mt-2 h-7 w-full overflow-visible"
    >
      {known.length > 1 && (
        <>
          <polygon points={`${first},${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} fill="var(--accent-soft)" />
          <polyline
            points={line}
            fill="none"
            stroke="var(--accent)"
            strokeWidth="1.5"
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
          />
        </>
      )}
      <line
        x1="0"
        x2={WIDTH}
        y1={HEIGHT - 0.5}
        y2={HEIGHT - 0.5}
        stroke="var(--line)"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
