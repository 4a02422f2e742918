import type { Command } from "commander";
import { type CatalogPart, catalogPartsInUse, describeOldParts } from "../catalog/bundled/catalog-age.ts";
import {
  type ConfigurationDescription,
  describeConfiguration,
  type RouteDescription,
} from "../catalog/configuration/describe-configuration.ts";
import { type UnpaidDecisions, unpaidDecisions } from "../catalog/prices/unpaid-decisions.ts";
import { ConfigurationError } from "../catalog/reading/problem.ts";
import type { Configuration } from "../core/catalog/catalog.ts";
import { signalsOf } from "./check-collector.ts";
import { withoutSecrets } from "./check-hooks.ts";
import { type CommonOptions, leafCommand, print } from "./shared/command.ts";
import type { CellShare, CliDeps, FoundConfiguration } from "./shared/deps.ts";
import { CliFailure } from "./shared/failure.ts";
import { counted, formatTable } from "./shared/table.ts";

interface CheckOptions extends CommonOptions {
  readonly config?: string;
}

interface Checked extends ConfigurationDescription {
  readonly file: string | null;
  readonly first_run: boolean;
  /** The parts of the bundled catalogue whose prices are charged, with their age. */
  readonly bundled_prices: readonly CatalogPart[];
  /** Decision models whose calls may cost more than their price earns. */
  readonly unpaid_decisions: readonly UnpaidDecisions[];
  /** Sentences about the other servers that are asked or told: OpenTelemetry's collector and hooks. `camino doctor` tries them. */
  readonly outside: readonly string[];
  /** The cells among which accounts are spread, the directory first; none where there is one database. */
  readonly cells: readonly CellShare[];
}

export function addCheckCommand(program: Command, deps: CliDeps): void {
  leafCommand(program, "check", "validate the configuration and print what it resolves to")
    .option("--config <file>", "configuration file (default: CAMINO_CONFIG, else camino.yaml if there is one)")
    .action(async (options: CheckOptions) => {
      const { configuration, env, file, first_run, cells, close } = await findConfiguration(deps, options);
      await close();
      const bundled_prices = catalogPartsInUse(configuration, deps.clock.now_ms());
      const checked: Checked = {
        file,
        first_run,
        ...describeConfiguration(configuration, env),
        bundled_prices,
        // Whatever the simulator is charged with, its answers cost nothing.
        outside: describeOutside(configuration),
        cells: cells?.() ?? [],
        unpaid_decisions: first_run ? [] : unpaidDecisions(configuration, deps.clock.now_ms()),
      };
      print(deps, options, checked, inWords);
    });
}

/** The configuration that `serve` would use. Throws a CliFailure that lists every mistake. */
export async function findConfiguration(
  deps: CliDeps,
  options: { readonly config?: string },
): Promise<FoundConfiguration> {
  try {
    return await deps.readConfiguration(options);
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    const { message, problems } = thrown;
    const error = { message, type: "cli_error", param: null, code: "invalid_configuration" };
    throw new CliFailure(message, { code: error.code, body: { error, problems }, cause: thrown });
  }
}

function inWords(checked: Checked): string {
  const { file, first_run, models, currency, limits } = checked;
  const start = first_run
    ? "No model is configured, so the built-in simulator answers."
    : `${file ?? "The environment alone"} is a valid configuration.`;
  const { rpm, concurrent } = limits.default_key;
  const parts = [
    `${start}\nPrices are in ${currency}. ${inKinds(models)}.`,
    tableOfVendors(checked),
    ...(checked.routed.length === 0 ? [] : [checked.routed.map(describeRoute).join("\n")]),
    `A body may have ${limits.body_bytes} bytes, a key by default ${rpm} requests per minute and ${concurrent} concurrent requests.`,
    ...describeRules(limits),
    ...(checked.cells.length === 0 ? [] : [describeCells(checked.cells)]),
    ...(checked.outside.length === 0 ? [] : [checked.outside.join("\n")]),
  ];
  const old = describeOldParts(checked.bundled_prices);
  if (old !== null) parts.push(`Note: ${old}`);
  for (const unpaid of checked.unpaid_decisions) parts.push(describeUnpaid(unpaid));
  if (checked.thinking_unsaid.length > 0) parts.push(describeUnsaid(checked.thinking_unsaid));
  if (checked.not_enabled.length > 0) {
    const some = checked.not_enabled.slice(0, NAMED_VENDORS).map(({ name, missing }) => `${name} (${missing})`);
    const more = checked.not_enabled.length - some.length;
    const others = more > 0 ? `, and ${more} more: camino check --json` : "";
    parts.push(`Known vendors that a variable would enable: ${some.join(", ")}${others}.`);
  }
  return parts.join("\n\n");
}

