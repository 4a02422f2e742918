import type { Command } from "commander";
import { diffCatalog, formatDiff } from "../catalog/diff-catalog.ts";
import { importCatalog } from "../catalog/import-catalog.ts";
import { findConfiguration } from "./check-command.ts";
import { type CommonOptions, leafCommand, print } from "./command.ts";
import type { CliDeps } from "./deps.ts";
import { readPatterns } from "./read-arguments.ts";
import { readSource } from "./read-source.ts";
import { counted } from "./table.ts";

interface ImportOptions extends CommonOptions {
  readonly vendors?: string[];
}
interface DiffOptions extends CommonOptions {
  readonly config?: string;
}

/** How many things that were left out are named; `--json` has all of them. */
const NAMED_AT_MOST = 10;

export function addCatalogCommands(program: Command, deps: CliDeps): void {
  const catalog = program.command("catalog").description("published lists of models and prices: models.dev, LiteLLM");

  leafCommand(catalog, "import <file|url>", "print a published list as configuration")
    .option("--vendors <id,...>", "only these vendors", readPatterns)
    .action(async (source: string, { vendors, ...options }: ImportOptions) => {
      const imported = importCatalog(await readSource(source, deps.fetch), vendors ?? null);
      print(deps, options, imported, ({ yaml }) => yaml.trimEnd());
      const { vendor_count, model_count, left_out } = imported;
      tell(deps, options, [
        `${counted(model_count, "model")} of ${counted(vendor_count, "vendor")}.`,
        ...leftOut(left_out),
      ]);
    });

  leafCommand(catalog, "diff <file|url>", "compare a published list with the configuration")
    .option("--config <file>", "configuration file (default: CAMINO_CONFIG, else camino.yaml if there is one)")
    .action(async (source: string, options: DiffOptions) => {
      const text = await readSource(source, deps.fetch);
      const { configuration, close } = await findConfiguration(deps, options);
      await close();
      const diff = diffCatalog(configuration, text, deps.clock.now_ms());
      print(deps, options, diff, (found) => formatDiff(found).trimEnd());
      tell(deps, options, leftOut(diff.left_out));
    });
}

/** Tells people, not programs: on stderr, and not at all beside a JSON document. */
function tell(deps: CliDeps, options: CommonOptions, lines: readonly string[]): void {
  if (!options.json && lines.length > 0) deps.stderr(`${lines.join("\n")}\n`);
}

function leftOut(left_out: readonly string[]): string[] {
  if (left_out.length === 0) return [];
  const rest = left_out.length - NAMED_AT_MOST;
  return [
    "Left out:",
    ...left_out.slice(0, NAMED_AT_MOST).map((line) => `  ${line}`),
    ...(rest > 0 ? [`  and ${rest} more: see them with --json`] : []),
  ];
}
