import type { Model } from "../core/catalog/catalog.ts";
import type { OutputAllowance } from "../core/ledger/ledger.ts";
import { type Micro, max, ZERO } from "../core/money/money.ts";
import { costBound, costLine, type Price } from "../core/money/price.ts";
import { inputWithFindings, possiblePrices, type RareRequest, rareCosts } from "./rare-costs.ts";

/** The output that a hold begins with where it can be seen as it grows; it is never sent to a vendor (docs/rulings.md 22). */
export const SEEN_OUTPUT_TOKENS = 4096;
/** The least output with which a request is admitted where the wallet does not pay for the model's maximum. */
const LEAST_OUTPUT_TOKENS = 1024;
/** The maximum of a model of which neither maximum nor context is known. No model of today writes more at once. */
export const LARGEST_OUTPUT_TOKENS = 131_072;

type OutputLimits = Pick<Model, "context_length" | "max_completion_tokens">;

/** A model that may answer, with its price. */
export interface HoldRoute {
  readonly model: OutputLimits;
  readonly price: Price;
  /** A bound of the input tokens that are charged, where it is not the request's: several calls may be (153). */
  readonly input_tokens?: number;
}

/** The part of a request that its hold depends on. */
export interface HoldRequest extends RareRequest {
  /** An upper bound of the input's tokens, from its bytes. */
  readonly input_bound_tokens: number;
  /** The client's cap on output tokens; null when it gave none. */
  readonly output_cap: number | null;
  /** How many answers were asked for, each of which may use the whole cap. */
  readonly choices: number;
}

/** The routes that a request may take, as far as its hold depends on them. */
export interface HoldProspects {
  /** Whether every output token can be seen while it is generated: then the hold begins small and grows. */
  readonly is_seen: boolean;
  /** Whether every vendor that may be asked takes a cap. */
  readonly takes_cap: boolean;
  readonly model: OutputLimits;
  /** Whether the inputs are read one by one, so that a model's context bounds each of them and not the request. */
  readonly inputs_apart?: boolean;
  /** Every model that may answer, with its price: the requested one and its fallbacks. */
  readonly routes: readonly HoldRoute[];
}

export interface HoldSize {
  readonly hold_micro: Micro;
  /** How the hold may shrink; null where it must be paid whole. */
  readonly allowance: OutputAllowance | null;
  /** Bound of the input tokens after the model's own limit; what tokens per minute count. */
  readonly bound_tokens: number;
  /** Output tokens that the hold covers, in all answers together. */
  readonly held_output_tokens: number;
  /** Whether the hold covers all that the vendor can generate, so that it never needs to grow. */
  readonly covers_output: boolean;
}

/**
 * Sizes a hold: the most that a vendor can bill for the request by any model of its chain (docs/rulings.md 22, 142, 145).
 * No model reads more than its context holds, however many bytes were sent.
 */
export function holdFor(request: HoldRequest, prospects: HoldProspects): HoldSize {
  const { input_bound_tokens, choices } = request;
  const { model, routes, takes_cap, inputs_apart = false } = prospects;
  const whole_tokens = inputs_apart ? input_bound_tokens : undefined;
  const cap = takes_cap ? request.output_cap : null;
  const begins_small = cap === null && prospects.is_seen;
  let hold_micro = ZERO;
  let output_tokens = 0;
  for (const route of routes) {
    const input_tokens = route.input_tokens ?? whole_tokens ?? inputTokens(request, route);
    const largest = cap ?? largestOutput(route.model);
    const output = begins_small ? Math.min(SEEN_OUTPUT_TOKENS, largest) : largest;
    output_tokens = Math.max(output_tokens, output);
    for (const price of possiblePrices(route.price, request)) {
      const rare = rareCosts(price, request);
      hold_micro = max(hold_micro, costBound(input_tokens, output * choices, price, rare));
    }
  }
  return {
    hold_micro,
    allowance: cap === null && takes_cap && !begins_small ? allowanceFor(request, routes, output_tokens) : null,
    bound_tokens: whole_tokens ?? Math.min(input_bound_tokens, model.context_length ?? input_bound_tokens),
    held_output_tokens: output_tokens * choices,
    covers_output: !begins_small,
  };
}

/** The most tokens that a model may generate in one answer. */
export function largestOutput({ max_completion_tokens, context_length }: OutputLimits): number {
  return max_completion_tokens ?? context_length ?? LARGEST_OUTPUT_TOKENS;
}

function inputTokens(request: HoldRequest, { model: { context_length }, price }: HoldRoute): number {
  const bound_tokens = Math.min(request.input_bound_tokens, context_length ?? request.input_bound_tokens);
  return inputWithFindings(bound_tokens, context_length, request, price);
}

/** How the hold may shrink to what the wallet pays for: every route is at or below the dearest input and output. */
function allowanceFor(request: HoldRequest, routes: readonly HoldRoute[], largest_tokens: number): OutputAllowance {
  const { choices } = request;
  let base_micro = ZERO;
  let output_micro_per_mtok = 0;
  let most_tokens = largest_tokens;
  for (const route of routes) {
    const { model } = route;
    for (const price of possiblePrices(route.price, request)) {
      const line = costLine(inputTokens(request, route), price, rareCosts(price, request));
      base_micro = max(base_micro, line.base_micro);
      output_micro_per_mtok = Math.max(output_micro_per_mtok, line.output_micro_per_mtok);
    }
    if (model.context_length === null) continue;
    const room = model.context_length - halfOf(request.input_bound_tokens);
    most_tokens = Math.min(most_tokens, Math.max(LEAST_OUTPUT_TOKENS, room));
  }
  return {
    base_micro,
    output_micro_per_mtok,
    least_tokens: Math.min(LEAST_OUTPUT_TOKENS, largest_tokens) * choices,
    most_tokens: most_tokens * choices,
  };
}

/** The input's likely tokens at most: a vendor refuses a cap that does not fit into the context beside them. */
function halfOf(bytes: number): number {
  return (bytes + (bytes % 2)) / 2;
}
