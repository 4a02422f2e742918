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

/** The counts of each file in the runner's report of several files, by path. A file that did not load is not in it. */
export function talliesByFile(junit: string | null): Map<string, Pick<FileReport, "tally" | "duration_ms">> {
  const found = new Map<string, Pick<FileReport, "tally" | "duration_ms">>();
  let depth = 0;
  for (const [tag, end] of (junit ?? "").matchAll(/<(\/?)testsuite\b[^>]*>/g)) {
    if (end === "/") depth -= 1;
    else {
      // Inside of a file's suite are those of its groups.
      if (depth === 0) found.set(attribute(tag, "file").replace(/^\.\//, ""), resultOf(tag));
      if (!tag.endsWith("/>")) depth += 1;
    }
  }
  return found;
}

function resultOf(tag: string): Pick<FileReport, "tally" | "duration_ms"> {
  const failed = Number(attribute(tag, "failures")) + Number(attribute(tag, "errors"));
  const skipped = Number(attribute(tag, "skipped"));
  const passed = Number(attribute(tag, "tests")) - failed - skipped;
  // A file without a test is a failure, as in a process of its own.
  const tally = { passed, failed: passed + failed + skipped === 0 ? 1 : failed, skipped };
  return { tally, duration_ms: Number(attribute(tag, "time")) * 1000 };
}

function attribute(tag: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
}

/** One line per file, with the full output below it when the file failed. */
export function reportFile({ path, tally, duration_ms, output }: FileReport): string {
  const tests = tally.passed + tally.failed + tally.skipped;
  if (tally.failed === 0) return `pass  ${path} (${tests} tests, ${seconds(duration_ms)})`;
  return `FAIL  ${path} (${tally.failed} of ${tests} tests, ${seconds(duration_ms)})\n${output.trimEnd()}\n`;
}

/** The files that took longest, for developers who want to make the run quicker. */
export function slowest(reports: readonly FileReport[], count = 10): string {
  const rows = [...reports].sort((a, b) => b.duration_ms - a.duration_ms).slice(0, count);
  return `slowest: ${rows.map(({ path, duration_ms }) => `${path} ${seconds(duration_ms)}`).join(", ")}`;
}

/** The largest part of a run that one file may take: a tenth of what a lane does. */
const LARGEST_SHARE = 0.04;

/**
 * A line for each file that takes a larger share of the run than one file may. A share and not a time, because machines
 * differ; a warning and not a failure, because a machine's other work falls on any file.
 */
export function tooLong(reports: readonly FileReport[], largest_share = LARGEST_SHARE): string[] {
  const total_ms = reports.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  return reports
    .filter(({ duration_ms }) => duration_ms > total_ms * largest_share)
    .sort((a, b) => b.duration_ms - a.duration_ms)
    .map(({ path, duration_ms }) => {
      const [share, allowed] = [duration_ms / total_ms, largest_share].map((part) => `${(part * 100).toFixed(1)} %`);
      return `LONG  ${path} takes ${share} of the time of all files, and ${allowed} is meant: find what it repeats, or part it`;
    });
}

function seconds(duration_ms: number): string {
  return `${(duration_ms / 1000).toFixed(1)} s`;
}
