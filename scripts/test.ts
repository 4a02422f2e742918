/**
 * `npm test`: every suite, and a line with the sums. With arguments, only the test files whose path contains one of them
 * (`npm test -- ledger`). With `--times`, what each process has cost. `npm run drills` runs the longer proofs instead
 * (`scripts/test-files.ts`). Types, lint and house rules are another command, `npm run check`.
 */
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { builtFolder } from "../src/main/built-gateway.ts";
import { buildConsole } from "./build-console.ts";
import { buildGateway } from "./build-gateway.ts";
import { buildTestGateway, testGatewayPath } from "./build-test-gateway.ts";
import { installApart } from "./packages-apart.ts";
import { formatCosts, type RunCost } from "./run-cost.ts";
import { withSecondTries } from "./second-try.ts";
import { inLanes, SuiteRunner } from "./suites.ts";
import { addUp, type FileReport, reportFile, slowest, summaryLine, tooLong } from "./tally.ts";
import { type Batch, DRILL_RUNS, DRILLS, findTestFiles, planRun, RUN_TWICE } from "./test-files.ts";

const { values: flags, positionals: patterns } = parseArgs({
  options: { times: { type: "boolean", default: false }, drills: { type: "boolean", default: false } },
  allowPositionals: true,
});
const whole = patterns.length === 0 && !flags.drills;
const started = performance.now();

// Suites test the built console and start the built gateway. If one cannot be built, they fail, and the reason is printed here.
await Promise.all([
  buildConsole().catch((thrown: unknown) => console.error("The console could not be built:", thrown)),
  buildGateway().catch((thrown: unknown) => console.error("The gateway could not be built:", thrown)),
  installApart("proofs").catch((thrown: Error) => console.error(`${thrown.message}\nTests that import them fail.`)),
]);

// Of all suites a quarter start gateways and commands, and the executable pays for its compilation (docs/design/test-runs.md).
const camino = whole ? await testGatewayPath().catch(() => undefined) : undefined;
const built = whole && existsSync(builtFolder()) ? builtFolder() : undefined;
const compiled = whole
  ? buildTestGateway().catch((thrown: unknown) => console.error("The executable could not be built:", thrown))
  : Promise.resolve();

/** Of 720 files three may be late for reasons of the machine, and are named. Four in one run are tests that waver. */
const MOST_UNSTEADY = 3;

/** Seven for two cores: a lane waits for pages, timers, vendors and databases for more than two thirds of its time. */
const MOST_LANES = Math.min(7, Math.ceil(3.5 * availableParallelism()));
/** Drills build packages and executables, and compute for most of their time. */
const lanes = flags.drills ? Math.min(4, MOST_LANES) : MOST_LANES;

const files = flags.drills ? [...DRILLS, ...RUN_TWICE] : await findTestFiles(patterns);
const { small, batches, waiting } = await planRun(files);
const first: FileReport[] = [];
const costs: RunCost[] = [];
await using runner = await SuiteRunner.create({
  onReport: (report) => console.log(reportFile(report)),
  runs: flags.drills ? DRILL_RUNS : 1,
  leaves_drills: whole,
  ...(camino !== undefined && { camino }),
  ...(built !== undefined && { built }),
  ...(flags.times && { onCost: (cost: RunCost) => costs.push(cost) }),
});
const tasksOf = (list: readonly Batch[], ready = compiled) =>
  list.map((paths) => async () => {
    await ready;
    first.push(...(await runner.runBatch(paths)));
  });
// What waits for the clock has a lane of its own, and leaves the cores to the others.
await Promise.all([
  inLanes(1, tasksOf(waiting)),
  inLanes(lanes, [...tasksOf(small, Promise.resolve()), ...tasksOf(batches)]),
]);

const unsteady: string[] = [];
const reports = await withSecondTries(
  first,
  (path) => runner.runFile(path),
  (path) => unsteady.push(path),
);

const total = addUp(reports.map(({ tally }) => tally));
if (flags.times) console.log(`\n${formatCosts(costs)}`);
console.log(`\n${slowest(reports)}`);
if (whole) for (const line of tooLong(reports)) console.log(line);
console.log(`${files.length} files in ${((performance.now() - started) / 1000).toFixed(1)} s`);
for (const path of unsteady) console.log(`UNSTEADY  ${path} failed among the others and passes alone: mend it`);
const wavers = unsteady.length > MOST_UNSTEADY;
if (wavers) console.log(`${unsteady.length} files needed a second try, and ${MOST_UNSTEADY} may: the run has failed`);
console.log(summaryLine(total));
process.exitCode = total.failed === 0 && total.passed > 0 && !wavers ? 0 : 1;
