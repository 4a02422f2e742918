import type { Row } from "./lanes/lane.ts";

/** What a row of the lanes' table is to reach. */
export interface Goal {
  /** The row's id. */
  readonly row: string;
  readonly at_most?: number;
  readonly at_least?: number;
  /** Whether `--gate` ends with status 1 where the goal is missed. */
  readonly gate: boolean;
}

/** One line for each goal; `gate: true` from the day on which it is kept. */
export const GOALS: readonly Goal[] = [
  { row: "keys.sqlite.5000.cpu", at_most: 1.3, gate: false },
  { row: "keys.sqlite.5000.p99", at_most: 3, gate: false },
  { row: "young.1.calls", at_least: 0.8, gate: true },
  { row: "young.32.calls", at_least: 0.8, gate: true },
  { row: "postgres.gateway", at_most: 1.3, gate: false },
  { row: "postgres.database", at_most: 120, gate: false },
  { row: "postgres.p50", at_most: 4, gate: false },
  { row: "two-gateways.calls", at_least: 1, gate: false },
  { row: "open-loop.sqlite.40.cpu", at_most: 2.2, gate: false },
  { row: "open-loop.sqlite.160.cpu", at_most: 2.2, gate: false },
  { row: "open-loop.sqlite.640.cpu", at_most: 2.2, gate: false },
  { row: "open-loop.sqlite.40.p50", at_most: 1.7, gate: false },
  { row: "open-loop.sqlite.160.p50", at_most: 1.7, gate: false },
  { row: "open-loop.sqlite.640.p50", at_most: 1.7, gate: false },
  { row: "added.sqlite", at_most: 0.35, gate: false },
  { row: "extras.sqlite.limits", at_most: 1.15, gate: false },
  { row: "extras.sqlite.hits", at_most: 0.6, gate: false },
  { row: "cold-start.sqlite", at_most: 1.8, gate: false },
  { row: "idle.sqlite", at_most: 2, gate: false },
  { row: "open-streams", at_most: 12, gate: false },
  { row: "open-streams.ratio", at_most: 1, gate: true },
  { row: "media.sqlite.embedding", at_most: 1.3, gate: false },
  { row: "media.sqlite.speech", at_most: 1.3, gate: false },
  { row: "media.sqlite.embedding.billed", at_most: 1.1, gate: false },
  { row: "media.sqlite.speech.billed", at_most: 1.1, gate: false },
  { row: "million.sqlite.disk", at_most: 0.4, gate: true },
  { row: "million.postgres.disk", at_most: 0.8, gate: true },
];

/** The goal of a row; undefined where it has none. */
export function goalOf({ id }: Row, goals: readonly Goal[] = GOALS): Goal | undefined {
  return goals.find(({ row }) => row === id);
}

export function isKept({ value }: Row, { at_most = Number.POSITIVE_INFINITY, at_least = 0 }: Goal): boolean {
  return value <= at_most && value >= at_least;
}

/** `≤ 1.3` or `≥ 0.8`. */
export function limitOf({ at_most, at_least }: Goal): string {
  return [at_most === undefined ? "" : `≤ ${at_most}`, at_least === undefined ? "" : `≥ ${at_least}`].join("");
}

/** Every goal of the gate that the rows miss, as a sentence. A goal whose row was not measured is not judged. */
export function brokenGoals(rows: readonly Row[], goals: readonly Goal[] = GOALS): string[] {
  return rows.flatMap((row) => {
    const goal = goalOf(row, goals);
    if (goal === undefined || !goal.gate || isKept(row, goal)) return [];
    return [`${row.name}: ${row.value.toFixed(2)}, promised ${limitOf(goal)}`];
  });
}
