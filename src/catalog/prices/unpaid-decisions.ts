import type { Configuration } from "../../core/catalog/catalog.ts";
import { priceAt } from "./price-at.ts";

/** A decision model whose calls may cost more than its price earns (docs/rulings.md 153). */
export interface UnpaidDecisions {
  readonly model: string;
  readonly chat_model: string;
  /** From how many calls of one request on the input of all calls costs more than is charged; 1 for every request. */
  readonly from_calls: number;
}

/**
 * The decision models of our engine that may cost more than they earn, at the chat models' own prices and within
 * `limits.decision_calls`. Cached input and the one token of output of each call are not considered.
 */
export function unpaidDecisions({ models, limits }: Configuration, now_ms: number): UnpaidDecisions[] {
  return [...models.values()].flatMap((model) => {
    const chat = model.decide_with === undefined ? undefined : models.get(model.decide_with.model);
    if (chat === undefined) return [];
    const { input_micro_per_mtok: earned, per } = priceAt(model, now_ms);
    const { input_micro_per_mtok: cost } = priceAt(chat, now_ms);
    const most_calls = per === "call" ? 1 : limits.decision_calls;
    if (cost * most_calls <= earned) return [];
    return [{ model: model.id, chat_model: chat.id, from_calls: Math.floor(earned / cost) + 1 }];
  });
}
