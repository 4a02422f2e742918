import type { Model } from "../core/catalog.ts";
import { type Micro, max, ZERO } from "../core/money.ts";
import { costBound, type Price } from "../core/price.ts";
import { inputWithFindings, listsFor, type RareRequest, rareCosts } from "./rare-costs.ts";

/** Sizes the hold where the client gave no cap; it is never sent to a vendor (docs/rulings.md 22, 41). */
export const ASSUMED_OUTPUT_TOKENS = 4096;

export interface HoldRequest extends RareRequest {
  /** An upper bound of the input's tokens, from its bytes. */
  readonly input_bound_tokens: number;
  /** The client's cap on output tokens; null when it gave none. */
  readonly output_cap: number | null;
  /** How many answers were asked for, each of which may use the whole cap. */
  readonly choices: number;
  readonly model: Pick<Model, "context_length" | "max_completion_tokens">;
  /** The prices of every model that may answer: the requested one and its fallbacks. */
  readonly prices: readonly Price[];
}

export interface HoldSize {
  readonly hold_micro: Micro;
  /** Bound of the input tokens after the model's own limit; what tokens per minute count. */
  readonly bound_tokens: number;
  /** Output tokens that the hold covers. */
  readonly held_output_tokens: number;
  /** Whether the hold covers all that the client allowed, so that it never needs to grow. */
  readonly covers_cap: boolean;
}

/**
 * Sizes a hold: the most that the request may cost by any model of its chain (docs/rulings.md 22, 41, 45). No model reads
 * more than its context holds, however many bytes were sent.
 */
export function holdFor(request: HoldRequest): HoldSize {
  const { input_bound_tokens, output_cap, choices, model, prices } = request;
  const bound_tokens = Math.min(input_bound_tokens, model.context_length ?? input_bound_tokens);
  const assumed = Math.min(ASSUMED_OUTPUT_TOKENS, model.max_completion_tokens ?? ASSUMED_OUTPUT_TOKENS);
  const held_output_tokens = (output_cap ?? assumed) * choices;
  let hold_micro = ZERO;
  const input_tokens = inputWithFindings(bound_tokens, model.context_length, request);
  for (const usual of prices) {
    for (const price of listsFor(usual, request)) {
      const rare = rareCosts(price, request);
      hold_micro = max(hold_micro, costBound(input_tokens, held_output_tokens, price, rare));
    }
  }
  return { hold_micro, bound_tokens, held_output_tokens, covers_cap: output_cap !== null };
}
