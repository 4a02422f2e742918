/**
 * `npm test`: types, lint and house rules, then every suite, and a line with the sums. With arguments, only the
 * test files whose path contains one of them (`npm test -- ledger`).
 */
import { availableParallelism } from "node:os";
import { buildConsole } from "./build-console.ts";
import { reportCheck, runChecks } from "./checks.ts";
import { withSecondTries } from "./second-try.ts";
import { findTestFiles, runTestFiles } from "./suites.ts";
import { addUp, type FileReport, reportFile, slowest, summaryLine, type Tally } from "./tally.ts";

const patterns = process.argv.slice(2);
const started = performance.now();
const tallies: Tally[] = [];

// The browser suites test the built console. If it cannot be built, they fail, and the reason is printed here.
await buildConsole().catch((thrown: unknown) => console.error("The console could not be built:", thrown));

if (patterns.length === 0) {
  for (const check of await runChecks()) {
    console.log(reportCheck(check));
    tallies.push({ passed: check.passed ? 1 : 0, failed: check.passed ? 0 : 1, skipped: 0 });
  }
}

/** One file may be late for reasons of the machine. Two files in one run are tests that waver. */
const MOST_UNSTEADY = 1;

/** One more than there are cores, up to three: suites with a browser or a vendor spend much of their time waiting. */
const jobs = Math.min(3, availableParallelism() + 1);

const files = await findTestFiles(patterns);
const show = (report: FileReport): void => console.log(reportFile(report));
const unsteady: string[] = [];
const reports = await withSecondTries(
  await runTestFiles(files, jobs, show),
  async (path) => (await runTestFiles([path], 1, show))[0] as FileReport,
  (path) => unsteady.push(path),
);

const total = addUp([...tallies, ...reports.map(({ tally }) => tally)]);
console.log(`\n${slowest(reports)}\n${files.length} files in ${((performance.now() - started) / 1000).toFixed(1)} s`);
for (const path of unsteady) console.log(`UNSTEADY  ${path} failed among the others and passes alone: mend it`);
const wavers = unsteady.length > MOST_UNSTEADY;
if (wavers) console.log(`${unsteady.length} files needed a second try, and ${MOST_UNSTEADY} may: the run has failed`);
console.log(summaryLine(total));
process.exitCode = total.failed === 0 && total.passed > 0 && !wavers ? 0 : 1;
