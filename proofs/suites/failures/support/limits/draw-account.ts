import { micro } from "../../../../../src/core/money/money.ts";
import type { RuleLimits } from "../../../../../src/core/people/principal.ts";
import type { Gateway } from "../../../../support/gateway.ts";
import { LimitHolder } from "../../../../support/limit-holder.ts";

/** An account with random limits of every kind, and the holders that count its requests in the model. */
export interface DrawnAccount {
  readonly time_zone: string | null;
  readonly keys: readonly DrawnKey[];
}

export interface DrawnKey {
  readonly key: string;
  /** Those that count a request for a model with a value of the tag, in the order in which they are judged. */
  holdersOf(model: string, value: string | null): readonly LimitHolder[];
}

export type Random = () => number;

export const TAG = "customer";
/** Values of the tag, of which one has limits of its own. */
export const VALUES = ["a", "b", "own"] as const;
export const MODELS = ["acme/swift", "side/calm"] as const;
const PATTERNS = ["*", ...MODELS, "acme/*"] as const;
const ZONES = [null, "Europe/Berlin", "America/New_York", "Asia/Kathmandu"] as const;
const WINDOWS = ["day", "week", "month", "once"] as const;
const NONE: RuleLimits = { rpm: null, tpm: null, concurrent: null, budget: null };

/** The limits of the gateway's configuration by model, for each account apart. */
export const GATEWAY_MODELS = [
  { models: "acme/*", limits: { ...NONE, rpm: 5, budget: { amount_micro: micro(1500), window: "week" } } },
  { models: "side/calm", limits: { ...NONE, tpm: 300, concurrent: 1 } },
] as const satisfies Rules["models"];

/** The limits of the gateway's configuration for each value of the tag. */
export const GATEWAY_TAG: RuleLimits = { ...NONE, rpm: 3, budget: { amount_micro: micro(2500), window: "day" } };
export const GATEWAY_OWN = { rpm: 4 };

export function oneOf<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

export function between(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

/** Limits of which each is there as often as `share` says. */
function drawLimits(random: Random, share: number): RuleLimits {
  const has = () => random() < share;
  return {
    rpm: has() ? between(random, 2, 7) : null,
    tpm: has() ? between(random, 300, 1500) : null,
    concurrent: has() ? between(random, 1, 3) : null,
    budget: has() ? { amount_micro: micro(between(random, 300, 2500)), window: oneOf(random, WINDOWS) } : null,
  };
}

/** What a rule of limits needs, as one without any is refused. */
function drawRule(random: Random): RuleLimits {
  const limits = drawLimits(random, 0.4);
  return Object.values(limits).some((limit) => limit !== null) ? limits : { ...limits, rpm: 4 };
}

/** Limits as the configuration's file has them. */
export function written({ budget, ...rates }: RuleLimits): Record<string, unknown> {
  const { budget: amount, ...others } = withoutNulls(sent({ ...rates, budget }));
  const { amount: units, window } = (amount ?? {}) as { amount?: string; window?: string };
  return { ...others, ...(units !== undefined && { budget: `${units}/${window}` }) };
}

/** Limits as the console API has them. */
function sent({ budget, ...rates }: RuleLimits): Record<string, unknown> {
  if (budget === null) return { ...rates, budget };
  const amount = (Number(budget.amount_micro) / 1_000_000).toFixed(6);
  return { ...rates, budget: { amount, window: budget.window } };
}

interface Rules {
  readonly models: readonly { readonly models: string; readonly limits: RuleLimits }[];
  readonly tag: RuleLimits | null;
}

function drawRules(random: Random): Rules {
  const patterns = PATTERNS.filter(() => random() < 0.35);
  return {
    models: patterns.map((models) => ({ models, limits: drawRule(random) })),
    tag: random() < 0.6 ? drawRule(random) : null,
  };
}

function sentRules({ models, tag }: Rules, has_tags: boolean): Record<string, unknown> {
  return {
    model_limits: models.length === 0 ? null : models.map(({ models, limits }) => ({ models, ...sent(limits) })),
    ...(has_tags && { tag_limits: tag === null ? null : [{ tag: TAG, ...sent(tag) }] }),
  };
}

function matches(pattern: string, model: string): boolean {
  return pattern === "*" || pattern === model || (pattern.endsWith("/*") && model.startsWith(pattern.slice(0, -1)));
}

let accounts_made = 0;

/** Makes an account with a project, a key in it and one beside it. */
export async function drawAccount(gateway: Gateway, random: Random): Promise<DrawnAccount> {
  const time_zone = oneOf(random, ZONES);
  accounts_made += 1;
  const email = `limits-${accounts_made}@example.com`;
  const limits = drawLimits(random, 0.25);
  const of_account = drawRules(random);
  const own = drawRule(random);
  const { id } = await gateway.admin<{ id: string }>("POST", "/accounts", { email, credit: "100" });
  await gateway.admin("PATCH", `/accounts/${id}`, { ...sent(limits), ...sentRules(of_account, true), time_zone });
  if (of_account.tag !== null)
    await gateway.admin("PUT", `/accounts/${id}/tags/${TAG}/values`, { value: "own", limits: withoutNulls(sent(own)) });
  const project_limits = drawLimits(random, 0.25);
  const of_project = drawRules(random);
  const project = await gateway.admin<{ id: string }>("POST", "/projects", {
    ...{ account: email, name: "p", ...sent(project_limits), ...sentRules(of_project, true) },
  });
  const shared = new Shared({ account: limits, of_account, own, project: project_limits, of_project });
  const keys: DrawnKey[] = [];
  for (const in_project of [project.id, null]) {
    const of_key = drawLimits(random, 0.35);
    const rules = { ...drawRules(random), tag: null };
    const asked = { account: email, project: in_project, ...sent(of_key), ...sentRules(rules, false) };
    const { key } = await gateway.admin<{ key: string }>("POST", "/keys", asked);
    const own_holder = new LimitHolder("key", of_key);
    const by_model = rules.models.map((each) => ({
      ...each,
      holder: new LimitHolder(`key for ${each.models}`, each.limits),
    }));
    keys.push({
      key,
      holdersOf: (model, value) =>
        shared.holdersOf({ own: own_holder, by_model, has_project: in_project !== null }, model, value),
    });
  }
  return { time_zone, keys };
}

function withoutNulls(limits: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null));
}

