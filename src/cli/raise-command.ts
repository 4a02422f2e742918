import type { Command } from "commander";
import { amountText } from "../../contract/amounts.ts";
import { RaisedBudget } from "../../contract/budgets.ts";
import { type CommonOptions, callAndPrint, gatewayCommand } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import type { GatewayOptions } from "./shared/gateway-client.ts";
import { readPositiveAmount, readTime } from "./shared/read-arguments.ts";

interface RaiseOptions extends CommonOptions, GatewayOptions {
  readonly by?: string;
  readonly until?: string;
  readonly end?: true;
}

/** Adds `raise` to the commands of keys, projects and accounts: a raise of a budget that ends by itself. */
export function addRaise(command: Command, deps: CliDeps, of: "keys" | "projects" | "accounts"): void {
  const argument = { keys: "key_id", projects: "project_id", accounts: "account" }[of];
  const raise = gatewayCommand(
    command,
    `raise <${argument}>`,
    "raise a budget temporarily; the raise ends automatically",
  )
    .option("--by <amount>", "by how much, in the currency's unit", readPositiveAmount)
    .option("--until <date>", "a day YYYY-MM-DD (its beginning, UTC) or a time", readTime)
    .option("--end", "end a raise now");
  raise.action((id: string, { by, until, end, ...options }: RaiseOptions) => {
    const is_whole = end ? by === undefined && until === undefined : by !== undefined && until !== undefined;
    if (!is_whole) raise.error("error: give --by and --until, or --end alone", { exitCode: 2 });
    const body = { raise: end ? null : { amount: by, until } };
    const call = { method: "PUT", path: [of, id, "raise"], body, answer: RaisedBudget } as const;
    return callAndPrint(deps, options, call, inWords);
  });
}

function inWords({ use, currency }: RaisedBudget): string {
  const left = `${amountText(use.remaining_micro)} ${currency} left`;
  const amount = `${amountText(use.amount_micro)} ${currency}`;
  if (use.raise === null) return `The budget is ${amount}, without a raise: ${left}.`;
  return `The budget is ${amount}, and ${amountText(use.raise.amount_micro)} more until ${use.raise.until}: ${left}.`;
}
