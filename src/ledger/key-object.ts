import { type Micro, micro, unitsText, ZERO } from "../core/money/money.ts";
import type { KeyBudgetUse, KeyUsage } from "../core/people/budgets.ts";
import type { BudgetWindow, KeyRecord } from "../core/people/principal.ts";

/** What is known of a key: its usage, and the use of its budget where it has one. */
interface KeyFacts {
  readonly usage: KeyUsage;
  readonly budget: KeyBudgetUse | null;
  /** Requests a minute, where the key has no number of its own. */
  readonly usual_rpm: number;
}

const RESETS: Readonly<Record<BudgetWindow, string | null>> = {
  day: "daily",
  week: "weekly",
  month: "monthly",
  once: null,
};

/** `GET /v1/key` in the shape of OpenRouter's (docs/api.md 4.21, docs/rulings.md 216), as JSON text: amounts are numbers in units of the currency. */
export function keyText(key: KeyRecord, { usage, budget, usual_rpm }: KeyFacts): string {
  const limit = budget === null ? null : micro(budget.amount_micro + (budget.raise?.amount_micro ?? ZERO));
  const left = budget === null || limit === null ? null : limit - budget.spent_micro - budget.held_micro;
  const amounts = {
    usage: usage.total_micro,
    usage_daily: usage.daily_micro,
    usage_weekly: usage.weekly_micro,
    usage_monthly: usage.monthly_micro,
    limit,
    limit_remaining: left === null ? null : micro(left < ZERO ? ZERO : left),
    ...NO_KEYS_OF_ONES_OWN,
  };
  const others = {
    label: key.name === "" ? `cm-…${key.hint}` : key.name,
    limit_reset: budget === null ? null : RESETS[budget.window],
    expires_at: key.expires_ms === null ? null : new Date(key.expires_ms).toISOString(),
    ...{ is_free_tier: false, is_management_key: false, is_provisioning_key: false, include_byok_in_limit: false },
    creator_user_id: null,
    rate_limit: { requests: key.rpm ?? usual_rpm, interval: "1m", note: "The key's own requests a minute." },
  };
  return `{"data":{${Object.entries(amounts).map(amountMember).join(",")},${JSON.stringify(others).slice(1)}}`;
}

/** Every call is the gateway's own: clients read these members without asking. */
const NO_KEYS_OF_ONES_OWN = {
  ...{ byok_usage: ZERO, byok_usage_daily: ZERO, byok_usage_weekly: ZERO, byok_usage_monthly: ZERO },
};

function amountMember([name, amount]: [string, Micro | null]): string {
  return `"${name}":${amount === null ? "null" : unitsText(amount)}`;
}
