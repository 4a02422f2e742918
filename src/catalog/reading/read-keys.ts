import type { VendorKey } from "../../core/catalog/catalog.ts";
import { isSendable, UNSENDABLE } from "./header-value.ts";
import { report, type YamlPlace } from "./place.ts";
import { readFields, readList } from "./read-fields.ts";
import { readText, readWeight } from "./read-scalar.ts";
import { readVendorLimits } from "./read-vendor-limits.ts";

/** More than any vendor's several credentials. */
export const MOST_KEYS = 100;
export const KEY_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;
export const KEY_NAME_RULE = "a name of 1 to 40 letters, digits, dots, hyphens and underscores";

/** The name of a credential that was given without one, by its position, from 0. */
export function usualKeyName(index: number): string {
  return `key-${index + 1}`;
}

/** Reads the several credentials of a vendor (docs/rulings.md 180). Null, with the problems reported, where they cannot be used. */
export function readKeys(place: YamlPlace): VendorKey[] | null {
  const items = readList(place, "a list of credentials, each with its key");
  if (items === null) return null;
  if (items.length > MOST_KEYS) return report(place, `at most ${MOST_KEYS} credentials`, `${items.length} credentials`);
  const keys = items.map(readKey);
  const names = new Set<string>();
  for (const [index, key] of keys.entries()) {
    if (key === null) continue;
    if (names.has(key.name))
      report(items[index] as YamlPlace, "each name once", `the name ${JSON.stringify(key.name)} again`);
    names.add(key.name);
  }
  const read = keys.filter((key) => key !== null);
  return read.length === items.length ? read : null;
}

function readKey(place: YamlPlace, index: number): VendorKey | null {
  const fields = readFields(place, ["key", "name", "weight", "limits"]);
  if (fields === null) return null;
  const allowed = "a credential, such as ${ACME_API_KEY}";
  const key_place = fields.require("key", allowed);
  const api_key = readText(key_place, allowed);
  if (key_place === null || api_key === null) return null;
  // The JSON of a service account's key is exchanged, and no header carries it.
  if (!api_key.trimStart().startsWith("{") && !isSendable(api_key)) return report(key_place, allowed, UNSENDABLE);
  const name_place = fields.get("name");
  const name = readText(name_place, KEY_NAME_RULE) ?? usualKeyName(index);
  if (name_place !== null && !KEY_NAME.test(name)) return report(name_place, KEY_NAME_RULE);
  const limits = readVendorLimits(fields.get("limits"));
  return { name, api_key, weight: readWeight(fields.get("weight")) ?? 1, ...(limits !== null && { limits }) };
}
