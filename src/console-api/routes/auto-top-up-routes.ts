import { type AutoTopUp, SetAutoTopUp } from "../../../contract/auto-top-up.ts";
import { OfAccount } from "../../../contract/common.ts";
import { type GatewayError, invalidRequest } from "../../core/errors.ts";
import { type Micro, toJsonNumber, ZERO } from "../../core/money/money.ts";
import type { AutoTopUp as Rule } from "../../core/people/auto-top-ups.ts";
import { nameOf } from "../answer/actor.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { viewedAccount } from "../answer/scope.ts";
import { readAmount } from "../read/read-amount.ts";
import { showTime } from "../show/show.ts";

/** Only administrators set rules, since they grant the credit; members see theirs. */
export const autoTopUpRoutes = [
  route("GET /credits/auto-top-up", "member", { query: OfAccount, show: findRule }),
  route("PUT /credits/auto-top-up", "administrator", {
    audit: "auto_top_up.set",
    query: OfAccount,
    body: SetAutoTopUp,
    show: setRule,
  }),
  route("DELETE /credits/auto-top-up", "administrator", {
    audit: "auto_top_up.remove",
    query: OfAccount,
    show: removeRule,
  }),
];

async function findRule(call: ConsoleCall<unknown, OfAccount>): Promise<AutoTopUp> {
  const account_id = await viewedAccount(call, call.query.account);
  return show(call, account_id, await call.deps.accounts.findAutoTopUp(account_id));
}

async function setRule(call: ConsoleCall<SetAutoTopUp, OfAccount>): Promise<AutoTopUp> {
  const threshold_micro = readAmount(call.body.threshold, "threshold");
  const amount_micro = readAmount(call.body.amount, "amount");
  const month_limit_micro = readAmount(call.body.month_limit, "month_limit");
  const least = threshold_micro > ZERO ? `${call.body.threshold}, the threshold, or more` : "an amount above 0";
  if (amount_micro === ZERO || amount_micro < threshold_micro) throw tooSmall("amount", call.body.amount, least);
  if (month_limit_micro < amount_micro) {
    throw tooSmall("month_limit", call.body.month_limit, `${call.body.amount}, one top-up, or more`);
  }
  const account_id = await viewedAccount(call, call.query.account);
  const updated_by = nameOf(call.actor);
  const rule = { account_id, threshold_micro, amount_micro, month_limit_micro, updated_by };
  return show(call, account_id, await call.deps.accounts.setAutoTopUp(rule));
}

function tooSmall(param: string, found: string, allowed: string): GatewayError {
  return invalidRequest(`'${param}' is '${found}', too small; allowed: ${allowed}.`, param);
}

/** Succeeds also where the account has no rule. */
async function removeRule(call: ConsoleCall<unknown, OfAccount>): Promise<AutoTopUp> {
  const account_id = await viewedAccount(call, call.query.account);
  await call.deps.accounts.removeAutoTopUp(account_id);
  return show(call, account_id, null);
}

function show({ deps }: ConsoleCall, account: string, rule: Rule | null): AutoTopUp {
  const { currency } = deps.configuration;
  return { object: "auto_top_up", account, currency, rule: rule && showRule(rule) };
}

function showRule(rule: Rule): NonNullable<AutoTopUp["rule"]> {
  const amount = (name: "threshold_micro" | "amount_micro" | "month_limit_micro" | "month_used_micro"): number =>
    toJsonNumber(rule[name] satisfies Micro);
  return {
    threshold_micro: amount("threshold_micro"),
    amount_micro: amount("amount_micro"),
    month_limit_micro: amount("month_limit_micro"),
    month_since: rule.month_since,
    month_used_micro: amount("month_used_micro"),
    last_at: rule.last_ms === null ? null : showTime(rule.last_ms),
    updated_at: showTime(rule.updated_ms),
    updated_by: rule.updated_by,
  };
}
