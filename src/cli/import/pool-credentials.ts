import { findVendorRow } from "../../catalog/vendors/vendors.ts";
import type { Deployment, ModelGroup } from "./imported.ts";

/** The credentials of a vendor at an address by which a model is served, with their weights. */
type WeightsByKey = ReadonlyMap<string, number>;

/** Credentials of one place that some model is served with at once (docs/rulings.md 180). */
export class CredentialPools {
  readonly #pools = new Map<string, WeightsByKey>();

  constructor(groups: readonly ModelGroup[]) {
    for (const { levels } of groups) for (const level of levels) this.#addAll(level);
  }

  #addAll(level: readonly Deployment[]): void {
    for (const all of Map.groupBy(level, placeAndModel).values()) {
      const [first] = all;
      const keys = weightsByKey(all);
      if (first === undefined || keys.size < 2) continue;
      this.#pools.set(placeOf(first), new Map([...keys, ...(this.#pools.get(placeOf(first)) ?? [])]));
    }
  }

  /** The deployments of a level. Those that differ only in their credential become one with all of these credentials and the sum of their weights. */
  of(level: readonly Deployment[]): readonly Deployment[] {
    return [...Map.groupBy(level, placeAndModel).values()].flatMap((all) => {
      const [first] = all;
      const pool = first === undefined ? undefined : this.#pools.get(placeOf(first));
      const keys = weightsByKey(all);
      if (first === undefined || pool === undefined || ![...keys.keys()].every((key) => pool.has(key))) return all;
      const weight = level.length === all.length ? null : [...keys.values()].reduce((sum, each) => sum + each, 0);
      const price = all.find((each) => each.price !== null)?.price ?? null;
      return [{ ...first, price, weight, api_keys: [...pool].map(([key, each]) => ({ key, weight: each })) }];
    });
  }
}

function placeOf({ vendor, address }: Deployment): string {
  return JSON.stringify([vendor, address]);
}

function placeAndModel(deployment: Deployment): string {
  return JSON.stringify([placeOf(deployment), deployment.upstream_model]);
}

function weightsByKey(deployments: readonly Deployment[]): WeightsByKey {
  const keys = new Map<string, number>();
  for (const { api_key, vendor, weight } of deployments) {
    const [usual = ""] = findVendorRow(vendor)?.api_key_env ?? [];
    const key = api_key ?? `\${${usual}}`;
    keys.set(key, (keys.get(key) ?? 0) + (weight ?? 1));
  }
  return keys;
}

/** Variables for secrets that stand in a file: one for each secret, named after its vendor. */
export class SecretVariables {
  readonly #secrets = new Map<string, string[]>();

  /** `OPENAI_API_KEY` for a vendor's first secret, `OPENAI_API_KEY_2` for its second. */
  nameFor(vendor: string, secret: string): string {
    const name = `${vendor.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}_API_KEY`;
    const secrets = this.#secrets.get(name) ?? [];
    this.#secrets.set(name, secrets);
    if (!secrets.includes(secret)) secrets.push(secret);
    const at = secrets.indexOf(secret);
    return at === 0 ? name : `${name}_${at + 1}`;
  }
}
