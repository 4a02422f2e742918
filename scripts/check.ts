/**
 * `npm run check`: types, lint and house rules, without the test suites. With `--sizes` it prints the sizes of files and
 * functions and the density of casts by room instead, and what the product comes to; `--root FOLDER` measures another checkout, `--feature COMMIT`
 * says how far that commit reached.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { reportCheck, runChecks } from "./checks.ts";
import { formatProject } from "./house/format-project.ts";
import { lastFeatures, reachOf } from "./house/measure-features.ts";
import { countPackages, measureProject } from "./house/measure-project.ts";
import { formatSizes, measureSizes } from "./house/measure-sizes.ts";
import { readSourceFiles } from "./house/source-files.ts";

/** Features whose reach is shown where none is named. */
const LAST_FEATURES = 5;

const { values } = parseArgs({
  options: { sizes: { type: "boolean" }, root: { type: "string" }, feature: { type: "string", multiple: true } },
});

if (values.sizes) {
  const root = values.root ?? join(import.meta.dir, "..");
  const files = await readSourceFiles(root);
  const packages = countPackages(await Bun.file(join(root, "package-lock.json")).text());
  const features = values.feature
    ? await Promise.all(values.feature.map((commit) => reachOf(root, commit)))
    : await lastFeatures(root, LAST_FEATURES);
  console.log(`${formatSizes(measureSizes(files))}\n\n${formatProject(measureProject(files), packages, features)}`);
} else {
  const results = await runChecks();
  for (const check of results) console.log(reportCheck(check));
  process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
}
