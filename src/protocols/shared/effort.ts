import type { RareEffort } from "../../core/answer/exchange.ts";
import type { Capabilities, Model } from "../../core/catalog/catalog.ts";
import { type ErrorCode, GatewayError } from "../../core/errors.ts";

/** Reasoning effort, the one setting behind the three styles' fields (docs/rulings.md 12). */

/** All levels that a public API names, lowest to highest, with the share of the largest thinking budget each stands for. */
const SHARES = {
  none: 0,
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.95,
  max: 1,
} as const satisfies Record<string, number>;

type Effort = keyof typeof SHARES;

const LEVELS = Object.keys(SHARES) as readonly Effort[];

/** The levels that style A requests may name for every model (docs/api.md 4.1, 4.2). */
export const REQUEST_EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"] as const;
const USUAL: ReadonlySet<unknown> = new Set(REQUEST_EFFORTS);

/** The effort of a checked body, where only some models have it; nothing for all others (docs/rulings.md 188). */
export function rareEffort(level: unknown, place: string, code: ErrorCode): { readonly effort?: RareEffort } {
  return typeof level !== "string" || USUAL.has(level) ? {} : { effort: { level, place, code } };
}

/** Throws the specification's 400 for an effort that the model which was asked for does not list. */
export function refuseUnlistedEffort(
  { level, place, code }: RareEffort,
  { capabilities }: Pick<Model, "capabilities">,
): void {
  const listed = capabilities.reasoning?.effort ?? [];
  if (capabilities.thinking && listed.includes(level)) return;
  const more = capabilities.thinking ? listed.filter((each) => !USUAL.has(each)) : [];
  const allowed = [...REQUEST_EFFORTS, ...more].map((each) => JSON.stringify(each)).join(", ");
  const message = `'${place}' is the string ${JSON.stringify(level.slice(0, 64))}; allowed: ${allowed} or null.`;
  throw new GatewayError(code, message, { param: place });
}

/**
 * The level to send where a client asked for `effort` and the model has `supported`: `effort` itself if the model has
 * it, else the nearest lower level, else the model's lowest. Null when the model has no level that can be compared.
 */
export function nearestEffort(effort: string, supported: readonly string[]): string | null {
  if (supported.includes(effort)) return effort;
  const known = LEVELS.filter((level) => supported.includes(level));
  const place = (LEVELS as readonly string[]).indexOf(effort);
  // What a model of its own lists beyond these levels is more than any of them.
  const wanted = place === -1 ? LEVELS.length : place;
  return known.findLast((level) => LEVELS.indexOf(level) < wanted) ?? known[0] ?? null;
}

/**
 * The level to send where style A's field is the only control: `effort` itself or the nearest lower level; null to send
 * no level, because the model has no control that a level could set (docs/rulings.md 55).
 */
export function effortFor(effort: string, { thinking, reasoning }: Capabilities): string | null {
  if (!thinking || reasoning === undefined) return null;
  if (effort === "none" && reasoning.toggle) return "none";
  if (reasoning.effort !== undefined && reasoning.effort.length > 0) return nearestEffort(effort, reasoning.effort);
  // Where the model has a budget instead of levels, the vendor itself turns a level into a share of the budget.
  return reasoning.budget_tokens === undefined ? null : effort;
}

/** The part of the largest thinking budget that a level stands for, in whole tokens. An unknown level counts as high. */
export function budgetForEffort(effort: string, largest_budget_tokens: number): number {
  const share = Object.hasOwn(SHARES, effort) ? SHARES[effort as Effort] : SHARES.high;
  return Math.floor(share * largest_budget_tokens);
}

/**
 * The level that a thinking budget corresponds to: the highest level whose share the budget reaches, at least
 * `minimal`. Where the largest budget is unknown it is taken as 32,768, the most that current models allow.
 */
export function effortForBudget(budget_tokens: number, largest_budget_tokens = 32_768): string {
  const share = budget_tokens / largest_budget_tokens;
  return LEVELS.findLast((level) => level !== "none" && SHARES[level] <= share) ?? "minimal";
}
