import type { GatewayAliases } from "../../core/catalog/catalog.ts";
import { report, type YamlPlace } from "./place.ts";
import { readText } from "./read-scalar.ts";
import { hintFor } from "./suggest.ts";

const ALIAS = /^[A-Za-z0-9._:/-]{1,128}$/;
const ALLOWED_NAME = "1 to 128 characters of A-Z a-z 0-9 . _ : / -, with a * behind them for every name that begins so";

export interface AliasTargets {
  readonly offered: { has(id: string): boolean; keys(): Iterable<string> };
  readonly retired: { has(id: string): boolean };
  /** Models that are left out for the time being: an alias to one waits for it. */
  readonly withheld: { has(id: string): boolean };
}

/** Reads aliases for every key (docs/rulings.md 20): name or prefix, and the id of a model. Null where there are none. */
export function readAliases(
  entries: Iterable<readonly [string, YamlPlace]>,
  targets: AliasTargets,
): GatewayAliases | null {
  const names = new Map<string, string>();
  const prefixes: { prefix: string; model: string }[] = [];
  for (const [name, place] of entries) {
    const model = readTarget(name, place, targets);
    if (model === null) continue;
    if (name.endsWith("*")) prefixes.push({ prefix: name.slice(0, -1), model });
    else names.set(name, model);
  }
  if (names.size === 0 && prefixes.length === 0) return null;
  return { names, prefixes: prefixes.toSorted((one, other) => other.prefix.length - one.prefix.length) };
}

function readTarget(name: string, place: YamlPlace, { offered, retired, withheld }: AliasTargets): string | null {
  if (!ALIAS.test(name.replace(/\*$/, ""))) return report(place, ALLOWED_NAME, `the alias ${JSON.stringify(name)}`);
  if (offered.has(name)) {
    return report(
      place,
      "a name that no model has, as a model's own id comes first",
      `an alias with the id of a model`,
    );
  }
  const allowed = "the id of a model, not another alias";
  const model = readText(place, allowed);
  if (model === null || offered.has(model) || withheld.has(model)) return model;
  if (retired.has(model))
    return report(place, "a model that takes calls", `${JSON.stringify(model)}, which is retired`);
  const hint = hintFor(model, [...offered.keys()]);
  return report(place, allowed, `the unknown model ${JSON.stringify(model)}${hint}`);
}