interface SharedLimits {
  readonly account: RuleLimits;
  readonly of_account: Rules;
  /** Of one value of the account's tag. */
  readonly own: RuleLimits;
  readonly project: RuleLimits;
  readonly of_project: Rules;
}

interface OfKey {
  readonly own: LimitHolder;
  readonly by_model: readonly { readonly models: string; readonly holder: LimitHolder }[];
  readonly has_project: boolean;
}

/** What all keys of an account share. */
class Shared {
  readonly #limits: SharedLimits;
  readonly #known = new Map<string, LimitHolder>();

  constructor(limits: SharedLimits) {
    this.#limits = limits;
  }

  holdersOf({ own, by_model, has_project }: OfKey, model: string, value: string | null): readonly LimitHolder[] {
    const { account, of_account, project, of_project } = this.#limits;
    const owners = [...(has_project ? [["project", of_project] as const] : []), ["account", of_account] as const];
    return [
      own,
      ...(has_project ? [this.#of("project", project)] : []),
      this.#of("account", account),
      ...by_model.filter((each) => matches(each.models, model)).map(({ holder }) => holder),
      ...owners.flatMap(([owner, { models }]) =>
        models
          .filter((each) => matches(each.models, model))
          .map((each) => this.#of(`${owner} for ${each.models}`, each.limits)),
      ),
      ...GATEWAY_MODELS.filter((each) => matches(each.models, model)).map((each) =>
        this.#of(`gateway for ${each.models}`, each.limits),
      ),
      ...(value === null ? [] : this.#ofValue(owners, value)),
    ];
  }

  #ofValue(owners: readonly (readonly [string, Rules])[], value: string): LimitHolder[] {
    const { own } = this.#limits;
    const of_owners = owners.flatMap(([owner, { tag }]) => {
      if (tag === null) return [];
      const limits = owner === "account" && value === "own" ? over(tag, own) : tag;
      return [this.#of(`${owner} for ${TAG}=${value}`, limits)];
    });
    const of_gateway = value === "own" ? { ...GATEWAY_TAG, ...GATEWAY_OWN } : GATEWAY_TAG;
    return [...of_owners, this.#of(`gateway for ${TAG}=${value}`, of_gateway)];
  }

  #of(name: string, limits: RuleLimits): LimitHolder {
    const holder = this.#known.get(name) ?? new LimitHolder(name, limits);
    this.#known.set(name, holder);
    return holder;
  }
}

/** Limits of a value take the place of those of all, one by one. */
function over(all: RuleLimits, own: RuleLimits): RuleLimits {
  return {
    rpm: own.rpm ?? all.rpm,
    tpm: own.tpm ?? all.tpm,
    concurrent: own.concurrent ?? all.concurrent,
    budget: own.budget ?? all.budget,
  };
}
