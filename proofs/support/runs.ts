import { test } from "bun:test";

/**
 * How many random cases a law is tried on: the given number in `npm test`, and several times as many in `npm run drills`, which runs the files with
 * most cases once more (`RUN_TWICE` in scripts/test-files.ts).
 */
export function runs(count: number): number {
  return count * Number(process.env.TEST_RUNS ?? 1);
}

/** Whether this is `npm test`, which leaves drills out. A run with patterns takes them. */
export const LEAVES_DRILLS = process.env.TEST_LEAVES_DRILLS === "1";

type Register = (name: string, body: () => Promise<void> | void, timeout_ms?: number) => void;

/** A test that is a drill, by its duration, size or rounds, in a file of `RUN_TWICE` whose other tests are suites (docs/design/test-runs.md). */
export const drill: Register = LEAVES_DRILLS ? () => {} : test;
