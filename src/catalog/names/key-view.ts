import type { Configuration, Model } from "../../core/catalog/catalog.ts";
import type { KeyRecord, PrefixAlias } from "../../core/people/principal.ts";

/** A key's aliases and model patterns, prepared for lookups once for each key record. */
export interface KeyView {
  readonly aliases: ReadonlyMap<string, string>;
  /** Longest prefix first. */
  readonly prefix_aliases: readonly PrefixAlias[];
  /** Whether the key may use a model: one of its patterns matches the model's id, and one of its project's and of its account's, where there are any. */
  allows(model: Model): boolean;
  readonly allows_all: boolean;
}

const views = new WeakMap<KeyRecord, KeyView>();

export function viewOf(key: KeyRecord): KeyView {
  let view = views.get(key);
  if (view === undefined) {
    view = makeView(key);
    views.set(key, view);
  }
  return view;
}

function makeView(key: KeyRecord): KeyView {
  const patterns = [key.models, key.project?.models ?? null, key.account_limits?.models ?? null].flatMap((models) =>
    models === null ? [] : [anyOf(models)],
  );
  const names_models = key.models !== null;
  return {
    aliases: new Map(key.aliases.map(({ name, model }) => [name, model])),
    prefix_aliases: key.prefix_aliases.toSorted((a, b) => b.prefix.length - a.prefix.length),
    allows_all: patterns.length === 0,
    allows: (model) =>
      (model.unlisted !== "demo" || names_models) && patterns.every((pattern) => pattern.test(model.id)),
  };
}

/** One regular expression for all patterns; `*` matches any text, every other character matches itself. */
function anyOf(patterns: readonly string[]): RegExp {
  const alternatives = patterns.map((pattern) => pattern.split(/\*+/).map(RegExp.escape).join(".*"));
  return new RegExp(`^(?:${alternatives.join("|")})$`, "s");
}

/** The model with the given id, if the model exists and the key may use it. */
export function usableModel(configuration: Configuration, view: KeyView, id: string): Model | null {
  const model = configuration.models.get(id);
  return model !== undefined && view.allows(model) ? model : null;
}
