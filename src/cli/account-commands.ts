import type { Command } from "commander";
import { Account, AccountList, type CreateAccount } from "../../contract/accounts.ts";
import { money, plainAmount } from "./amounts.ts";
import { callAndPrint, type CommonOptions, gatewayCommand } from "./command.ts";
import type { CliDeps } from "./deps.ts";
import type { GatewayOptions } from "./gateway-client.ts";
import { readAmount } from "./read-arguments.ts";
import { formatFields, formatTable } from "./table.ts";

type Options = CommonOptions & GatewayOptions;
type CreateOptions = Options & Pick<CreateAccount, "name" | "credit">;

export function addAccountCommands(program: Command, deps: CliDeps): void {
  const account = program.command("account").description("accounts: who is billed");

  gatewayCommand(account, "create <email>", "create an account")
    .option("--name <text>", "a name for people")
    .option("--credit <amount>", "its first credit, in the currency's unit", readAmount)
    .action((email: string, { name, credit, ...options }: CreateOptions) => {
      const call = { method: "POST", path: ["accounts"], body: { email, name, credit }, answer: Account } as const;
      return callAndPrint(deps, options, call, (created) => {
        const balance = money(created.balance_micro, created.currency);
        return `Created account ${created.id} for ${created.email} with ${balance}.\nMake it a key with: npx camino key create --account ${created.email}`;
      });
    });

  gatewayCommand(account, "list", "list all accounts").action((options: Options) =>
    callAndPrint(deps, options, { method: "GET", path: ["accounts"], answer: AccountList }, tableOfAccounts),
  );

  gatewayCommand(account, "show <account>", "show one account, by e-mail or id").action(
    (name: string, options: Options) =>
      callAndPrint(deps, options, { method: "GET", path: ["accounts", name], answer: Account }, fieldsOfAccount),
  );

  addChange(account, deps, "disable", "refuse all of an account's requests");
  addChange(account, deps, "enable", "accept an account's requests again");
}

const DONE = { disable: "Disabled", enable: "Enabled" } as const;

function addChange(account: Command, deps: CliDeps, verb: keyof typeof DONE, about: string): void {
  gatewayCommand(account, `${verb} <account>`, about).action((name: string, options: Options) => {
    const call = { method: "POST", path: ["accounts", name, verb], answer: Account } as const;
    return callAndPrint(deps, options, call, ({ id, email }) => `${DONE[verb]} account ${id} (${email}).`);
  });
}

function tableOfAccounts({ data }: AccountList): string {
  if (data.length === 0)
    return "There are no accounts. Create one with: npx camino account create EMAIL --credit AMOUNT";
  const columns = [
    { heading: "id" },
    { heading: "e-mail" },
    { heading: "name" },
    { heading: "status" },
    { heading: "balance", align: "right" },
    { heading: "held", align: "right" },
  ] as const;
  const rows = data.map((account) => [
    account.id,
    account.email,
    account.name,
    account.status,
    money(account.balance_micro, account.currency),
    plainAmount(account.uncollected_micro),
  ]);
  return formatTable(columns, rows);
}

function fieldsOfAccount(account: Account): string {
  return formatFields([
    ["id", account.id],
    ["e-mail", account.email],
    ["name", account.name],
    ["status", account.status],
    ["balance", money(account.balance_micro, account.currency)],
    ["held", money(account.uncollected_micro, account.currency)],
    ["created", account.created_at],
  ]);
}
