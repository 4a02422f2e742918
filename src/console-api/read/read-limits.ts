import type { UpdateAccount } from "../../../contract/accounts.ts";
import type { ModelLimit as GivenModelLimit, UpdateKey } from "../../../contract/keys.ts";
import type { TagLimit as GivenTagLimit, SetTagValue } from "../../../contract/tag-limits.ts";
import { tagValueProblem } from "../../../contract/tag-rules.ts";
import { invalidRequest } from "../../core/errors.ts";
import { given, withoutNulls } from "../../core/given.ts";
import { OTHER_TAGS } from "../../core/people/keys.ts";
import type { Budget, Limits, ModelLimit, OwnLimits, RuleLimits, TagLimit } from "../../core/people/principal.ts";
import { ConsoleError } from "../answer/console-error.ts";
import { readAmount } from "./read-amount.ts";

/** The limits over all keys of an account or a project that a body has; a limit that it lacks is absent. */
export function readLimitFields({
  budget,
  model_limits,
  tag_limits,
  ...plain
}: Omit<UpdateAccount, "name" | "email" | "time_zone">): Partial<Limits> {
  return {
    ...plain,
    ...(budget !== undefined && { budget: budget && readBudget(budget) }),
    ...(model_limits !== undefined && { model_limits: readModelLimits(model_limits) }),
    ...(tag_limits !== undefined && { tag_limits: readTagLimits(tag_limits) }),
  };
}

export function readBudget({ amount, window }: NonNullable<UpdateKey["budget"]>, param = "budget"): Budget {
  return { amount_micro: readAmount(amount, `${param}.amount`), window };
}

/** Limits by model of a body; null: none. Throws a 400 for a pattern that is there twice, and for a limit that limits nothing. */
export function readModelLimits(limits: readonly GivenModelLimit[] | null): readonly ModelLimit[] | null {
  if (limits === null || limits.length === 0) return null;
  const names = limits.map(({ models }) => models);
  requireDifferent("model_limits", "pattern", names);
  return limits.map(({ models, ...rest }, at) => {
    const param = `model_limits[${at}]`;
    const rule = { ...NO_RULE, ...readOwn(rest, param) };
    if (limitsNothing(rule))
      throw invalidRequest(`The limit for '${models}' limits nothing; allowed: rpm, tpm, concurrent or budget.`, param);
    return { models, ...rule };
  });
}

/** Limits by tag of a body; null: none. Throws a 400 for a tag that is there twice, and for a limit that limits nothing. */
export function readTagLimits(limits: readonly GivenTagLimit[] | null): readonly TagLimit[] | null {
  if (limits === null || limits.length === 0) return null;
  const names = limits.map(({ tag }) => tag);
  requireDifferent("tag_limits", "tag", names);
  return limits.map(({ tag, required = false, ...rest }, at) => {
    const param = `tag_limits[${at}]`;
    const rule = { ...NO_RULE, ...readOwn(rest, param) };
    if (!required && limitsNothing(rule))
      throw invalidRequest(
        `The limit for '${tag}' limits nothing; allowed: required, rpm, tpm, concurrent or budget.`,
        param,
      );
    return { tag, required, ...rule };
  });
}

const NO_RULE: RuleLimits = { rpm: null, tpm: null, concurrent: null, budget: null };

function limitsNothing(rule: RuleLimits): boolean {
  return Object.values(rule).every((limit) => limit === null);
}

/** Throws a 400 for a name that is twice in a list. `kind`: what the names are. */
export function requireDifferent(field: string, kind: string, names: readonly string[]): void {
  const at = names.findIndex((name, place) => names.indexOf(name) < place);
  if (at === -1) return;
  throw invalidRequest(`'${names[at]}' is twice in '${field}'; allowed: each ${kind} once.`, `${field}[${at}]`);
}

/** What a value has of its own; null: nothing. Throws a 400 for a value that no tag can have. */
export function readTagValue({ value, limits }: Pick<SetTagValue, "value" | "limits">): OwnLimits | null {
  const problem = value === OTHER_TAGS ? `${OTHER_TAGS} stands for many values` : tagValueProblem(value);
  if (problem !== null)
    throw invalidRequest(`The body has the value ${JSON.stringify(value)}, but ${problem}.`, "value");
  const own = limits === null ? {} : readOwn(limits, "limits");
  return Object.keys(own).length === 0 ? null : own;
}

function readOwn({ budget, ...counts }: NonNullable<SetTagValue["limits"]>, param: string): OwnLimits {
  return {
    ...withoutNulls(given(counts)),
    ...(budget != null && { budget: readBudget(budget, `${param}.budget`) }),
  };
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
