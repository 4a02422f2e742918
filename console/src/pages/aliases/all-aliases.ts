import type { Key } from "../../../../contract/keys.ts";
import type { Model } from "../../../../contract/models.ts";
import { keyName } from "../keys/key-state.ts";
import { modelFilter } from "../keys/match-models.ts";

/** The outcome of requests that use an alias. */
export type AliasStanding = "works" | "decides" | "hidden" | "missing" | "not-allowed";

/** An alias of a key. A prefix alias has a name that ends in `*`. */
export interface KeyAlias {
  readonly key: Key;
  readonly name: string;
  readonly model: string;
  readonly standing: AliasStanding;
}

/** Every alias of every key, with its outcome. Before the catalogue is loaded, every alias counts as working. */
export function allAliases(keys: readonly Key[], models: readonly Model[]): KeyAlias[] {
  const known = new Map(models.map((model) => [model.id, model]));
  return keys.flatMap((key) => {
    const allows = modelFilter(key.models);
    const standing = (name: string, model: string): AliasStanding => {
      if (known.size === 0) return "works";
      if (known.has(name)) return "hidden";
      const target = known.get(model);
      if (target === undefined) return "missing";
      if (!allows(model)) return "not-allowed";
      return target.kind === "decision" ? "decides" : "works";
    };
    const named = [...key.aliases, ...key.prefix_aliases.map(({ prefix, model }) => ({ name: `${prefix}*`, model }))];
    return named.map(({ name, model }) => ({ key, name, model, standing: standing(name, model) }));
  });
}

/** The aliases of a key, and the aliases with every typed word in their name, their model or the fields of their key. */
export function findAliases(
  aliases: readonly KeyAlias[],
  { q, key: key_id }: { readonly q: string; readonly key: string | undefined },
): readonly KeyAlias[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return aliases.filter(({ name, model, key }) => {
    const text = `${name} ${model} ${keyName(key)} ${key.id} ${key.hint}`.toLowerCase();
    return (key_id === undefined || key.id === key_id) && words.every((word) => text.includes(word));
  });
}

/** The key's aliases with one alias replaced, added (`before` null) or removed (`after` null). */
export function replaced<Named extends { readonly name: string; readonly model: string }>(
  rows: readonly Named[],
  before: string | null,
  after: Named | null,
): Named[] {
  if (before === null) return after === null ? [...rows] : [...rows, after];
  return rows.flatMap((row) => (row.name === before ? (after === null ? [] : [after]) : [row]));
}
