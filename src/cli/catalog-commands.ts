import type { Command } from "commander";
import { type CatalogPart, catalogParts, OLD_AFTER_DAYS } from "../catalog/bundled/catalog-age.ts";
import { diffCatalog, formatDiff } from "../catalog/published/diff-catalog.ts";
import { importCatalog } from "../catalog/published/import-catalog.ts";
import { findConfiguration } from "./check-command.ts";
import { type CommonOptions, leafCommand, print } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { readPatterns } from "./shared/read-arguments.ts";
import { readSource } from "./shared/read-source.ts";
import { counted, formatTable } from "./shared/table.ts";

interface ImportOptions extends CommonOptions {
  readonly vendors?: string[];
}
interface DiffOptions extends CommonOptions {
  readonly config?: string;
}

/** The most left-out entries that the output names; `--json` has all of them. */
const NAMED_AT_MOST = 10;

export function addCatalogCommands(program: Command, deps: CliDeps): void {
  const catalog = program
    .command("catalog")
    .description("the bundled catalog and its age, and published lists to compare it with: models.dev, LiteLLM");

  const about_show = "the bundled catalog by vendor: how old its figures are and where they come from";
  leafCommand(catalog, "show", about_show, "default").action((options: CommonOptions) => {
    const vendors = catalogParts(deps.clock.now_ms());
    print(deps, options, { old_after_days: OLD_AFTER_DAYS, vendors }, ({ vendors: parts }) => tableOfParts(parts));
  });

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

function tableOfParts(parts: readonly CatalogPart[]): string {
  const columns = ["vendor", ">models", "as of", ">age", "source"];
  const rows = parts.map(({ vendor, model_count, as_of, age_days, is_old, source }) => [
    vendor,
    String(model_count),
    as_of,
    `${counted(age_days, "day")}${is_old ? ", old" : ""}`,
    source,
  ]);
  return formatTable(columns, rows);
}

/** Writes lines for people to stderr; with `--json`, writes nothing. */
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
