import type { Configuration, GatewayAliases } from "../../core/catalog/catalog.ts";

/** Every alias of the gateway by its id, prefixes with their star, and the model that it leads to. */
export function aliasEntries(aliases: GatewayAliases | undefined): [string, string][] {
  if (aliases === undefined) return [];
  return [...aliases.names, ...aliases.prefixes.map(({ prefix, model }): [string, string] => [`${prefix}*`, model])];
}

const ALIAS = /^[A-Za-z0-9._:/-]{1,128}$/;

/**
 * Checks an alias, or the prefix of a prefix alias, before it is stored on a key (docs/rulings.md 20). Returns a
 * sentence that names the mistake, or null when the alias is well formed and its target exists (docs/rulings.md 69).
 */
export function checkAlias(configuration: Configuration, name: string, model: string): string | null {
  if (!ALIAS.test(name)) {
    return `The alias ${JSON.stringify(name.slice(0, 140))} cannot be used; allowed: 1 to 128 characters of A-Z a-z 0-9 . _ : / -`;
  }
  if (!configuration.models.has(model)) {
    return `The alias ${JSON.stringify(name)} points to ${JSON.stringify(model.slice(0, 200))}, which is not in the catalog; allowed: the id of a model, not another alias.`;
  }
  return null;
}
