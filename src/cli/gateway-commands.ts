import { type Command, Option } from "commander";
import { amountText } from "../../contract/amounts.ts";
import { ExportedConfiguration, Reloaded } from "../../contract/configuration.ts";
import { type Model, ModelList } from "../../contract/models.ts";
import { MODEL_KINDS } from "../core/catalog/catalog.ts";
import { addAccountCommands } from "./account-commands.ts";
import { addAlertCommands } from "./alert-commands.ts";
import { addAuditCommand } from "./audit/audit-command.ts";
import { addCacheCommands } from "./cache-commands.ts";
import { addCalibrateCommand } from "./calibrate-command.ts";
import { addCatalogCommands } from "./catalog-commands.ts";
import { addCellCommands } from "./cell-commands.ts";
import { addCheckCommand } from "./check-command.ts";
import { addConfigCommands } from "./config-commands.ts";
import { addContentCommands } from "./content-commands.ts";
import { addCreditCommands } from "./credit-commands.ts";
import { addDatabaseCommands } from "./database-commands.ts";
import { addDecideCommand } from "./decide-command.ts";
import { linesOf } from "./describe-elements.ts";
import { addDoctorCommand } from "./doctor-command.ts";
import { addImportCommands } from "./import/import-commands.ts";
import { addKeyCommands } from "./key-commands.ts";
import { addMailCommands } from "./mail-commands.ts";
import { addManagementKeyCommands } from "./management-key-commands.ts";
import { addMemberCommands } from "./member-commands.ts";
import { addMigrateStoreCommand } from "./migrate-store-command.ts";
import { addProjectCommands } from "./project-commands.ts";
import { addRequestCommand } from "./request-command.ts";
import { type CommonOptions, callAndPrint, databaseCommand, gatewayCommand, print } from "./shared/command.ts";
import type { CliDeps, DatabaseOptions } from "./shared/deps.ts";
import { CliFailure } from "./shared/failure.ts";
import { callGateway, type GatewayOptions } from "./shared/gateway-client.ts";
import { formatTable } from "./shared/table.ts";
import { addTagCommands } from "./tag-commands.ts";
import { addTrafficCommand } from "./traffic-command.ts";
import { addUsageCommand } from "./usage-command.ts";
import { addUserCommands } from "./user-commands.ts";
import { addVendorCommands } from "./vendor-commands.ts";

/** The commands that call a running gateway, or check what a gateway would find, and then end. */
export function addGatewayCommands(program: Command, deps: CliDeps, end: (status: number) => void): void {
  addAccountCommands(program, deps);
  addCreditCommands(program, deps);
  addKeyCommands(program, deps);
  addProjectCommands(program, deps);
  addTagCommands(program, deps);
  addUserCommands(program, deps);
  addMemberCommands(program, deps);
  addMailCommands(program, deps, end);
  addAlertCommands(program, deps, end);
  addManagementKeyCommands(program, deps);
  addModelsCommand(program, deps);
  addVendorCommands(program, deps);
  addUsageCommand(program, deps);
  addTrafficCommand(program, deps);
  addRequestCommand(program, deps);
  addContentCommands(program, deps);
  addCacheCommands(program, deps);
  addAuditCommand(program, deps, end);
  addDoctorCommand(program, deps, end);
  addDatabaseCommands(program, deps, end);
  addMigrateStoreCommand(program, deps, end);
  addCellCommands(program, deps, end);
  addIncidentCommands(program, deps);
  addCheckCommand(program, deps);
  addReloadCommand(program, deps);
  addConfigCommands(program, deps);
  addExportCommand(program, deps);
  addCatalogCommands(program, deps);
  addImportCommands(program, deps);
  addDecideCommand(program, deps);
  addCalibrateCommand(program, deps);
}

interface ExportOptions extends CommonOptions, GatewayOptions {
  readonly output?: string;
}

function addExportCommand(program: Command, deps: CliDeps): void {
  gatewayCommand(program, "export", "write the current configuration of a running gateway as a file")
    .option("--output <file>", "where to write it; an existing file is not replaced")
    .action(async (options: ExportOptions) => {
      const call = { method: "GET", path: ["configuration", "export"], answer: ExportedConfiguration } as const;
      const exported = await callGateway(deps, options, call);
      if (options.output !== undefined) await write(options.output, exported.text);
      if (options.json) return void deps.stdout(`${JSON.stringify(exported)}\n`);
      if (options.output === undefined) deps.stdout(exported.text);
      const missing = exported.variables.filter(({ set }) => !set);
      const told = missing.map(({ name, holds }) => `Set ${name} before this file is used: ${holds}.\n`).join("");
      deps.stderr(options.output === undefined ? told : `${told}Wrote ${options.output}.\n`);
    });
}

async function write(path: string, text: string): Promise<void> {
  const { writeFile } = await import("node:fs/promises");
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
  } catch (cause) {
    const is_there = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    const why = is_there ? "is there already; name another, or remove it first" : "cannot be written";
    throw new CliFailure(`The file ${path} ${why}.`, { code: "unwritable_file", cause });
  }
}

