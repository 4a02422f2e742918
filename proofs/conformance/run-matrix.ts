import { CELLS, type Cell } from "./cell.ts";
import type { Feature, Outcome, Section } from "./feature.ts";
import { type Deployment, runCell } from "./run-cell.ts";

export interface CellResult {
  readonly cell: Cell;
  readonly outcome: Outcome;
}

export interface FeatureResult {
  readonly feature: Feature;
  readonly cells: readonly CellResult[];
}

export interface SectionResult {
  readonly title: string;
  readonly features: readonly FeatureResult[];
}

/** The number of cells that run at once: well below the number of requests that a key may have open. */
const AT_ONCE = 16;

/** Runs every cell of every feature, several at a time; the results are in the order of the sections. */
export async function runMatrix(sections: readonly Section[], deployment: Deployment): Promise<SectionResult[]> {
  const jobs = sections.flatMap(({ features }) =>
    features.flatMap((feature) => CELLS.map((cell) => ({ feature, cell }))),
  );
  const outcomes = new Map<Feature, CellResult[]>(jobs.map(({ feature }) => [feature, []]));
  const queue = jobs.entries();
  const work = async (): Promise<void> => {
    for (const [index, { feature, cell }] of queue) {
      const outcome = await runCell(feature, cell, deployment);
      const cells = outcomes.get(feature);
      if (cells !== undefined) cells[index % CELLS.length] = { cell, outcome };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return sections.map(({ title, features }) => ({
    title,
    features: features.map((feature) => ({ feature, cells: outcomes.get(feature) ?? [] })),
  }));
}
