import type { AppliedRule } from "../core/people/limit-rules.ts";
import type { KeyRecord, ModelLimit } from "../core/people/principal.ts";

/** The rules of limits by which requests of a key are judged beside its own limits (docs/rulings.md 177). */

/** Whether any rule may concern requests of a key. */
export function hasRules({ model_limits, project, account_limits }: KeyRecord): boolean {
  return (model_limits ?? project?.model_limits ?? account_limits?.model_limits ?? null) !== null;
}

const known = new WeakMap<KeyRecord, Map<string, readonly AppliedRule[] | null>>();

/** The rules that concern requests of a key for a model; null where there are none. */
export function rulesOf(key: KeyRecord, model_id: string): readonly AppliedRule[] | null {
  if (!hasRules(key)) return null;
  let of_key = known.get(key);
  if (of_key === undefined) {
    of_key = new Map();
    known.set(key, of_key);
  }
  let rules = of_key.get(model_id);
  if (rules === undefined) {
    rules = findRules(key, model_id);
    of_key.set(model_id, rules);
  }
  return rules;
}

function findRules(key: KeyRecord, model_id: string): readonly AppliedRule[] | null {
  const rules = [
    ...matching(key.id, key.model_limits, model_id),
    ...matching(key.project?.id ?? "", key.project?.model_limits, model_id),
    ...matching("account", key.account_limits?.model_limits, model_id),
  ];
  return rules.length === 0 ? null : rules;
}

function matching(holder: string, limits: readonly ModelLimit[] | null | undefined, model_id: string): AppliedRule[] {
  return (limits ?? [])
    .filter(({ models }) => matches(models, model_id))
    .map(({ models, rpm, tpm, concurrent, budget }) => {
      return { rule: modelRule(holder, models), value: "", rpm, tpm, concurrent, budget };
    });
}

function matches(pattern: string, model_id: string): boolean {
  return new RegExp(`^${pattern.split(/\*+/).map(RegExp.escape).join(".*")}$`, "s").test(model_id);
}

/** The name of a limit by model: of a key or a project by its id, or of the `account`. */
export function modelRule(holder: string, models: string): string {
  return `${holder} model ${models}`;
}
