/**
 * Fuzzes the gateway: random requests against a real process with a vendor that misbehaves, and its readers in this process, led
 * by what the inputs reach. See README.md.
 *
 *   npm run fuzz -- [--minutes N] [--seed N] [--database sqlite|postgres|both|none] [--lanes N] [--case N] [--targets NAME,NAME]
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseKind } from "../torture/harms.ts";
import { FoundFolder } from "./found-folder.ts";
import { FuzzSummary, targetLine } from "./fuzz-summary.ts";
import { type FuzzOptions, readOptions, USAGE } from "./options.ts";
import { runLanes } from "./run-lanes.ts";
import { runTargets, type TargetRun } from "./run-targets.ts";

const options = optionsOrUsage();
const folder = new FoundFolder(join(tmpdir(), `camino-fuzz-found-${process.pid}`), options.seed);
console.log(
  `fuzz: ${options.minutes} min, --seed ${options.seed}, databases: ${options.databases.join(" and ") || "none"}`,
);

let breaches = 0;
const targets = runTargets(options, (run) => {
  console.log(targetLine(run));
  breaches += run.breaches.length;
  keepBreaches(run);
});
const summaries = await Promise.all([fuzzDatabases(), targets]).then(([done]) => done);
for (const [database, summary] of summaries) {
  console.log(`\n${database}`);
  for (const line of summary.lines()) console.log(`  ${line}`);
}
const found = summaries.reduce((sum, [, summary]) => sum + summary.found, breaches);
console.log(found === 0 ? `clean; to repeat: --seed ${options.seed}` : `${found} findings: ${folder.path}`);
// Connections that nobody waits for any more must not keep the command.
process.exit(found === 0 ? 0 : 1);

function optionsOrUsage(): FuzzOptions {
  try {
    return readOptions(process.argv.slice(2));
  } catch (thrown) {
    console.error(`${thrown instanceof Error ? thrown.message : "The arguments cannot be read."}\n${USAGE}`);
    process.exit(2);
  }
}

async function fuzzDatabases(): Promise<[DatabaseKind, FuzzSummary][]> {
  const done: [DatabaseKind, FuzzSummary][] = [];
  for (const database of options.databases) {
    const summary = new FuzzSummary();
    const until_ms = performance.now() + (options.minutes * 60_000) / options.databases.length;
    await runLanes({ ...options, database, until_ms, summary, folder });
    done.push([database, summary]);
  }
  return done;
}

function keepBreaches({ target, breaches: broken }: TargetRun): void {
  for (const { problem, input } of broken) folder.keepInput(target, problem, input);
}
