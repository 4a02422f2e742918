import type { Sample } from "./sample.ts";

/** The course of a run as a picture (SVG): one panel below the other, with the time as their common axis. */

interface Line {
  readonly name: string;
  readonly color: string;
  readonly of: (sample: Sample) => number;
}

interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
}

const MIB = 2 ** 20;
const BLUE = "#2563eb";
const ORANGE = "#c2410c";
const GREEN = "#15803d";
const GREY = "#64748b";

const PANELS: readonly Panel[] = [
  { title: "Memory, MiB", lines: [{ name: "", color: BLUE, of: ({ memory_bytes }) => memory_bytes / MIB }] },
  { title: "Open file handles", lines: [{ name: "", color: BLUE, of: ({ handles }) => handles }] },
  {
    title: "Latency of the probe, ms",
    lines: [
      { name: "a tenth", color: GREEN, of: ({ low_ms }) => low_ms },
      { name: "half", color: BLUE, of: ({ p50_ms }) => p50_ms },
      { name: "95 of 100", color: ORANGE, of: ({ p95_ms }) => p95_ms },
      { name: "half, at the vendor itself", color: GREY, of: ({ direct_ms }) => direct_ms },
    ],
  },
  { title: "Calls a second", lines: [{ name: "", color: BLUE, of: ({ calls_per_s }) => calls_per_s }] },
  {
    title: "Processor time a call, ms",
    lines: [{ name: "", color: BLUE, of: ({ cpu_ms_per_call }) => cpu_ms_per_call }],
  },
  {
    title: "Books",
    lines: [
      { name: "held at rest, micro", color: BLUE, of: ({ held_micro }) => held_micro },
      { name: "findings", color: ORANGE, of: ({ findings }) => findings },
    ],
  },
];

const WIDTH = 760;
const LEFT = 64;
const RIGHT = 20;
const TOP = 56;
const PANEL = 96;
const GAP = 34;
const BOTTOM = 36;
const TIME_MARKS = 6;

export interface PlotHead {
  readonly title: string;
  readonly subtitle: string;
}

/** The picture of a run. Values begin at zero, so that a small change does not look large. */
export function plot({ title, subtitle }: PlotHead, samples: readonly Sample[]): string {
  const end_s = Math.max(1, ...samples.map(({ at_s }) => at_s));
  const height = TOP + PANELS.length * (PANEL + GAP) + BOTTOM;
  const x = (at_s: number): number => LEFT + (at_s / end_s) * (WIDTH - LEFT - RIGHT);
  const panels = PANELS.map((panel, index) => drawPanel(panel, samples, { x, top: TOP + index * (PANEL + GAP) + 18 }));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="11" fill="#334155">
<title>${title}</title>
<rect width="100%" height="100%" fill="#ffffff"/>
${text(LEFT, 24, title, 'font-size="16" font-weight="600" fill="#0f172a"')}
${text(LEFT, 42, subtitle)}
${panels.join("\n")}
${timeMarks(end_s, x, height - BOTTOM + 8)}
</svg>
`;
}

interface Place {
  readonly x: (at_s: number) => number;
  readonly top: number;
}

function drawPanel({ title, lines }: Panel, samples: readonly Sample[], { x, top }: Place): string {
  const values = lines.flatMap(({ of }) => samples.map(of)).filter(Number.isFinite);
  const most = roundUp(Math.max(0, ...values));
  const y = (value: number): number => top + PANEL - (value / most) * PANEL;
  const grid = [0, 0.5, 1].map((share) => {
    const value = most * share;
    const rule = `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}" stroke="#e2e8f0"/>`;
    return rule + text(LEFT - 8, y(value) + 4, String(Number(value.toFixed(2))), 'text-anchor="end"');
  });
  const drawn = lines.map(({ color, of }) => {
    const points = samples.filter((sample) => Number.isFinite(of(sample)));
    const line = points.map((sample) => `${x(sample.at_s).toFixed(1)},${y(of(sample)).toFixed(1)}`).join(" ");
    return `<polyline points="${line}" fill="none" stroke="${color}" stroke-width="1.5"/>`;
  });
  const legend = lines.map(({ name, color }, index) =>
    name === ""
      ? ""
      : text(WIDTH - RIGHT - (lines.length - 1 - index) * 140, top - 6, name, `text-anchor="end" fill="${color}"`),
  );
  return [text(LEFT, top - 6, title, 'font-weight="600"'), ...grid, ...drawn, ...legend].join("\n");
}

function timeMarks(end_s: number, x: (at_s: number) => number, y: number): string {
  const in_minutes = end_s >= 180;
  const marks = Array.from({ length: TIME_MARKS + 1 }, (_, index) => (end_s * index) / TIME_MARKS);
  return marks
    .map((at_s) => {
      const shown = in_minutes ? `${(at_s / 60).toFixed(end_s < 1200 ? 1 : 0)} min` : `${at_s.toFixed(0)} s`;
      return text(x(at_s), y, shown, 'text-anchor="middle"');
    })
    .join("\n");
}

/** The next of 1, 2, 2.5 and 5 times a power of ten. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}

function text(x: number, y: number, content: string, attributes = ""): string {
  const escaped = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${escaped}</text>`;
}
