import type { Command } from "commander";
import { type AddCredit, CreditAdded, EntryList } from "../../contract/credits.ts";
import { money, plainAmount } from "./amounts.ts";
import { callAndPrint, type CommonOptions, gatewayCommand } from "./command.ts";
import type { CliDeps } from "./deps.ts";
import type { GatewayOptions } from "./gateway-client.ts";
import { readLimit, readPositiveAmount } from "./read-arguments.ts";
import { formatTable } from "./table.ts";

type Options = CommonOptions & GatewayOptions;

export function addCreditCommands(program: Command, deps: CliDeps): void {
  const credit = program.command("credit").description("credits: what accounts have paid in");

  gatewayCommand(credit, "add", "add credit to an account")
    .argument("<account>", "an e-mail or account id")
    .argument("<amount>", "in the currency's unit, such as 25 or 0.000001", readPositiveAmount)
    .option("--note <text>", "what it was for")
    .action((account: string, amount: string, { note, ...options }: Options & Pick<AddCredit, "note">) => {
      const path = ["accounts", account, "credits"];
      const call = { method: "POST", path, body: { amount, note }, answer: CreditAdded } as const;
      return callAndPrint(deps, options, call, ({ entry, account: after }) => {
        const added = money(entry.amount_micro, after.currency);
        return `Added ${added} to ${after.email}: the balance is ${money(after.balance_micro, after.currency)}.`;
      });
    });

  gatewayCommand(credit, "list <account>", "list an account's ledger, newest first")
    .option("--limit <n>", "at most so many lines, up to 500", readLimit, 100)
    .action((account: string, { limit, ...options }: Options & { limit: number }) => {
      const path = ["accounts", account, "credits"];
      const query = { limit: String(limit) };
      return callAndPrint(deps, options, { method: "GET", path, query, answer: EntryList }, tableOfEntries);
    });
}

function tableOfEntries({ data, currency, has_more }: EntryList): string {
  if (data.length === 0) return "The account's ledger is empty.";
  const columns = [
    { heading: "time" },
    { heading: "kind" },
    { heading: `amount ${currency}`, align: "right" },
    { heading: `sum ${currency}`, align: "right" },
    { heading: "note" },
  ] as const;
  const rows = data.map((entry) => [
    entry.created_at,
    entry.kind,
    plainAmount(entry.amount_micro),
    plainAmount(entry.posted_after_micro),
    entry.note || (entry.request ?? ""),
  ]);
  return formatTable(columns, rows) + (has_more ? "\nThere are older ones: see them with a larger --limit." : "");
}
