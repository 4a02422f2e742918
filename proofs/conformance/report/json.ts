import type { SectionResult } from "../run-matrix.ts";
import { cellsOf, tallyOf } from "./tally.ts";

/** The report for programs: every cell with its result. */
export function jsonReport(sections: readonly SectionResult[]): string {
  const cells = sections.flatMap(({ title, features }) =>
    features.flatMap(({ feature, cells: results }) =>
      results.map(({ cell, outcome }) => ({ section: title, feature: feature.name, ...cell, ...outcome })),
    ),
  );
  return `${JSON.stringify({ ...tallyOf(cellsOf(sections)), results: cells }, null, 2)}\n`;
}
