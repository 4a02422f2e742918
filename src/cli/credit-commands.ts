import type { Command } from "commander";
import { amountText } from "../../contract/amounts.ts";
import { type AddCredit, CreditAdded, EntryList } from "../../contract/credits.ts";
import { type CallOptions, callAndPrint, gatewayCommand } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { readBookingId, readLimit, readPositiveAmount, readSignedAmount } from "./shared/read-arguments.ts";
import { formatTable, money } from "./shared/table.ts";

type AddOptions = CallOptions & Pick<AddCredit, "note"> & { readonly id?: string };

const BOOKED_ONCE = "an id of yours: a repeat with it books nothing more";

export function addCreditCommands(program: Command, deps: CliDeps): void {
  const credit = program.command("credit").description("credits: what accounts have paid in");

  gatewayCommand(credit, "add", "add credit to an account")
    .argument("<account>", "an e-mail or account id")
    .argument("<amount>", "in the currency's unit, such as 25 or 0.000001", readPositiveAmount)
    .option("--note <text>", "what it was for")
    .option("--id <id>", BOOKED_ONCE, readBookingId)
    .action((account: string, amount: string, { note, id, ...options }: AddOptions) =>
      book(deps, options, account, { body: { amount, note }, id }),
    );

  gatewayCommand(credit, "correct", "correct an account's balance, up or down")
    .argument("<account>", "an e-mail or account id")
    .argument(
      "<amount>",
      "in the currency's unit; to take something off, write -- before it: -- -1.50",
      readSignedAmount,
    )
    .option("--entry <entry>", "the entry that it corrects: its id, as `credit list` shows it")
    .option("--note <text>", "why")
    .option("--id <id>", BOOKED_ONCE, readBookingId)
    .action((account: string, amount: string, { note, id, entry, ...options }: AddOptions & { entry?: string }) =>
      book(deps, options, account, { body: { amount, note, kind: "correction", corrects: entry }, id }),
    );

  gatewayCommand(credit, "list <account>", "list an account's ledger, newest first")
    .option("--limit <n>", "at most so many lines, up to 500", readLimit, 100)
    .action((account: string, { limit, ...options }: CallOptions & { limit: number }) => {
      const path = ["accounts", account, "credits"];
      const query = { limit: String(limit) };
      return callAndPrint(deps, options, { method: "GET", path, query, answer: EntryList }, tableOfEntries);
    });
}

/** Books an entry; with an id, once. */
function book(
  deps: CliDeps,
  options: CallOptions,
  account: string,
  { body, id }: { readonly body: object; readonly id: string | undefined },
): Promise<void> {
  const path = ["accounts", account, "credits"];
  const call = { method: "POST", path, body, idempotency_key: id, answer: CreditAdded } as const;
  return callAndPrint(deps, options, call, ({ entry, account: after }) => {
    const amount = money(entry.amount_micro, after.currency);
    const done = entry.kind === "credit" ? `Added ${amount} to` : `Corrected by ${amount}:`;
    return `${done} ${after.email}: the balance is ${money(after.balance_micro, after.currency)}.`;
  });
}

function tableOfEntries({ data, currency, has_more }: EntryList): string {
  if (data.length === 0) return "The ledger of this account is empty.";
  const columns = ["id", "time", "kind", `>amount ${currency}`, `>sum ${currency}`, "note"];
  const rows = data.map((entry) => [
    entry.id,
    entry.created_at,
    entry.kind,
    amountText(entry.amount_micro),
    amountText(entry.posted_after_micro),
    [entry.note || (entry.request ?? ""), ...(entry.corrects === null ? [] : [`corrects ${entry.corrects}`])].join(" "),
  ]);
  return formatTable(columns, rows) + (has_more ? "\nOlder entries exist: list them with a larger --limit." : "");
}
