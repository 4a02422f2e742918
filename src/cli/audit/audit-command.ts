import { type Command, InvalidArgumentError } from "commander";
import { RebuiltUsage } from "../../../contract/books.ts";
import { parseTime } from "../../../contract/day.ts";
import type { AuditProgress, AuditReport } from "../../core/ledger/books-audit.ts";
import type { Books, Waiting } from "../../core/store/books.ts";
import { leafCommand } from "../shared/command.ts";
import type { CliDeps, DatabaseOptions } from "../shared/deps.ts";
import { CliFailure } from "../shared/failure.ts";
import { callGateway, type GatewayOptions } from "../shared/gateway-client.ts";
import { readTime } from "../shared/read-arguments.ts";
import { counted } from "../shared/table.ts";
import { compareBill } from "./compare-bill.ts";
import { type BillComparison, describeComparison } from "./describe-bill.ts";
import { describeWaiting } from "./describe-waiting.ts";
import { readBill } from "./read-bill.ts";
import { UsageTally } from "./usage-tally.ts";

interface AuditCommandOptions extends DatabaseOptions, GatewayOptions {
  readonly since?: string;
  readonly account?: string;
  readonly vendorBill?: string;
  readonly vendor?: string;
  readonly tolerance: number;
  readonly rebuild?: "usage";
  readonly data?: string;
  readonly json?: true;
}

const DATABASE = "sqlite:PATH or postgres://… (default: CAMINO_DATABASE_URL, else in the data directory)";

/** `camino audit`: proves the books from their entries, beside the gateway that may be running (docs/design/audit.md). */
export function addAuditCommand(program: Command, deps: CliDeps, end: (status: number) => void): void {
  leafCommand(program, "audit", "recompute balances, charges and counters; the gateway may run meanwhile")
    .option("--since <date>", "only entries, requests and days from here on; balances and holds always", readTime)
    .option("--account <account>", "only this account, by e-mail or id")
    .option("--vendor-bill <file>", "compare with a vendor's bill: CSV by day and model (docs/operations.md)")
    .option("--vendor <id>", "the vendor whose bill it is (default: every vendor that has the bill's models)")
    .option("--tolerance <percent>", "differences from the bill up to so much are none", readShare, 0.01)
    .option("--rebuild <what>", "'usage': count days' usage and keys' counters anew, before the audit", readRebuild)
    .option("--database <url>", DATABASE)
    .option("--data <dir>", "data directory (default: CAMINO_DATA, else ./data)")
    .option(
      "--url <url>",
      "for --rebuild: the gateway's address (default: CAMINO_URL, else the data directory's gateway)",
    )
    .option(
      "--token <token>",
      "for --rebuild: its admin token (default: CAMINO_ADMIN_TOKEN, else in the data directory)",
    )
    .action(async (options: AuditCommandOptions) => {
      if (options.rebuild === "usage") deps.stderr(await rebuildUsage(deps, options));
      const books = await openForAudit(deps, options);
      try {
        const audited = await audit(deps, books, options);
        const { report, bill } = audited;
        const is_right = report.problems.length === 0 && (bill === null || bill.differences.length === 0);
        deps.stdout(`${options.json ? asJson(books, audited) : inWords(books, audited)}\n`);
        if (!is_right) end(1);
      } finally {
        await books.close();
      }
    });
}

async function openForAudit(deps: CliDeps, options: AuditCommandOptions): Promise<Books> {
  const books = await deps.openBooks(options);
  const missing = "There is no database yet. Name it with --database or --data, or start the gateway.";
  if (books === null) throw new CliFailure(missing, { code: "no_database" });
  const { schema_version, known_version, lost } = await books.facts();
  if (schema_version === known_version) return books;
  await books.close();
  if (lost !== null) throw new CliFailure(lost, { code: "commits_lost" });
  const what = `The tables of ${books.description} are of version ${schema_version}, and this command knows ${known_version}.`;
  const remedy = schema_version < known_version ? "Start this version of the gateway first." : "Use the newer version.";
  throw new CliFailure(`${what} ${remedy}`, { code: "other_schema" });
}

interface AuditResult {
  readonly report: AuditReport;
  readonly bill: BillComparison | null;
  /** What the audit did not see. */
  readonly waiting: Waiting;
}

