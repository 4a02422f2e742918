import type { Account } from "../../../contract/accounts.ts";
import type { BudgetUse as ShownBudgetUse } from "../../../contract/budgets.ts";
import type { Entry } from "../../../contract/credits.ts";
import type { Key, ShownModelLimit } from "../../../contract/keys.ts";
import type { ShownTagLimit } from "../../../contract/tag-limits.ts";
import { cacheTimeText } from "../../core/answer/cache-time.ts";
import type { Configuration } from "../../core/catalog/catalog.ts";
import type { EntryRecord } from "../../core/ledger/entries.ts";
import { add, toJsonNumber, ZERO } from "../../core/money/money.ts";
import type { BudgetUse } from "../../core/people/budgets.ts";
import {
  type Budget,
  type KeyRecord,
  type ModelLimit,
  NO_LIMITS,
  type RuleLimits,
  type TagLimit,
} from "../../core/people/principal.ts";
import type { AccountRecord } from "../../core/store/ports.ts";
import { remainingBudget } from "../../limits/budget.ts";
import { type Ceiling, ceilingsOf } from "../../limits/ceilings.ts";

/** Records as the console API shows them. The order of members is part of the outward shape. */

export function showAccount(account: AccountRecord, currency: string): Account {
  return {
    id: account.id,
    email: account.email,
    balance_micro: toJsonNumber(account.balance_micro),
    uncollected_micro: toJsonNumber(account.held_micro),
    currency,
    name: account.name,
    status: account.status,
    created_at: showTime(account.created_ms),
    limits: showLimitsOf(account.limits),
    time_zone: account.time_zone ?? "UTC",
  };
}

/** The limits over all keys of an account. */
export function showLimitsOf(limits = NO_LIMITS): Account["limits"] {
  const { models, rpm, tpm, concurrent, budget } = limits;
  const shown = { models: models && [...models], rpm, tpm, concurrent, budget: budget && showBudget(budget) };
  const { tag_limits, end_user_tag } = limits;
  return {
    ...shown,
    ...showModelLimits(limits),
    ...(tag_limits != null && { tag_limits: tag_limits.map(showTagLimit) }),
    ...(end_user_tag != null && { end_user_tag }),
  };
}

export function showTagLimit({ tag, required, ...limits }: TagLimit): ShownTagLimit {
  return { tag, required, ...showOwnLimits(limits) };
}

export function showOwnLimits({ rpm, tpm, concurrent, budget }: RuleLimits): Omit<ShownTagLimit, "tag" | "required"> {
  return { rpm, tpm, concurrent, budget: budget && showBudget(budget) };
}

/** The limits by model; without any, nothing. */
function showModelLimits({ model_limits }: Pick<KeyRecord, "model_limits">): Pick<Key, "model_limits"> {
  if (model_limits == null) return {};
  return { model_limits: model_limits.map(showModelLimit) };
}

export function showModelLimit({ budget, ...limit }: ModelLimit): ShownModelLimit {
  return { ...limit, budget: budget && showBudget(budget) };
}

function showBudget({ amount_micro, window }: Budget): NonNullable<Key["budget"]> {
  return { amount_micro: toJsonNumber(amount_micro), window };
}

/** How much of a budget is used, and left. */
export function showUse(use: BudgetUse): ShownBudgetUse {
  return {
    window: use.window,
    since: use.since,
    renews: use.renews,
    amount_micro: toJsonNumber(use.amount_micro),
    raise: use.raise && {
      amount_micro: toJsonNumber(use.raise.amount_micro),
      until: showTime(use.raise.until_ms),
      by: use.raise.by,
    },
    spent_micro: toJsonNumber(use.spent_micro),
    held_micro: toJsonNumber(use.held_micro),
    remaining_micro: toJsonNumber(remainingBudget(add(use.amount_micro, use.raise?.amount_micro ?? ZERO), use)),
  };
}

export function showEntry(entry: EntryRecord): Entry {
  return {
    id: entry.id,
    account: entry.account_id,
    kind: entry.kind,
    amount_micro: toJsonNumber(entry.amount_micro),
    posted_after_micro: toJsonNumber(entry.posted_after_micro),
    request: entry.request_id,
    note: entry.note,
    actor: entry.actor,
    corrects: entry.corrects,
    created_at: showTime(entry.created_ms),
  };
}

export function showKey(key: KeyRecord, configuration: Configuration): Key {
  return { id: key.id, ...keyFields(key, configuration) };
}

/** The shown members of a key without its id, which callers put first, followed by the secret where it is shown. */
export function keyFields(key: KeyRecord, { limits }: Configuration): Omit<Key, "id"> {
  return {
    account: key.account_id,
    project: key.project === undefined ? null : { id: key.project.id, name: key.project.name },
    name: key.name,
    tags: { ...key.tags },
    status: key.status,
    hint: key.hint,
    aliases: key.aliases.map(({ name, model }) => ({ name, model })),
    prefix_aliases: key.prefix_aliases.map(({ prefix, model }) => ({ prefix, model })),
    models: key.models === null ? null : [...key.models],
    rpm: key.rpm,
    tpm: key.tpm,
    concurrent: key.concurrent,
    budget: key.budget && showBudget(key.budget),
    ...showModelLimits(key),
    ...(key.cache_ms !== undefined && { cache: cacheTimeText(key.cache_ms) }),
    expires_at: key.expires_ms === null ? null : showTime(key.expires_ms),
    old_secret_until: key.old_secret_until_ms === undefined ? null : showTime(key.old_secret_until_ms),
    created_at: showTime(key.created_ms),
    last_used_at: key.last_used_ms === null ? null : showTime(key.last_used_ms),
    playground: key.playground_of !== undefined,
    barred: key.ceilings?.barred === true,
    ceilings: showCeilings(key, limits.default_key),
  };
}

function showCeilings(key: KeyRecord, defaults: Configuration["limits"]["default_key"]): Key["ceilings"] {
  const { models, rpm, tpm, concurrent, budget, expires_ms } = ceilingsOf(key, defaults);
  return {
    models: shown(models, (value) => [...value]),
    rpm,
    tpm,
    concurrent,
    budget: shown(budget, showBudget),
    expires_at: shown(expires_ms, showTime),
  };
}

function shown<Value, Shown>(ceiling: Ceiling<Value> | null, show: (value: Value) => Shown) {
  return ceiling && { value: show(ceiling.value), set_on: ceiling.set_on };
}

export function showTime(time_ms: number): string {
  return new Date(time_ms).toISOString();
}
