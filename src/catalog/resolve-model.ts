import type { Configuration, Model } from "../core/catalog.ts";
import type { KeyRecord } from "../core/principal.ts";
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
  if (configuration.models.has(name)) return found(usableModel(configuration, view, name), null);
  const target = view.aliases.get(name) ?? targetOfPrefix(view, name);
  return target === null ? null : found(usableModel(configuration, view, target), name);
}

/** Longer than any id or alias: what a prefix covers is recorded on the receipt, so it must not be any text at all. */
const LONGEST_NAME = 256;

function targetOfPrefix(view: KeyView, name: string): string | null {
  if (name.length > LONGEST_NAME) return null;
  return view.prefix_aliases.find(({ prefix }) => name.startsWith(prefix))?.model ?? null;
}

function found(model: Model | null, alias: string | null): ResolvedModel | null {
  return model === null ? null : { model, alias };
}
