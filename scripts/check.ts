/**
 * `npm run check`: types, lint and house rules, without the test suites. With `--sizes` it prints the sizes of files and
 * functions and the density of casts by room instead.
 */
import { join } from "node:path";
import { reportCheck, runChecks } from "./checks.ts";
import { formatSizes, measureSizes } from "./house/measure-sizes.ts";
import { readSourceFiles } from "./house/source-files.ts";

if (process.argv.includes("--sizes")) {
  console.log(formatSizes(measureSizes(await readSourceFiles(join(import.meta.dir, "..")))));
} else {
  const results = await runChecks();
  for (const check of results) console.log(reportCheck(check));
  process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
}
