import type { ModelLimit as Given } from "../../../contract/keys.ts";
import { invalidRequest } from "../../core/errors.ts";
import type { ModelLimit } from "../../core/people/principal.ts";
import { ConsoleError } from "../answer/console-error.ts";
import { readAmount } from "./read-amount.ts";

/** Limits by model of a body; null: none. Throws a 400 for a pattern that is there twice, and for a limit that limits nothing. */
export function readModelLimits(given: readonly Given[] | null): readonly ModelLimit[] | null {
  if (given === null || given.length === 0) return null;
  const patterns = new Set<string>();
  return given.map(({ models, rpm = null, tpm = null, concurrent = null, budget = null }, at) => {
    const param = `model_limits[${at}]`;
    if (patterns.has(models))
      throw invalidRequest(`'${models}' is twice in 'model_limits'; allowed: each pattern once.`, param);
    patterns.add(models);
    if (rpm === null && tpm === null && concurrent === null && budget === null)
      throw invalidRequest(`The limit for '${models}' limits nothing; allowed: rpm, tpm, concurrent or budget.`, param);
    const amount = budget && {
      amount_micro: readAmount(budget.amount, `${param}.budget.amount`),
      window: budget.window,
    };
    return { models, rpm, tpm, concurrent, budget: amount };
  });
}

/**
 * The limits by model after a change. What an administrator sets is marked, but for what was there already (docs/rulings.md 206). A member
 * keeps what an administrator has set, whether named or not; throws 403 `above_ceiling` for another limit of the same pattern.
 */
export function modelLimitsAfter(
  given: readonly ModelLimit[] | null,
  known: readonly ModelLimit[] | null | undefined,
  is_administrator: boolean,
): readonly ModelLimit[] | null {
  const before = known ?? [];
  const sameAs = (limit: ModelLimit) => before.find((each) => isSame(each, limit));
  const after = (given ?? []).map((limit) => sameAs(limit) ?? (is_administrator ? marked(limit) : limit));
  if (is_administrator) return after.length === 0 ? null : after;
  const kept = before.filter(({ by_administrator }) => by_administrator === true);
  for (const [at, { models, by_administrator }] of after.entries()) {
    if (by_administrator === true || !kept.some((each) => each.models === models)) continue;
    const message = `An administrator has limited '${models}' on this key: you may add limits of other patterns.`;
    throw new ConsoleError("above_ceiling", message, `model_limits[${at}]`);
  }
  const all = [...kept, ...after.filter(({ by_administrator }) => by_administrator !== true)];
  return all.length === 0 ? null : all;
}

function marked(limit: ModelLimit): ModelLimit {
  return { ...limit, by_administrator: true };
}

function isSame({ by_administrator: _one, ...one }: ModelLimit, { by_administrator: _other, ...other }: ModelLimit) {
  return Bun.deepEquals(one, other);
}
