import type { FileReport } from "./tally.ts";

/** The most failed files that are run again: more files do not fail by coincidence. */
const MOST_FILES = 3;

/**
 * Runs failed files once more, each alone: suites of real processes, sockets and browsers share few cores, and one in
 * thousands is late for reasons of the machine. A file that fails again has failed. A file that then passes counts as
 * passed and is passed to `onFlaky` with its first output, so that the cause of the unsteady test can be found.
 */
export async function withSecondTries(
  reports: readonly FileReport[],
  runAgain: (path: string) => Promise<FileReport>,
  onFlaky: (path: string) => void,
): Promise<FileReport[]> {
  const failed = reports.filter(({ tally }) => tally.failed > 0);
  if (failed.length > MOST_FILES) return [...reports];
  const judged: FileReport[] = [];
  for (const report of reports) {
    const again = report.tally.failed === 0 ? report : await runAgain(report.path);
    if (again !== report && again.tally.failed === 0) onFlaky(report.path);
    judged.push(again);
  }
  return judged;
}
