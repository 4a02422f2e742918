import { type AccountSums, type AccountUses, AccountUsesQuery } from "../../../contract/account-sums.ts";
import { toJsonNumber } from "../../core/money/money.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { showTime } from "../show/show.ts";

/** Listed before the routes of single accounts, whose ids begin with `acct_`. */
export const accountSumRoutes = [
  route("GET /accounts/sums", "administrator", { show: sumAccounts }),
  route("GET /accounts/uses", "administrator", { query: AccountUsesQuery, show: showUses }),
];

async function sumAccounts({ deps }: ConsoleCall): Promise<AccountSums> {
  const { balance_micro, held_micro, month_micro, counted_ms, ...counts } = await deps.accounts.sumAccounts();
  return {
    object: "account_sums",
    ...counts,
    balance_micro: toJsonNumber(balance_micro),
    held_micro: toJsonNumber(held_micro),
    month_micro: toJsonNumber(month_micro),
    counted_until: counted_ms === null ? null : showTime(counted_ms),
    currency: deps.configuration.currency,
  };
}

async function showUses({ deps, query }: ConsoleCall<unknown, AccountUsesQuery>): Promise<AccountUses> {
  const uses = await deps.accounts.accountUses(query.accounts.split(","));
  return {
    object: "list",
    data: uses.map(({ account_id, month_micro, active_keys }) => ({
      account: account_id,
      month_micro: toJsonNumber(month_micro),
      active_keys,
    })),
  };
}
