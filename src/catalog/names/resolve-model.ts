import type { Configuration, Model } from "../../core/catalog.ts";
import type { KeyRecord } from "../../core/principal.ts";
import { type KeyView, usableModel, viewOf } from "./key-view.ts";

/** What a name stands for. */
export interface ResolvedModel {
  readonly model: Model;
  /** The name that was asked for, where it is an alias; null where it is the model's own id. */
  readonly alias: string | null;
}

/**
 * A model by its id, by an alias of the key or by a prefix alias; null when there is none that the key may use. A real id
 * wins over every alias, an exact alias over prefixes, a longer prefix over a shorter one. An alias leads to a model, never
 * to another alias (docs/rulings.md 20). A model that the key may not use is as if it did not exist (17).
 */
export function resolveModel(configuration: Configuration, key: KeyRecord, name: string): ResolvedModel | null {
  const view = viewOf(key);
  const named = configuration.models.get(name);
  if (named !== undefined) return view.allows(named) ? { model: named, alias: null } : null;
  const trail = followName(configuration, view, name);
  const model = trail === null ? null : usableModel(configuration, view, trail.target);
  return model === null ? null : { model, alias: name };
}

/** Which way a name goes: whether the target is there, and the key may use it, is another question. */
export interface NameTrail {
  readonly rule: "id" | "alias" | "prefix-alias";
  /** The alias or the prefix that was followed; the id itself where none was. */
  readonly via: string;
  readonly target: string;
}

/** Follows a name by the key's aliases; null where it is neither an id nor covered by an alias. */
export function followName(configuration: Configuration, view: KeyView, name: string): NameTrail | null {
  if (configuration.models.has(name)) return { rule: "id", via: name, target: name };
  const target = view.aliases.get(name);
  if (target !== undefined) return { rule: "alias", via: name, target };
  if (name.length > LONGEST_NAME) return null;
  const covering = view.prefix_aliases.find(({ prefix }) => name.startsWith(prefix));
  return covering === undefined ? null : { rule: "prefix-alias", via: covering.prefix, target: covering.model };
}

/** Longer than any id or alias: what a prefix covers is recorded on the receipt, so it must not be any text at all. */
const LONGEST_NAME = 256;