async function audit(deps: CliDeps, books: Books, options: AuditCommandOptions): Promise<AuditResult> {
  const bill = options.vendorBill === undefined ? null : await readBill(options.vendorBill);
  const tally = new UsageTally(options.vendor ?? null);
  const account_id = options.account === undefined ? null : await accountOf(books, options.account);
  const report = await books.audit({
    ...(account_id !== null && { account_id }),
    ...(options.since !== undefined && { since_ms: parseTime(options.since) ?? 0 }),
    ...(bill !== null && { vendor_use: { first_day: bill.first_day, last_day: bill.last_day, add: tally.add } }),
    onProgress: progressOn(deps),
  });
  const waiting = await books.waiting();
  return { report, bill: bill === null ? null : compareBill(bill, tally, options.tolerance), waiting };
}

async function accountOf(books: Books, name: string): Promise<string> {
  const id = await books.findAccountId(name);
  if (id !== null) return id;
  throw new CliFailure(`There is no account ${JSON.stringify(name.slice(0, 200))}.`, { code: "not_found" });
}

const TOLD_EVERY_MS = 2000;

function progressOn(deps: CliDeps): (progress: AuditProgress) => void {
  let told_ms = deps.clock.monotonic_ms();
  return ({ accounts, entries, requests, findings }) => {
    if (deps.clock.monotonic_ms() - told_ms < TOLD_EVERY_MS) return;
    told_ms = deps.clock.monotonic_ms();
    const seen = `${counted(accounts, "account")}, ${entries} entries, ${counted(requests, "request")}`;
    deps.stderr(`camino: audited ${seen}; ${counted(findings, "problem")} so far\n`);
  };
}

function inWords(books: Books, { report, bill, waiting }: AuditResult): string {
  const { accounts, entries, requests, days, problems, more } = report;
  const seen = `${counted(accounts, "account")}, ${entries} entries, ${counted(requests, "request")}, ${counted(days, "day")} of usage`;
  const lines =
    problems.length === 0
      ? [`${books.description}: the books are right (${seen}).`]
      : [...problems, `${books.description}: ${counted(problems.length + more, "problem")} (${seen}).`];
  if (report.kept_since_ms > 0) {
    const time = new Date(report.kept_since_ms).toISOString().slice(0, 10);
    lines.push(
      `Requests that ended before ${time} may be deleted (retention.requests): only their entries were added up.`,
    );
  }
  lines.push(...describeWaiting(waiting));
  return [...lines, ...(bill === null ? [] : ["", describeComparison(bill)])].join("\n");
}

function asJson({ description }: Books, { report, bill, waiting }: AuditResult): string {
  const { problems, ...rest } = report;
  const right = problems.length === 0 && (bill === null || bill.differences.length === 0);
  const { operations, charged_micro } = waiting;
  const others = { waiting: { operations, charged_micro: Number(charged_micro) } };
  return JSON.stringify({
    ...{ right, database: description, ...rest, ...others },
    ...(bill === null ? {} : { vendor_bill: bill }),
  });
}

/** Reads a percentage such as `1` or `0.5%` as a share. */
function readShare(text: string): number {
  const percent = /^\d{1,3}(\.\d{1,4})?%?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (percent >= 0 && percent <= 100) return percent / 100;
  throw new InvalidArgumentError("A tolerance is a percentage from 0 to 100, such as 1 or 0.5.");
}

function readRebuild(text: string): "usage" {
  if (text === "usage") return text;
  throw new InvalidArgumentError("What can be rebuilt is 'usage': days' usage and keys' counters.");
}

/**
 * Has the running gateway count days' usage and keys' counters anew, part by part, and prints the changes. It is the
 * gateway's work, because only the books' own writer may write while calls run.
 */
async function rebuildUsage(deps: CliDeps, options: GatewayOptions & { readonly account?: string }): Promise<string> {
  const lines: string[] = [];
  let accounts = 0;
  for (let after: string | null = ""; after !== null; ) {
    const body: object = {
      ...(options.account !== undefined && { account: options.account }),
      ...(after !== "" && { after }),
    };
    const call = { method: "POST", path: ["books", "rebuild-usage"], body, answer: RebuiltUsage } as const;
    const part: RebuiltUsage = await callGateway(deps, options, call);
    accounts += part.accounts;
    for (const { key, model, day, was, is } of part.changed) {
      lines.push(`${key}${model === null ? "" : `, ${model}`}${day === null ? "" : `, ${day}`}: ${was}; now ${is}`);
    }
    after = part.next;
  }
  const summary = `camino: counted the usage of ${counted(accounts, "account")} anew; ${counted(lines.length, "counter")} changed`;
  return [...lines, summary].map((line) => `${line}\n`).join("");
}
