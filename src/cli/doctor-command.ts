import type { Command } from "commander";
import { catalogPartsInUse, describeOldParts } from "../catalog/bundled/catalog-age.ts";
import { checkVendor } from "./check-vendor.ts";
import type { Configuration } from "../core/catalog.ts";
import type { Store } from "../core/ports.ts";
import { leafCommand } from "./command.ts";
import type { CliDeps, DoctorOptions, FoundConfiguration } from "./deps.ts";
import { type Finding, failed, note, ok } from "./finding.ts";
import { gatewayUrl } from "./gateway-client.ts";
import { counted } from "./table.ts";

const READY_TIMEOUT_MS = 5_000;

export function addDoctorCommand(program: Command, deps: CliDeps, end: (status: number) => void): void {
  leafCommand(program, "doctor", "check configuration, database, vendor credentials and reachability")
    .option("--config <file>", "configuration file (default: CAMINO_CONFIG, else camino.yaml if there is one)")
    .option(
      "--database <url>",
      "sqlite:PATH or postgres://… (default: CAMINO_DATABASE_URL, else in the data directory)",
    )
    .option("--data <dir>", "data directory (default: CAMINO_DATA, else ./data)")
    .option("--url <url>", "the gateway's address, if it runs (default: CAMINO_URL, else http://127.0.0.1:8787)")
    .action(async (options: DoctorOptions) => {
      const findings = await examine(deps, options);
      const healthy = findings.every(({ outcome }) => outcome !== "failed");
      deps.stdout(`${options.json ? JSON.stringify({ healthy, checks: findings }) : inWords(findings)}\n`);
      if (!healthy) end(1);
    });
}

/** Checks everything that can be wrong before the first request. All vendors are checked at the same time. */
async function examine(deps: CliDeps, options: DoctorOptions): Promise<Finding[]> {
  const [configured, database] = await Promise.all([checkConfigured(deps, options), checkDatabase(deps, options)]);
  const [configuration, ...vendors] = configured;
  return [configuration, database, ...vendors];
}

/** Checks the configuration, the age of its prices from the bundled catalogue, and each of its vendors. */
async function checkConfigured(deps: CliDeps, options: DoctorOptions): Promise<[Finding, ...Finding[]]> {
  try {
    const found = await deps.readConfiguration(options);
    try {
      const vendors = [...found.configuration.vendors.values()];
      return [
        judgeConfiguration(found),
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
  return note("configuration", `No vendor is configured, so the built-in simulator answers. ${hint}.`);
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
 * Opens the database and recomputes its books. An embedded database has one owner: while a gateway owns it, the check
 * asks that gateway instead.
 */
async function checkDatabase(deps: CliDeps, options: DoctorOptions): Promise<Finding> {
  try {
    const store = await deps.openStore(options);
    try {
      return await auditBooks(store);
    } finally {
      await store.close();
    }
  } catch (thrown) {
    const running = await findReadyGateway(deps, options);
    if (running === null) return failed("database", messageOf(thrown));
    return note(
      "database",
      `The gateway at ${running} reaches its database. Its books are audited when it does not run.`,
    );
  }
}

async function auditBooks(store: Store): Promise<Finding> {
  await store.ping();
  const { accounts, problems } = await store.audit();
  const conditions = store.conditions().map(({ text }) => text);
  if (problems.length === 0 && conditions.length > 0) {
    return note("database", `${store.description}: the books are right. ${conditions.join(" ")}`);
  }
  if (problems.length === 0) {
    return ok("database", `${store.description}: the books of ${counted(accounts, "account")} are right.`);
  }
  return failed("database", `${store.description}: the books do not match: ${problems.join("; ")}.`);
}

/** The address of the gateway, where it runs and reaches its database; else null. */
async function findReadyGateway(deps: CliDeps, options: DoctorOptions): Promise<string | null> {
  const { origin } = gatewayUrl(deps, options);
  try {
    const response = await deps.fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(READY_TIMEOUT_MS) });
    await response.body?.cancel();
    return response.ok ? origin : null;
  } catch {
    return null;
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
