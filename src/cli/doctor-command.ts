import type { Command } from "commander";
import { catalogPartsInUse, describeOldParts } from "../catalog/bundled/catalog-age.ts";
import type { Books } from "../core/books.ts";
import type { Configuration } from "../core/catalog.ts";
import { describeWaiting } from "./audit/describe-waiting.ts";
import { checkVendor } from "./check-vendor.ts";
import { leafCommand } from "./command.ts";
import type { CliDeps, DoctorOptions, FoundConfiguration } from "./deps.ts";
import { type Finding, failed, note, ok } from "./finding.ts";
import { gatewayUrl } from "./gateway-client.ts";
import { counted } from "./table.ts";

const READY_TIMEOUT_MS = 5_000;
/** How many differences in the books are shown. */
const SHOWN_AT_MOST = 10;

export function addDoctorCommand(program: Command, deps: CliDeps, end: (status: number) => void): void {
  leafCommand(program, "doctor", "check configuration, database, vendor credentials and reachability")
    .option("--config <file>", "configuration file (default: CAMINO_CONFIG, else camino.yaml if there is one)")
    .option(
      "--database <url>",
      "sqlite:PATH or postgres://… (default: CAMINO_DATABASE_URL, else in the data directory)",
    )
    .option("--data <dir>", "data directory (default: CAMINO_DATA, else ./data)")
    .option(
      "--url <url>",
      "the gateway's address, if it runs (default: CAMINO_URL, else where CAMINO_HOST and CAMINO_PORT say)",
    )
    .action(async (options: DoctorOptions) => {
      const findings = await examine(deps, options);
      const healthy = findings.every(({ outcome }) => outcome !== "failed");
      deps.stdout(`${options.json ? JSON.stringify({ healthy, checks: findings }) : inWords(findings)}\n`);
      if (!healthy) end(1);
    });
}

/** Checks everything that can be wrong before the first request. All vendors are checked at the same time. */
async function examine(deps: CliDeps, options: DoctorOptions): Promise<Finding[]> {
  const [[configuration, ...vendors], gateway, database] = await Promise.all([
    checkConfigured(deps, options),
    checkGateway(deps, options),
    checkDatabase(deps, options),
  ]);
  return [configuration, gateway, database, ...vendors];
}

/** Checks the configuration, the age of its prices from the bundled catalogue, and each of its vendors. */
async function checkConfigured(deps: CliDeps, options: DoctorOptions): Promise<[Finding, ...Finding[]]> {
  try {
    const found = await deps.readConfiguration(options);
    try {
      const vendors = [...found.configuration.vendors.values()];
      return [
        judgeConfiguration(found),
        ...judgeServing(found),
        ...judgeCatalogue(found.configuration, deps.clock.now_ms()),
        ...(await Promise.all(vendors.map((vendor) => checkVendor(vendor, deps.fetch)))),
      ];
    } finally {
      await found.close();
    }
  } catch (thrown) {
    return [failed("configuration", messageOf(thrown))];
  }
}

function judgeConfiguration({ configuration, file, first_run }: FoundConfiguration): Finding {
  const { vendors, models } = configuration;
  if (!first_run)
    return ok(
      "configuration",
      `${file ?? "no file"}: ${counted(vendors.size, "vendor")}, ${counted(models.size, "model")}.`,
    );
  const hint = "Set a vendor's variable such as OPENAI_API_KEY, or write camino.yaml";
  return note("configuration", `No model is configured, so the built-in simulator answers. ${hint}.`);
}

/** Whether `serve` would take the other variables too, and where it would listen with them. */
function judgeServing({ serving }: FoundConfiguration): Finding[] {
  if (serving === undefined) return [];
  try {
    const { url, workers, operations_url } = serving();
    const apart = operations_url === null ? "" : ` Health and metrics are at ${operations_url}.`;
    return [
      ok("settings", `It listens at ${url}, in ${workers === 1 ? "one process" : `${workers} processes`}.${apart}`),
    ];
  } catch (thrown) {
    return [failed("settings", messageOf(thrown))];
  }
}

/** Findings about old bundled prices; none where the file gives every price itself. */
function judgeCatalogue(configuration: Configuration, now_ms: number): Finding[] {
  const parts = catalogPartsInUse(configuration, now_ms);
  if (parts.length === 0) return [];
  const old = describeOldParts(parts);
  if (old !== null) return [note("catalogue", old)];
  const days = parts.map(({ as_of }) => as_of).toSorted();
  return [ok("catalogue", `The bundled prices are of ${days[0]} or later.`)];
}

/**
 * Looks at the database and recomputes its books, beside the gateway that may be running on it. Nothing is changed: no table is
 * made or migrated, no hold ended.
 */
async function checkDatabase(deps: CliDeps, options: DoctorOptions): Promise<Finding> {
  try {
    const books = await deps.openBooks(options);
    if (books === null) return note("database", "There is none yet: the first start makes it.");
    try {
      return await auditDatabase(books);
    } finally {
      await books.close();
    }
  } catch (thrown) {
    return failed("database", messageOf(thrown));
  }
}

async function auditDatabase(books: Books): Promise<Finding> {
  const { schema_version, known_version, engine, lacks, conditions, lost } = await books.facts();
  const named = `${books.description} (${engine}, tables of version ${schema_version})`;
  if (schema_version > known_version) {
    return failed("database", `${named}: a newer Camino made its tables; this one knows version ${known_version}.`);
  }
  if (lacks.length > 0) return failed("database", `${named}: ${lacks.join(" ")}`);
  if (lost !== null) return failed("database", `${named}: ${lost}`);
  if (schema_version === 0) return note("database", `${named}: it is empty; the first start makes its tables.`);
  if (schema_version < known_version) {
    return note("database", `${named}: the next start brings them to ${known_version}. Audit the books after it.`);
  }
  const { accounts, problems, more } = await books.audit();
  const told = [...conditions, ...describeWaiting(await books.waiting())];
  if (problems.length === 0 && told.length > 0) {
    return note("database", `${named}: the books are right. ${told.join(" ")}`);
  }
  if (problems.length === 0) return ok("database", `${named}: the books of ${counted(accounts, "account")} are right.`);
  const shown = problems.slice(0, SHOWN_AT_MOST).join("\n");
  const rest = problems.length - SHOWN_AT_MOST + more;
  const others = rest > 0 ? `\n${rest} more: see them with camino audit.` : "";
  return failed("database", `${named}: the books do not match:\n${shown}${others}`);
}

/** Asks the gateway, where it runs, whether it takes requests. */
async function checkGateway(deps: CliDeps, options: DoctorOptions): Promise<Finding> {
  const { origin } = gatewayUrl(deps, options);
  try {
    const response = await deps.fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(READY_TIMEOUT_MS) });
    await response.body?.cancel();
    if (response.ok) return ok("gateway", `${origin} takes requests.`);
    return failed("gateway", `${origin} runs and takes no requests (status ${response.status}): look at its log.`);
  } catch {
    return note("gateway", `Nothing answers at ${origin}: it does not run, or has another address (--url).`);
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** One line for each finding; further lines of a long finding are aligned under its first. */
function inWords(findings: readonly Finding[]): string {
  return findings
    .map(
      ({ outcome, subject, detail }) =>
        `${outcome.padEnd(6)}  ${subject}: ${detail.replaceAll("\n", `\n${" ".repeat(8)}`)}`,
    )
    .join("\n");
}
