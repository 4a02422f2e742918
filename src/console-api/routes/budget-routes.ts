import { type AccountBudget, type BudgetList, RaiseBudget, type RaisedBudget } from "../../../contract/budgets.ts";
import { OfAccount } from "../../../contract/common.ts";
import { parseTime } from "../../../contract/day.ts";
import { invalidRequest } from "../../core/errors.ts";
import { add, formatAmount, micro, ZERO } from "../../core/money/money.ts";
import type { BudgetRaise, BudgetUse } from "../../core/people/budgets.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import { nameOf, roleOf } from "../answer/actor.ts";
import { ConsoleError } from "../answer/console-error.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireAccount, requireKey, requireProject, viewedAccount } from "../answer/scope.ts";
import { readAmount } from "../read/read-amount.ts";
import { showUse } from "../show/show.ts";

export const budgetRoutes = [
  route("GET /budgets", "member", { query: OfAccount, show: listBudgets }),
  route("GET /accounts/{account}/budget", "member", { show: showAccountBudget }),
  // Raises end by themselves (docs/design/tags-and-projects.md).
  route("PUT /keys/{key}/raise", "member", { audit: "key.raise", body: RaiseBudget, show: raiseOfKey }),
  route("PUT /projects/{project}/raise", "member", { audit: "project.raise", body: RaiseBudget, show: raiseOfProject }),
  route("PUT /accounts/{account}/raise", "administrator", {
    audit: "account.raise",
    body: RaiseBudget,
    show: raiseOfAccount,
  }),
];

async function listBudgets(call: ConsoleCall<unknown, OfAccount>): Promise<BudgetList> {
  const { accounts, configuration } = call.deps;
  const uses = await accounts.budgetUses(await viewedAccount(call, call.query.account));
  return {
    object: "list",
    data: uses.map((use) => ({ key: use.key_id, ...showUse(use) })),
    currency: configuration.currency,
  };
}

/** The account's use of its own budget, for its members too. */
async function showAccountBudget(call: ConsoleCall): Promise<AccountBudget> {
  const { accounts, configuration } = call.deps;
  const { id } = await requireAccount(call);
  const use = await accounts.accountBudgetUse(id);
  return { object: "account_budget", account: id, currency: configuration.currency, use: use && showUse(use) };
}

type RaiseCall = ConsoleCall<RaiseBudget>;

async function raiseOfKey(call: RaiseCall): Promise<RaisedBudget> {
  const { accounts } = call.deps;
  const key = await requireKey(call);
  const raise = readRaise(call);
  requireWithinCeiling(call, key, raise);
  await accounts.raiseBudget("key", key.id, raise);
  const uses = await accounts.budgetUses(key.account_id);
  return shown(call, uses.find(({ key_id }) => key_id === key.id) ?? null);
}

async function raiseOfProject(call: RaiseCall): Promise<RaisedBudget> {
  const { accounts } = call.deps;
  const { id } = await requireProject(call);
  await accounts.raiseBudget("project", id, readRaise(call));
  return shown(call, (await accounts.findProject(id))?.use ?? null);
}

async function raiseOfAccount(call: RaiseCall): Promise<RaisedBudget> {
  const { accounts } = call.deps;
  const { id } = await requireAccount(call);
  await accounts.raiseBudget("account", id, readRaise(call));
  return shown(call, await accounts.accountBudgetUse(id));
}

/** Throws a 400 for an amount of nothing, and for a time that is not in the future. */
function readRaise({ body: { raise }, deps, actor }: RaiseCall): BudgetRaise | null {
  if (raise === null) return null;
  const amount_micro = readAmount(raise.amount, "raise.amount");
  if (amount_micro === ZERO) throw invalidRequest("'raise.amount' is 0; allowed: an amount above 0.", "raise.amount");
  const until_ms = parseTime(raise.until);
  if (until_ms === null || until_ms <= deps.clock.now_ms()) {
    const found = until_ms === null ? "which is not a date of the calendar" : "which is not in the future";
    throw invalidRequest(`'raise.until' is '${raise.until}', ${found}; allowed: a future day or time.`, "raise.until");
  }
  return { amount_micro, until_ms, by: nameOf(actor) };
}

/** A member raises a key's budget no further than an administrator has set it (docs/rulings.md 151). */
function requireWithinCeiling({ actor }: RaiseCall, key: KeyRecord, raise: BudgetRaise | null): void {
  const most = key.ceilings?.budget ?? null;
  if (raise === null || most === null || roleOf(actor) === "administrator") return;
  const raised_micro = add(key.budget?.amount_micro ?? micro(0), raise.amount_micro);
  if (raised_micro <= most.amount_micro) return;
  const message = `With this raise the budget is ${formatAmount(raised_micro)}, and an administrator has set ${formatAmount(most.amount_micro)} as the most for the key.`;
  throw new ConsoleError("above_ceiling", message, "raise.amount");
}

function shown({ deps }: RaiseCall, use: BudgetUse | null): RaisedBudget {
  if (use === null) throw notFound("budget", "");
  return { object: "budget", use: showUse(use), currency: deps.configuration.currency };
}
