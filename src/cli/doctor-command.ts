import type { Command } from "commander";
import { catalogPartsInUse, describeOldParts } from "../catalog/bundled/catalog-age.ts";
import { SIMULATOR_ID } from "../catalog/bundled/simulated-vendor.ts";
import type { Configuration, Vendor, VendorEndpoint } from "../core/catalog/catalog.ts";
import type { Books } from "../core/store/books.ts";
import { SmtpServer } from "../mail/smtp-server.ts";
import { withKey } from "../routing/candidates.ts";
import { credentialHeader } from "../upstream/credentials/credential-header.ts";
import { signerFor } from "../upstream/credentials/signer-for.ts";
import { UpstreamError } from "../wire/client/upstream-error.ts";
import { describeWaiting } from "./audit/describe-waiting.ts";
import { checkCollector } from "./check-collector.ts";
import { describeCells } from "./check-command.ts";
import { checkHooks } from "./check-hooks.ts";
import { checkProviders } from "./check-providers.ts";
import { checkUsageTargets } from "./check-usage-targets.ts";
import { leafCommand } from "./shared/command.ts";
import type { CliDeps, DoctorOptions, Fetch, FoundConfiguration } from "./shared/deps.ts";
import { type Finding, failed, note, ok } from "./shared/finding.ts";
import { gatewayUrl } from "./shared/gateway-client.ts";
import { gatewayFetch } from "./shared/gateway-fetch.ts";
import { counted } from "./shared/table.ts";
import { unreachableBecause } from "./shared/unreachable.ts";

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
    .option("--url <url>", "the gateway's address, if it runs (default: CAMINO_URL, else the data directory's gateway)")
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
        ...(await checkMail(found.configuration)),
        ...(await checkUsageTargets(found.configuration, deps.clock.now_ms)),
        ...(await Promise.all([
          ...checkProviders(found.configuration.console, deps.fetch),
          ...checkCollector(found.configuration.telemetry, deps.fetch),
          ...checkHooks(found.configuration.hooks, deps.fetch),
          ...vendors.flatMap((vendor) =>
            checkCredentials(vendor, vendor.id === SIMULATOR_ID ? gatewayFetch(deps) : deps.fetch),
          ),
        ])),
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
function judgeServing({ serving, cells }: FoundConfiguration): Finding[] {
  if (serving === undefined) return [];
  try {
    const { url, workers, operations_url } = serving();
    const shares = cells?.() ?? [];
    const spread = shares.length === 0 ? "" : ` ${describeCells(shares)}`;
    const apart = operations_url === null ? "" : ` Health and metrics are at ${operations_url}.`;
    return [
      ok(
        "settings",
        `With these settings it listens at ${url}, in ${workers === 1 ? "one process" : `${workers} processes`}.${apart}${spread}`,
      ),
    ];
  } catch (thrown) {
    return [failed("settings", messageOf(thrown))];
  }
}

/** Whether the mail server lets the gateway in; nothing is sent. No finding where there is no mail. */
async function checkMail({ mail }: Configuration): Promise<Finding[]> {
  if (mail === undefined) return [];
  const { host } = new URL(mail.smtp);
  try {
    await new SmtpServer(mail).verify();
    return [ok("mail", `${host} takes mail from ${mail.from}. Try a letter with camino mail test ADDRESS.`)];
  } catch (thrown) {
    return [failed("mail", `${host}: ${messageOf(thrown)}. Check mail.smtp, or CAMINO_SMTP_URL.`)];
  }
}

/** Findings about old bundled prices; none where the file gives every price itself. */
function judgeCatalogue(configuration: Configuration, now_ms: number): Finding[] {
  const parts = catalogPartsInUse(configuration, now_ms);
  if (parts.length === 0) return [];
  const old = describeOldParts(parts);
  if (old !== null) return [note("catalog", old)];
  const days = parts.map(({ as_of }) => as_of).toSorted();
  return [ok("catalog", `The bundled prices are of ${days[0]} or later.`)];
}

/**
 * Looks at the database and recomputes its books, beside the gateway that may be running on it. Nothing is changed: no table is
 * made or migrated, no hold ended.
 */
