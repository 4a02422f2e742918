/** `npm run conformance`: the whole matrix against a deployment, or against this working copy. */
import { parseArgs } from "node:util";
import { cellName } from "./cell.ts";
import { startOwnDeployment } from "./deployment/own-deployment.ts";
import { readModels } from "./deployment/read-models.ts";
import { SECTIONS } from "./features/sections.ts";
import { Gateway } from "./gateway.ts";
import { jsonReport } from "./report/json.ts";
import { markdownReport } from "./report/markdown.ts";
import { cellsOf, tallyOf } from "./report/tally.ts";
import type { Deployment } from "./run-cell.ts";
import { runMatrix } from "./run-matrix.ts";

const USAGE = `usage: npm run conformance -- [--base-url URL --key KEY [--models FILE]] [--json FILE] [--markdown FILE] [--only WORDS]

Without --base-url a gateway of this working copy is started, whose vendors are the simulator.
--models is a JSON file: {"VENDOR": {"KIND": "MODEL ID"}}; kinds that it does not name are skipped. Without it
models are VENDOR/KIND. --only runs the features whose name contains the words.`;

const OPTIONS = {
  "base-url": { type: "string" },
  key: { type: "string" },
  models: { type: "string" },
  json: { type: "string" },
  markdown: { type: "string" },
  only: { type: "string" },
  help: { type: "boolean" },
} as const;

type Values = Partial<Record<Exclude<keyof typeof OPTIONS, "help">, string>> & { readonly help?: boolean };

process.exitCode = await main();

async function main(): Promise<number> {
  let values: Values;
  try {
    values = parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
  if (values.help || (values["base-url"] === undefined) !== (values.key === undefined)) {
    console.error(USAGE);
    return values.help ? 0 : 2;
  }
  return await run(values);
}

async function run({ "base-url": base_url, key, models, json, markdown, only = "" }: Values): Promise<number> {
  await using own = base_url === undefined ? await startOwnDeployment() : null;
  const deployment: Deployment = own ?? {
    gateway: new Gateway(base_url ?? "", key ?? ""),
    modelFor: await readModels(models),
  };
  const wanted = SECTIONS.map(({ title, features }) => ({
    title,
    features: features.filter(({ name }) => name.includes(only)),
  })).filter(({ features }) => features.length > 0);
  const results = await runMatrix(wanted, deployment);
  if (json !== undefined) await Bun.write(json, jsonReport(results));
  if (markdown !== undefined) await Bun.write(markdown, markdownReport(results));
  for (const { features } of results)
    for (const { feature, cells } of features)
      for (const { cell, outcome } of cells)
        if (outcome.result === "fail") console.error(`✗ ${feature.name}: ${cellName(cell)}: ${outcome.violation}`);
  const { cells, passed, failed, skipped } = tallyOf(cellsOf(results));
  console.log(`${cells} cells: ${passed} pass, ${failed} fail, ${skipped} are skipped.`);
  return failed === 0 ? 0 : 1;
}
