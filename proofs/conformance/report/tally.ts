import type { CellResult, SectionResult } from "../run-matrix.ts";

export interface Tally {
  readonly cells: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The number of cells, in total and by result. */
export function tallyOf(cells: readonly CellResult[]): Tally {
  const count = (result: CellResult["outcome"]["result"]) =>
    cells.filter(({ outcome }) => outcome.result === result).length;
  return { cells: cells.length, passed: count("pass"), failed: count("fail"), skipped: count("skip") };
}

export function cellsOf(sections: readonly SectionResult[]): CellResult[] {
  return sections.flatMap(({ features }) => features.flatMap(({ cells }) => cells));
}
