/** Counts tests, and reports the counts. */

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface FileReport {
  readonly path: string;
  readonly tally: Tally;
  readonly duration_ms: number;
  /** The output of a failed file; empty otherwise. */
  readonly output: string;
}

export function addUp(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (sum, tally) => ({
      passed: sum.passed + tally.passed,
      failed: sum.failed + tally.failed,
      skipped: sum.skipped + tally.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}

/** The last line of a run: `12 passed, 0 failed`, followed by the number of skipped tests if there are any. */
export function summaryLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/**
 * The counts of one file's run. `junit` is the runner's report, or null when the runner did not write one. A run that
 * failed without naming a failed test (it crashed, hung, or failed between tests) counts as one failure, and so does a
 * test file without a test, so that no failure is lost.
 */
export function tallyOf(junit: string | null, exit_status: number): Tally {
  const root = /<testsuites\b[^>]*>/.exec(junit ?? "")?.[0] ?? "";
  const count = (name: string): number => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(root)?.[1] ?? 0);
  const failed = count("failures") + count("errors");
  const skipped = count("skipped");
  const passed = count("tests") - failed - skipped;
  const unnamed = failed === 0 && (exit_status !== 0 || passed + skipped === 0);
  return { passed, failed: unnamed ? 1 : failed, skipped };
}

/** One line per file, with the full output below it when the file failed. */
export function reportFile({ path, tally, duration_ms, output }: FileReport): string {
  const tests = tally.passed + tally.failed + tally.skipped;
  if (tally.failed === 0) return `pass  ${path} (${tests} tests, ${seconds(duration_ms)})`;
  return `FAIL  ${path} (${tally.failed} of ${tests} tests, ${seconds(duration_ms)})\n${output.trimEnd()}\n`;
}

/** The files that took longest, for developers who want to make the run quicker. */
export function slowest(reports: readonly FileReport[], count = 5): string {
  const rows = [...reports].sort((a, b) => b.duration_ms - a.duration_ms).slice(0, count);
  return `slowest: ${rows.map(({ path, duration_ms }) => `${path} ${seconds(duration_ms)}`).join(", ")}`;
}

function seconds(duration_ms: number): string {
  return `${(duration_ms / 1000).toFixed(1)} s`;
}