/** Adds the command that has a running gateway read its configuration file again. */
function addReloadCommand(program: Command, deps: CliDeps): void {
  gatewayCommand(
    program,
    "reload",
    "reload the configuration file of a running gateway, and print what changed",
  ).action((options: CommonOptions & GatewayOptions) => {
    const call = { method: "POST", path: ["configuration", "reload"], body: {}, answer: Reloaded } as const;
    return callAndPrint(deps, options, call, described);
  });
}

function described({ file, vendors, models, aliases, limits, after_restart, left_out = [] }: Reloaded): string {
  const changes = [
    ...linesOf("vendor", vendors),
    ...linesOf("model", models),
    ...linesOf("alias", aliases),
    ...limits.map((name) => `~ limits.${name}`),
  ];
  const head = file === null ? "There is no configuration file" : `${file} is in effect`;
  return [
    `${head}${changes.length === 0 ? "; nothing has changed." : ":"}`,
    ...changes,
    ...after_restart.map((section) => `! ${section}: takes effect after a restart`),
    ...left_out.map((name) => `! ${name}: the database's does not fit and is left out; camino config list says why`),
  ].join("\n");
}

interface IncidentOptions extends DatabaseOptions {
  readonly json?: true;
  readonly note?: string;
}

/** Adds the commands for incidents with the books, which stay open until a person closes them. */
function addIncidentCommands(program: Command, deps: CliDeps): void {
  const incident = program.command("incident").description("problems with the books, and wrong rows of the catalog");

  databaseCommand(incident, "list", "list the incidents that are open").action(async (options: IncidentOptions) => {
    const incidents = await (await deps.databaseTools()).listIncidents(options);
    print(deps, options, { incidents }, () =>
      incidents.length === 0
        ? "No incident is open."
        : incidents
            .map(({ id, at_ms, kind, detail }) => `${id}  ${new Date(at_ms).toISOString()}  ${kind}: ${detail}`)
            .join("\n"),
    );
  });

  databaseCommand(incident, "close <id>", "close a resolved incident: the audit no longer reports it")
    .requiredOption("--note <text>", "how it was resolved; kept with the incident")
    .action(async (text: string, options: IncidentOptions) => {
      const id = Number(text);
      const closed =
        /^\d{1,15}$/.test(text) && (await (await deps.databaseTools()).closeIncident(options, id, options.note ?? ""));
      if (!closed) {
        throw new CliFailure(`No incident ${text} is open. \`camino incident list\` lists those that are.`, {
          code: "not_found",
        });
      }
      print(deps, options, { closed: id }, () => `Incident ${id} is closed.`);
    });
}

interface ModelListOptions extends CommonOptions, GatewayOptions {
  readonly kind: string;
  readonly all?: true;
}

function addModelsCommand(program: Command, deps: CliDeps): void {
  gatewayCommand(program, "models", "the models that the gateway serves, with their prices")
    .addOption(new Option("--kind <kind>", "only these").choices([...MODEL_KINDS, "all"]).default("all"))
    .option("--all", "also hidden models: the simulator's fixtures")
    .action(({ kind, all, ...options }: ModelListOptions) =>
      callAndPrint(
        deps,
        options,
        { method: "GET", path: ["models"], query: { kind, ...(all && { unlisted: "show" }) }, answer: ModelList },
        tableOfModels,
      ),
    );
}

function tableOfModels({ currency, data }: ModelList): string {
  if (data.length === 0) return "The catalog is empty. Set a vendor's credential variable, or configure one.";
  const columns = ["model", "kind", ">context", "can", `>input ${currency}/M`, `>output ${currency}/M`];
  const has_others = data.some((model) => unitPrices(model) !== "");
  const rows = data.map((model) => [
    model.id,
    model.kind,
    model.context_length?.toString() ?? "",
    abilities(model),
    ...tokenPrices(model),
    ...(has_others ? [unitPrices(model)] : []),
  ]);
  return formatTable(has_others ? [...columns, `other ${currency}`] : columns, rows);
}

/** The prices of tokens; empty for a model that is charged by another unit, as 0.00 would read as free. */
function tokenPrices({ price }: Model): string[] {
  const { input_micro_per_mtok, output_micro_per_mtok, units_micro = {} } = price;
  const is_by_units = Object.keys(units_micro).length > 0;
  return [input_micro_per_mtok, output_micro_per_mtok].map((micro) =>
    micro === 0 && is_by_units ? "" : amountText(micro),
  );
}

const UNITS = {
  input_characters: "per M characters",
  input_minutes: "per minute",
  images: "per image",
  searches: "per thousand searches",
} as const;

function unitPrices({ price: { units_micro = {} } }: Model): string {
  return Object.entries(UNITS)
    .flatMap(([unit, words]) => {
      const micro = units_micro[unit as keyof typeof UNITS];
      return micro === undefined ? [] : [`${amountText(micro)} ${words}`];
    })
    .join(", ");
}

function abilities({ capabilities }: Model): string {
  return (["tools", "json", "vision", "thinking"] as const).filter((name) => capabilities[name]).join(" ");
}
