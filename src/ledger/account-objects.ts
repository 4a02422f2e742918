import type { CacheSums } from "../core/answer/cached-answers.ts";
import type { JsonObject } from "../core/json.ts";
import { type Micro, micro, toJsonNumber } from "../core/money/money.ts";
import { UNIT_COUNTS, type UnitCounts } from "../core/money/price-classes.ts";
import type { AccountRecord, UsageTotals, UsageWindows } from "../core/store/ports.ts";

/** `GET /v1/usage` (docs/api.md 2.8). */
export function usageObject(windows: UsageWindows, currency: string, cache: CacheSums): JsonObject {
  return {
    currency,
    daily: showTotals(windows.daily),
    weekly: showTotals(windows.weekly),
    monthly: showTotals(windows.monthly),
    ...showCacheUse(cache),
  };
}

/** What stored answers saved, where a request asked for one (docs/rulings.md 183). */
export function showCacheUse({ hits, misses, saved_micro }: CacheSums) {
  if (hits === 0 && misses === 0) return {};
  return { cache: { hits, misses, saved_micro: toJsonNumber(micro(saved_micro)) } };
}

/** Sums of usage, as the public API and the console show them (docs/api.md 2.8). */
export function showTotals(totals: UsageTotals) {
  return {
    cost_micro: toJsonNumber(totals.cost_micro),
    prompt_tokens: totals.prompt_tokens,
    completion_tokens: totals.completion_tokens,
    total_tokens: totals.prompt_tokens + totals.completion_tokens,
    request_count: totals.request_count,
    success_count: totals.success_count,
    ...showUnits(totals),
  };
}

/** What was charged beside tokens, where there was any (docs/rulings.md 233). */
function showUnits(totals: UsageTotals): { readonly units?: UnitCounts } {
  const used = UNIT_COUNTS.filter((name) => totals[name] > 0);
  return used.length === 0 ? {} : { units: Object.fromEntries(used.map((name) => [name, totals[name]])) };
}

/** `GET /v1/credits` (docs/api.md 2.9, docs/rulings.md 42). An account without a wallet (null) gets zeros. */
export function creditsObject(
  account: Pick<AccountRecord, "balance_micro" | "held_micro"> | null,
  currency: string,
): JsonObject {
  const shown = (amount: Micro | undefined): number => (amount === undefined ? 0 : toJsonNumber(amount));
  return {
    currency,
    balance_micro: shown(account?.balance_micro),
    uncollected_micro: shown(account?.held_micro),
  };
}
