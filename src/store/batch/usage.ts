import { ZERO } from "../../core/money.ts";
import type { Page, UsageChange } from "./page.ts";

/** The changes of a day's usage row, to be added to. */
export function usageOf(page: Page, account_id: string, key_id: string, model: string): UsageChange {
  // Most operations of a batch are of the same key and model.
  const { last_usage: last } = page;
  if (last !== null && last.key_id === key_id && last.model === model && last.account_id === account_id) return last;
  const id = `${account_id} ${key_id} ${model}`;
  let change = page.usage.get(id);
  if (change === undefined) {
    change = {
      account_id,
      key_id,
      model,
      cost_micro: ZERO,
      prompt_tokens: 0,
      completion_tokens: 0,
      ended_count: 0,
      success_count: 0,
      refused_count: 0,
      replayed_count: 0,
    };
    page.usage.set(id, change);
  }
  page.last_usage = change;
  return change;
}
