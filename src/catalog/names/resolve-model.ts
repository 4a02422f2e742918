import type { Configuration, GatewayAliases, Model } from "../../core/catalog/catalog.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import { type KeyView, usableModel, viewOf } from "./key-view.ts";

/** The model that a name stands for. */
export interface ResolvedModel {
  readonly model: Model;
  /** The requested name, when it is an alias; null when it is the model's own id. */
  readonly alias: string | null;
}

/**
 * A model by its id, by an alias of the key or by a prefix alias; null when the key may use no such model. A real id
 * wins over every alias, an alias of the key over the gateway's, an exact alias over prefixes, a longer prefix over a shorter one. An alias leads to a model,
 * never to another alias (docs/rulings.md 20). A model that the key may not use is treated as missing (17).
 */
export function resolveModel(configuration: Configuration, key: KeyRecord, name: string): ResolvedModel | null {
  const view = viewOf(key);
  const named = configuration.models.get(name);
  if (named !== undefined) return view.allows(named) ? { model: named, alias: null } : null;
  const trail = followName(configuration, view, name);
  const model = trail === null ? null : usableModel(configuration, view, trail.target);
  return model === null ? null : { model, alias: name };
}

/**
 * The path from a name to a target id. The target may be missing or forbidden for the key: `resolveModel` checks that.
 */
export interface NameTrail {
  readonly rule: "id" | "alias" | "prefix-alias";
  /** The owner of the followed alias; null where no alias was followed. */
  readonly of: "key" | "gateway" | null;
  /** The alias or the prefix that was followed; the id itself when no alias was followed. */
  readonly via: string;
  readonly target: string;
}

/** Follows a name through the key's aliases, then the gateway's; null when the name is neither an id nor covered by an alias. */
export function followName(configuration: Configuration, view: KeyView, name: string): NameTrail | null {
  if (configuration.models.has(name)) return { rule: "id", of: null, via: name, target: name };
  const target = view.aliases.get(name);
  if (target !== undefined) return { rule: "alias", of: "key", via: name, target };
  if (name.length > LONGEST_NAME || !isStorable(name)) return null;
  const covering = view.prefix_aliases.find(({ prefix }) => name.startsWith(prefix));
  if (covering !== undefined) return { rule: "prefix-alias", of: "key", via: covering.prefix, target: covering.model };
  return configuration.aliases === undefined ? null : followGatewayAlias(configuration.aliases, name);
}

function followGatewayAlias({ names, prefixes }: GatewayAliases, name: string): NameTrail | null {
  const target = names.get(name);
  if (target !== undefined) return { rule: "alias", of: "gateway", via: name, target };
  const covering = prefixes.find(({ prefix }) => name.startsWith(prefix));
  if (covering === undefined) return null;
  return { rule: "prefix-alias", of: "gateway", via: covering.prefix, target: covering.model };
}

/** Whether the name is text that every database stores: well-formed, without control characters. */
function isStorable(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  return name.isWellFormed() && !/[\0-\x1f\x7f]/.test(name);
}

/**
 * Longer than any id or alias. Names that a prefix alias covers are recorded on receipts, so their length needs a
 * limit.
 */
const LONGEST_NAME = 256;
