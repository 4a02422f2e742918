import type { FileReport } from "./tally.ts";

/** More files than this do not fail by coincidence. */
const MOST_FILES = 3;

/**
 * Runs the few files that failed once more, each alone: suites of real processes, sockets and browsers share two cores,
 * and one in thousands is late for reasons of the machine. What fails alone too has failed. What passes then counts as
 * passed, and `onUnsteady` is told, with the first output to find the cause by: unsteady is no state to leave a test in.
 */
export async function withSecondTries(
  reports: readonly FileReport[],
  runAgain: (path: string) => Promise<FileReport>,
  onUnsteady: (path: string) => void,
): Promise<FileReport[]> {
  const failed = reports.filter(({ tally }) => tally.failed > 0);
  if (failed.length > MOST_FILES) return [...reports];
  const judged: FileReport[] = [];
  for (const report of reports) {
    const again = report.tally.failed === 0 ? report : await runAgain(report.path);
    if (again !== report && again.tally.failed === 0) onUnsteady(report.path);
    judged.push(again);
  }
  return judged;
}
