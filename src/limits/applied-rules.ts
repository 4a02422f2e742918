import type { AppliedRule } from "../core/people/limit-rules.ts";
import type { KeyRecord, ModelLimit } from "../core/people/principal.ts";
import { patternOf } from "./ceilings.ts";

/** The rules of limits by which requests of a key are judged beside its own limits (docs/rulings.md 177). */

/** Limits by model of the whole gateway, each of which counts for each account apart. */
export interface GatewayModels {
  readonly models?: readonly ModelLimit[];
}

/** Whether any rule may concern requests of a key. */
export function hasRules({ model_limits, project, account_limits }: KeyRecord, { models }: GatewayModels): boolean {
  return (models ?? model_limits ?? project?.model_limits ?? account_limits?.model_limits ?? null) !== null;
}

interface KnownRules {
  /** The gateway's limits of which they were made: another configuration has others. */
  readonly of_gateway: readonly ModelLimit[] | undefined;
  readonly by_model: Map<string, readonly AppliedRule[] | null>;
}

/** A list for each key, also where only the gateway has limits: the books take a list for that of one account. */
const known = new WeakMap<KeyRecord, KnownRules>();

/** The rules that concern requests of a key for a model; null where there are none. */
export function rulesOf(key: KeyRecord, model_id: string, gateway: GatewayModels): readonly AppliedRule[] | null {
  if (!hasRules(key, gateway)) return null;
  let of_key = known.get(key);
  if (of_key === undefined || of_key.of_gateway !== gateway.models) {
    of_key = { of_gateway: gateway.models, by_model: new Map() };
    known.set(key, of_key);
  }
  let rules = of_key.by_model.get(model_id);
  if (rules === undefined) {
    rules = findRules(key, model_id, gateway);
    of_key.by_model.set(model_id, rules);
  }
  return rules;
}

function findRules(key: KeyRecord, model_id: string, { models }: GatewayModels): readonly AppliedRule[] | null {
  const rules = [
    ...matching(key.id, key.model_limits, model_id),
    ...matching(key.project?.id ?? "", key.project?.model_limits, model_id),
    ...matching("account", key.account_limits?.model_limits, model_id),
    ...matching("gateway", models, model_id),
  ];
  return rules.length === 0 ? null : rules;
}

function matching(holder: string, limits: readonly ModelLimit[] | null | undefined, model_id: string): AppliedRule[] {
  return (limits ?? [])
    .filter(({ models }) => patternOf(models).test(model_id))
    .map(({ models, rpm, tpm, concurrent, budget }) => {
      return { rule: modelRule(holder, models), value: "", rpm, tpm, concurrent, budget };
    });
}

/** The name of a limit by model: of a key or a project by its id, of the `account`, or of the `gateway`. */
export function modelRule(holder: string, models: string): string {
  return `${holder} model ${models}`;
}
