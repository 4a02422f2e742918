import type { Command } from "commander";
import { Account, AccountList, type CreateAccount } from "../../contract/accounts.ts";
import { amountText } from "../../contract/amounts.ts";
import { AccountBudget, type BudgetUse, type ModelLimitUse } from "../../contract/budgets.ts";
import { CLEARABLE_LIMITS, clearing } from "./clear-fields.ts";
import { editBody, withoutLimits } from "./edit-body.ts";
import {
  budgetWords,
  type LimitOptions,
  limitFields,
  limitsIn,
  modelLimitFields,
  withLimits,
} from "./limit-options.ts";
import { modelLimitUses } from "./model-limit-uses.ts";
import { addRaise } from "./raise-command.ts";
import { type CallOptions, callAndPrint, gatewayCommand, print } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { readAmount } from "./shared/read-arguments.ts";
import { formatFields, formatTable, money } from "./shared/table.ts";
import { changeThenValues, isEmpty, type TagLimitOptions, tagLimitFields, withTagValues } from "./tag-limit-options.ts";

type AccountCreateOptions = CallOptions & Pick<CreateAccount, "name" | "credit">;

export function addAccountCommands(program: Command, deps: CliDeps): void {
  const account = program.command("account").description("accounts: who is billed");

  gatewayCommand(account, "create <email>", "create an account")
    .option("--name <text>", "a display name")
    .option("--credit <amount>", "its opening credit, in the currency's unit", readAmount)
    .action((email: string, { name, credit, ...options }: AccountCreateOptions) => {
      const call = { method: "POST", path: ["accounts"], body: { email, name, credit }, answer: Account } as const;
      return callAndPrint(deps, options, call, (created) => {
        const balance = money(created.balance_micro, created.currency);
        return `Created account ${created.id} for ${created.email} with ${balance}.\nCreate a key for it: ${deps.command} key create --account ${created.email}`;
      });
    });

  gatewayCommand(account, "list", "list all accounts").action((options: CallOptions) =>
    callAndPrint(deps, options, { method: "GET", path: ["accounts"], answer: AccountList }, (list) =>
      tableOfAccounts(list, deps.command),
    ),
  );

  gatewayCommand(account, "show <account>", "show one account, by e-mail or id").action(
    (name: string, options: CallOptions) => showAccount(name, deps, options),
  );

  addEdit(account, deps);
  addRaise(account, deps, "accounts");
  addChange(account, deps, "disable", "refuse all of an account's requests");
  addChange(account, deps, "enable", "accept an account's requests again");
}

/** Prints an account, with the use of its budget. */
async function showAccount(name: string, deps: CliDeps, options: CallOptions): Promise<void> {
  const { callGateway } = await import("./shared/gateway-client.ts");
  const account = await callGateway(deps, options, { method: "GET", path: ["accounts", name], answer: Account });
  const path = ["accounts", account.id, "budget"];
  const use =
    account.limits.budget === null
      ? null
      : (await callGateway(deps, options, { method: "GET", path, answer: AccountBudget })).use;
  const limits = await modelLimitUses(deps, options, ["accounts", account.id]);
  print(deps, options, { ...account, ...limits, use }, () => fieldsOfAccount(account, use, limits.model_limits));
}

interface AccountEditOptions extends CallOptions, LimitOptions, TagLimitOptions {
  readonly name?: string;
  readonly email?: string;
  readonly timeZone?: string;
  readonly clear?: readonly (typeof CLEARABLE_LIMITS)[number][];
}

function addEdit(account: Command, deps: CliDeps): void {
  const edit = gatewayCommand(
    account,
    "edit <account>",
    "rename an account, or limit it over all of its keys; options that you leave out stay as they are",
  );
  withTagValues(withLimits(edit))
    .option("--name <text>", "a display name")
    .option("--email <email>", "the e-mail that it is called by")
    .option("--time-zone <name>", "the IANA name of the zone in whose days its budgets renew, such as Europe/Berlin")
    .option("--clear <field,...>", `take limits away: ${CLEARABLE_LIMITS.join(", ")}`, clearing(CLEARABLE_LIMITS))
    .action((account: string, { clear = [], tagValue: values = [], ...options }: AccountEditOptions) => {
      const { name, email, timeZone: time_zone, tagLimit: tag_limits, endUserTag: end_user_tag } = options;
      const given = { name, email, time_zone, ...limitsIn(options), tag_limits, end_user_tag };
      const only_values = values.length > 0 && clear.length === 0 && isEmpty(given);
      const change = only_values ? null : editBody(edit, "account", given, withoutLimits(clear));
      const asked = { path: ["accounts", account], change, values, answer: Account };
      return changeThenValues(deps, options, asked, (edited) => fieldsOfAccount(edited, null));
    });
}

const DONE = { disable: "Disabled", enable: "Enabled" } as const;

function addChange(account: Command, deps: CliDeps, verb: keyof typeof DONE, about: string): void {
  gatewayCommand(account, `${verb} <account>`, about).action((name: string, options: CallOptions) => {
    const call = { method: "POST", path: ["accounts", name, verb], answer: Account } as const;
    return callAndPrint(deps, options, call, ({ id, email }) => `${DONE[verb]} account ${id} (${email}).`);
  });
}

function tableOfAccounts({ data }: AccountList, command: string): string {
  if (data.length === 0)
    return `There are no accounts. Create one with: ${command} account create EMAIL --credit AMOUNT`;
  const columns = ["id", "e-mail", "name", "status", ">balance", ">held"];
  const rows = data.map((account) => [
    account.id,
    account.email,
    account.name,
    account.status,
    money(account.balance_micro, account.currency),
    amountText(account.uncollected_micro),
  ]);
  return formatTable(columns, rows);
}

function fieldsOfAccount(account: Account, use: BudgetUse | null, uses?: readonly ModelLimitUse[]): string {
  const { limits } = account;
  return formatFields([
    ["id", account.id],
    ["e-mail", account.email],
    ["name", account.name],
    ["status", account.status],
    ["balance", money(account.balance_micro, account.currency)],
    ["held", money(account.uncollected_micro, account.currency)],
    ...limitFields(limits, "no account limit"),
    ["budget", budgetWords(limits.budget, use)],
    ...modelLimitFields(uses ?? limits.model_limits),
    ...tagLimitFields(limits),
    ["time zone", account.time_zone],
    ["created", account.created_at],
  ]);
}
