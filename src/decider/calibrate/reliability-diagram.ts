import type { TypeReport } from "./fit-calibration.ts";
import type { Bin, Quality } from "./measure-quality.ts";

/** Sizes in pixels. A panel's plot is a square in which both axes go from 0 to 1. */
const PANEL = { width: 340, height: 420, left: 52, top: 48, side: 264 };
const MOST_RADIUS = 9;

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #1c2024; }
  .title { font-size: 15px; font-weight: 600; }
  .frame { fill: none; stroke: #8b9198; }
  .grid { stroke: #e1e4e8; }
  .ideal { stroke: #8b9198; stroke-dasharray: 4 4; }
  .before { stroke: #c2410c; fill: #c2410c; }
  .after { stroke: #0f766e; fill: #0f766e; }
  .line { fill: none; stroke-width: 1.5; }
  .dot { fill-opacity: 0.75; stroke: none; }
  svg { background: #ffffff; }
  @media (prefers-color-scheme: dark) {
    svg { background: #14171a; }
    text { fill: #e6e8ea; }
    .grid { stroke: #2b3036; }
    .before { stroke: #fb923c; fill: #fb923c; }
    .after { stroke: #2dd4bf; fill: #2dd4bf; }
  }`;

/**
 * A diagram of a fit as SVG text: stated probability to the right, the share of true statements upwards, one panel for
 * each type of question. A dot is a bin, and its area is the number of its examples. On the dashed line the stated
 * probability is the observed share.
 */
export function reliabilityDiagram(reports: readonly TypeReport[], title: string): string {
  const width = Math.max(reports.length, 1) * PANEL.width;
  const panels = reports.map((report, index) => panelOf(report, index * PANEL.width));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${PANEL.height}" width="${width}" height="${PANEL.height}" role="img">`,
    `<title>${Bun.escapeHTML(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<text class="title" x="12" y="22">${Bun.escapeHTML(title)}</text>`,
    ...panels,
    "</svg>",
    "",
  ].join("\n");
}

function panelOf({ type, temperature, before, after }: TypeReport, x: number): string {
  const { left, top, side } = PANEL;
  const fitted = temperature === null ? "too few examples" : `temperature ${temperature.toPrecision(3)}`;
  const below = top + side;
  return [
    `<g transform="translate(${x} 0)">`,
    `<text x="${left}" y="${top - 8}">${type}: ${before.examples} examples, ${fitted}</text>`,
    axes(),
    seriesOf(before, "before"),
    seriesOf(after, "after"),
    `<text x="${left + side / 2}" y="${below + 36}" text-anchor="middle">stated probability</text>`,
    `<text transform="translate(14 ${top + side / 2}) rotate(-90)" text-anchor="middle">share that came true</text>`,
    legend("before", before, below + 60),
    legend("after", after, below + 80),
    "</g>",
  ].join("\n");
}

function axes(): string {
  const { left, top, side } = PANEL;
  const ticks = [0, 0.25, 0.5, 0.75, 1].flatMap((tick) => [
    `<line class="grid" x1="${xOf(tick)}" y1="${top}" x2="${xOf(tick)}" y2="${top + side}"/>`,
    `<line class="grid" x1="${left}" y1="${yOf(tick)}" x2="${left + side}" y2="${yOf(tick)}"/>`,
    `<text x="${xOf(tick)}" y="${top + side + 16}" text-anchor="middle">${tick}</text>`,
    `<text x="${left - 6}" y="${Number(yOf(tick)) + 4}" text-anchor="end">${tick}</text>`,
  ]);
  const frame = `<rect class="frame" x="${left}" y="${top}" width="${side}" height="${side}"/>`;
  const ideal = `<line class="ideal" x1="${xOf(0)}" y1="${yOf(0)}" x2="${xOf(1)}" y2="${yOf(1)}"/>`;
  return [...ticks, frame, ideal].join("\n");
}

function seriesOf({ bins, examples }: Quality, name: "before" | "after"): string {
  const points = bins.map(({ stated, observed }) => `${xOf(stated)},${yOf(observed)}`);
  const dots = bins.map((bin) => dotOf(bin, examples, name));
  return [`<polyline class="line ${name}" style="fill: none" points="${points.join(" ")}"/>`, ...dots].join("\n");
}

function dotOf({ stated, observed, examples }: Bin, all: number, name: string): string {
  const radius = Math.max(MOST_RADIUS * Math.sqrt(examples / all), 2).toFixed(1);
  const words = `${name}: ${examples} examples, stated ${stated.toFixed(3)}, came true ${observed.toFixed(3)}`;
  return `<circle class="dot ${name}" cx="${xOf(stated)}" cy="${yOf(observed)}" r="${radius}"><title>${words}</title></circle>`;
}

function legend(name: "before" | "after", { ece_equal_width, brier }: Quality, y: number): string {
  const numbers = `ECE ${ece_equal_width.toFixed(4)}, Brier ${brier.toFixed(4)}`;
  const { left } = PANEL;
  return `<circle class="dot ${name}" cx="${left + 5}" cy="${y - 4}" r="5"/><text x="${left + 18}" y="${y}">${name}: ${numbers}</text>`;
}

function xOf(value: number): string {
  return (PANEL.left + value * PANEL.side).toFixed(1);
}

function yOf(value: number): string {
  return (PANEL.top + (1 - value) * PANEL.side).toFixed(1);
}