/** The limits of each account by model and by tag, in one sentence; none: nothing. */
function describeRules({ models = [], tags = [] }: Checked["limits"]): string[] {
  const parts = [
    ...(models.length === 0 ? [] : [`by model (${models.join(", ")})`]),
    ...(tags.length === 0 ? [] : [`by tag (${tags.join(", ")})`]),
  ];
  return parts.length === 0 ? [] : [`Each account is limited ${parts.join(" and ")}.`];
}

/** Where accounts live, in one sentence. */
export function describeCells(cells: readonly CellShare[]): string {
  const shares = cells.map(({ name, weight }) => `${name} (weight ${weight})`);
  return `Accounts are spread over ${counted(cells.length, "cell")}: ${shares.join(", ")}.`;
}

function describeOutside({ telemetry, hooks }: Configuration): string[] {
  const { before, after } = hooks ?? {};
  const { endpoint = "" } = telemetry ?? {};
  return [
    ...(telemetry === undefined ? [] : [`The collector at ${endpoint} gets ${signalsOf(telemetry).join(" and ")}.`]),
    ...(before === undefined
      ? []
      : [
          `${withoutSecrets(before.url)} is asked about requests for ${before.deadline_ms} ms, else: ${before.on_failure}.`,
        ]),
    ...(after === undefined ? [] : [`${withoutSecrets(after.url)} is told of answers.`]),
  ];
}

function inKinds(models: Checked["models"]): string {
  const some = Object.entries(models).filter(([, count]) => count > 0);
  const kinds = some.map(([kind, count]) => counted(count, `${kind} model`));
  return kinds.length === 0 ? "No models" : kinds.join(", ");
}

const NAMED = 10;
const NAMED_VENDORS = 5;

function describeUnsaid(ids: readonly string[]): string {
  const others = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : "";
  return `Note: nothing says whether these models reason: ${ids.slice(0, NAMED).join(", ")}${others}. They may, where nobody sees it, so each request is held for the longest answer, and a vendor is read to its end when its client leaves. Write capabilities: { thinking: false } for those that do not, and thinking: true for those that do.`;
}

function describeUnpaid({ model, chat_model, from_calls }: UnpaidDecisions): string {
  const when = from_calls === 1 ? "every request" : `a request that takes ${from_calls} calls or more`;
  return `Warning: ${model} can cost more than it earns: ${when} costs more input of ${chat_model} than is charged. Raise its price, or charge every call (price.per: call), or lower limits.decision_calls.`;
}

function tableOfVendors({ vendors }: Checked): string {
  const columns = ["vendor", ">models", "credential", "speaks"];
  const rows = vendors.map(({ id, model_count, has_credential, credential_count, endpoints }) => [
    id,
    String(model_count),
    credential_count !== undefined ? String(credential_count) : has_credential ? "set" : "none",
    [...Map.groupBy(endpoints, ({ base_url }) => base_url)]
      .map(([url, there]) => `${there.map(({ protocol }) => protocol).join(", ")} at ${url}`)
      .join("; "),
  ]);
  return formatTable(columns, rows);
}

function describeRoute({ model, routes, routing, fallbacks, decide_with, calibration }: RouteDescription): string {
  const ways = routes.map(({ vendor, upstream_model, weight }) => `${vendor}:${upstream_model} ×${weight}`);
  const parts = [
    ...(decide_with === null ? [`goes to ${ways.join(", ")}`] : [`decides with ${decide_with}`]),
    ...(routing?.pick === undefined ? [] : [`picked by ${routing.pick}`]),
    ...(routing?.sticky === false ? ["conversations not kept together"] : []),
    ...(calibration === null ? [] : [`calibrated by ${calibration}`]),
    ...(fallbacks.length === 0 ? [] : [`else ${fallbacks.join(", ")}`]),
  ];
  return `${model} ${parts.join("; ")}`;
}
