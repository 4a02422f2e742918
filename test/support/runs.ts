/**
 * How many random cases a law is tried on: the given number in `npm test`, and several times as many in `npm run drills`, which runs the files with
 * most cases once more (`MORE_RUNS` in scripts/test-files.ts).
 */
export function runs(count: number): number {
  return count * Number(process.env.TEST_RUNS ?? 1);
}
