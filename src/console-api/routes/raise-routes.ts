import { RaiseBudget, type RaisedBudget } from "../../../contract/budgets.ts";
import { parseTime } from "../../../contract/day.ts";
import type { ConsoleAnswer } from "../../core/console-exchange.ts";
import { invalidRequest } from "../../core/errors.ts";
import { add, formatAmount, micro, ZERO } from "../../core/money/money.ts";
import type { BudgetHolder, BudgetRaise, BudgetUse } from "../../core/people/budgets.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import { nameOf, roleOf } from "../answer/actor.ts";
import { ConsoleError } from "../answer/console-error.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireAccount, requireKey, requireProject } from "../answer/scope.ts";
import { readAmount } from "../read/read-amount.ts";
import { showUse } from "./budget-routes.ts";

/** Temporary raises of budgets, which end by themselves (docs/design/tags-and-projects.md). */
export const raiseRoutes = [
  route("PUT /keys/{key}/raise", "member", { audit: "key.raise", body: RaiseBudget, handle: raiseOfKey }),
  route("PUT /projects/{project}/raise", "member", {
    audit: "project.raise",
    body: RaiseBudget,
    handle: raiseOfProject,
  }),
  route("PUT /accounts/{account}/raise", "administrator", {
    audit: "account.raise",
    body: RaiseBudget,
    handle: raiseOfAccount,
  }),
];

type RaiseCall = ConsoleCall<RaiseBudget>;

async function raiseOfKey(call: RaiseCall): Promise<ConsoleAnswer> {
  const key = await requireKey(call, call.params.key ?? "");
  const raise = readRaise(call);
  requireWithinCeiling(call, key, raise);
  await setRaise(call, "key", key.id, raise);
  const uses = await call.deps.accounts.budgetUses(key.account_id);
  return shown(call, uses.find(({ key_id }) => key_id === key.id) ?? null);
}

async function raiseOfProject(call: RaiseCall): Promise<ConsoleAnswer> {
  const { id } = await requireProject(call, call.params.project ?? "");
  await setRaise(call, "project", id, readRaise(call));
  const project = await call.deps.accounts.findProject(id);
  return shown(call, project?.use ?? null);
}

async function raiseOfAccount(call: RaiseCall): Promise<ConsoleAnswer> {
  const { id } = await requireAccount(call, call.params.account ?? "");
  await setRaise(call, "account", id, readRaise(call));
  return shown(call, await call.deps.accounts.accountBudgetUse(id));
}

function setRaise({ deps }: RaiseCall, holder: BudgetHolder, id: string, raise: BudgetRaise | null): Promise<void> {
  return deps.accounts.raiseBudget(holder, id, raise);
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

function shown({ deps }: RaiseCall, use: BudgetUse | null): ConsoleAnswer {
  if (use === null) throw notFound("budget", "");
  const body: RaisedBudget = { object: "budget", use: showUse(use), currency: deps.configuration.currency };
  return { status: 200, body };
}