async function checkDatabase(deps: CliDeps, options: DoctorOptions): Promise<Finding> {
  try {
    const books = await deps.openBooks(options);
    if (books === null) return note("database", "There is none yet: the first start creates it.");
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
  const { schema_version, known_version, needed_version, engine, lacks, conditions, lost } = await books.facts();
  const named = `${books.description} (${engine}, tables of version ${schema_version})`;
  if (needed_version > known_version) {
    return failed("database", `${named}: a newer Camino made its tables; this one knows version ${known_version}.`);
  }
  if (lacks.length > 0) return failed("database", `${named}: ${lacks.join(" ")}`);
  if (lost !== null) return failed("database", `${named}: ${lost}`);
  if (schema_version === 0) return note("database", `${named}: it is empty; the first start makes its tables.`);
  if (schema_version > known_version) {
    return note(
      "database",
      `${named}: a newer Camino made its tables, on which this one works. Audit the books with it.`,
    );
  }
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
    const response = await gatewayFetch(deps)(`${origin}/readyz`, { signal: AbortSignal.timeout(READY_TIMEOUT_MS) });
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

const TIMEOUT_MS = 10_000;
const MESSAGES_VERSION = "2023-06-01";

/** Checks each of a vendor's credentials: one that is refused is named. */
function checkCredentials(vendor: Vendor, fetch: Fetch): Promise<Finding>[] {
  const { id, api_keys } = vendor;
  if (api_keys === undefined) return [checkVendor(vendor, fetch)];
  return api_keys.map(({ name, api_key }) => checkVendor(withKey(vendor, api_key), fetch, `vendor ${id}, ${name}`));
}

/**
 * Checks that a vendor can be reached and accepts its credential. Asks only for the list of models, which no vendor
 * charges for, and never for an answer of a model.
 */
async function checkVendor(vendor: Vendor, fetch: Fetch, subject = `vendor ${vendor.id}`): Promise<Finding> {
  const [endpoint] = vendor.endpoints;
  if (!endpoint) return failed(subject, "It has no endpoint. Give it a protocol and a base_url.");
  const url = `${endpoint.base_url}/models`;
  try {
    const signature = await signatureOf(vendor, endpoint, url);
    const init: RequestInit = {
      headers: { ...vendor.headers, ...headersOf(endpoint, vendor.api_key), ...signature },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    };
    const response = await fetch(url, init);
    await response.body?.cancel();
    return judge(subject, vendor, endpoint, response.status);
  } catch (thrown) {
    if (thrown instanceof UpstreamError) return failed(subject, `No credential could be made: ${thrown.message}.`);
    return failed(
      subject,
      `${endpoint.base_url} cannot be reached (${unreachableBecause(thrown)}). Check it and the network.`,
    );
  }
}

/** The headers of a credential that is signed for each request. */
async function signatureOf(vendor: Vendor, endpoint: VendorEndpoint, url: string): Promise<Record<string, string>> {
  const sign = signerFor(vendor, endpoint);
  return sign === null ? {} : sign({ method: "GET", url, body: "" });
}

function headersOf({ protocol, credential }: VendorEndpoint, api_key: string | null): Record<string, string> {
  const version: Record<string, string> = protocol === "messages" ? { "anthropic-version": MESSAGES_VERSION } : {};
  return { ...version, ...credentialHeader(api_key, credential) };
}

function judge(subject: string, vendor: Vendor, { base_url }: VendorEndpoint, status: number): Finding {
  if (status < 300)
    return ok(subject, `${base_url} answers${vendor.api_key === null ? "" : " and takes the credential"}.`);
  if (status === 401 || status === 403) {
    const what = vendor.api_key === null ? "It asks for a credential" : "It refuses the credential";
    return failed(
      subject,
      `${what} (status ${status}). Check the vendor's api_key or the variable that it is taken from.`,
    );
  }
  if (status >= 500)
    return failed(subject, `${base_url} answers with status ${status}. The vendor has a problem; try later.`);
  const question = status === 404 ? " Is base_url right?" : "";
  return note(
    subject,
    `${base_url} can be reached, but its list of models answers with status ${status}, so the credential was not tried.${question}`,
  );
}
