import type { Configuration, Model } from "../../core/catalog/catalog.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import { viewOf } from "./key-view.ts";
import { followName } from "./resolve-model.ts";

/**
 * The model that a name stands for and the reason, for people who set aliases; `model` is the result of
 * `resolveModel`.
 */
export interface NameExplanation {
  readonly rule: "id" | "alias" | "prefix-alias" | "not-allowed" | "target-missing" | "not-found";
  /** The owner of the followed alias; null when no alias was followed. */
  readonly of: "key" | "gateway" | null;
  /** The alias that was followed, a prefix alias as `PREFIX*`; null when no alias was followed. */
  readonly via: string | null;
  /** The id that the name leads to; null when it leads to no id. */
  readonly target: string | null;
  readonly model: Model | null;
  /** An alias of the key that is never used, because its name is a model's id. */
  readonly hidden_alias: string | null;
}

/** Explains the result of `resolveModel` for a name (docs/rulings.md 17, 20). */
export function explainName(configuration: Configuration, key: KeyRecord, name: string): NameExplanation {
  const view = viewOf(key);
  const trail = followName(configuration, view, name);
  if (trail === null) return { rule: "not-found", of: null, via: null, target: null, model: null, hidden_alias: null };
  const { rule, of, target } = trail;
  const via = rule === "id" ? null : rule === "alias" ? trail.via : `${trail.via}*`;
  const hidden_alias = rule === "id" && view.aliases.has(name) ? name : null;
  const led = { of, via, target, hidden_alias };
  const model = configuration.models.get(target);
  if (model === undefined) return { rule: "target-missing", ...led, model: null };
  return view.allows(model) ? { rule, ...led, model } : { rule: "not-allowed", ...led, model: null };
}
