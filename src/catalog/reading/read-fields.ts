import { isMap, isScalar, isSeq, type Node } from "yaml";
import { isEmpty, placeInside, report, type YamlPlace } from "./place.ts";
import { suggest } from "./suggest.ts";

/** A map with a known set of keys: gives the place of each key's value. */
export interface YamlFields<Key extends string> {
  readonly place: YamlPlace;
  /** The place of a key's value; null when the key is absent or nothing is written there. */
  get(key: Key): YamlPlace | null;
  /** The place of a key's value; an absent key is reported as a problem. */
  require(key: Key, allowed: string): YamlPlace | null;
  /** Reports that a key is missing, unless the key is there in a wrong spelling, which was reported already. */
  reportMissing(key: Key, allowed: string): null;
}

/**
 * Reads a map with these keys and no others. Null for an absent place, and, with the problem reported, when the value is no map; so do
 * the readers of entries and lists.
 */
export function readFields<const Key extends string>(
  place: YamlPlace | null,
  keys: readonly Key[],
): YamlFields<Key> | null {
  const entries = readEntries(place, `a map with ${keys.join(", ")}`);
  if (place === null || entries === null) return null;
  const found = new Map<string, YamlPlace>();
  const misspelt = new Set<string | null>();
  for (const [key, value] of entries) {
    if ((keys as readonly string[]).includes(key)) found.set(key, value);
    else misspelt.add(reportUnknown(value, key, keys));
  }
  const get = (key: Key): YamlPlace | null => {
    const value = found.get(key);
    return value === undefined || isEmpty(value.node) ? null : value;
  };
  const reportIfMissing = (key: Key, allowed: string) =>
    misspelt.has(key) ? null : reportMissing(place, key, allowed);
  return {
    place,
    get,
    require: (key, allowed) => get(key) ?? reportIfMissing(key, allowed),
    reportMissing: reportIfMissing,
  };
}

/** Reports an unknown key; returns the known key that was most likely meant, or null. */
function reportUnknown(value: YamlPlace, key: string, keys: readonly string[]): string | null {
  const meant = suggest(key, keys);
  const hint = meant === null ? "" : ` (did you mean ${JSON.stringify(meant)}?)`;
  report(value, keys.join(", "), `the unknown key ${JSON.stringify(key)}${hint}`);
  return meant;
}

/** Reports that a required key is missing, at the line of the map that requires it. */
export function reportMissing(place: YamlPlace, key: string, allowed: string): null {
  const path = place.path === "" ? key : `${place.path}.${key}`;
  return report({ ...place, path }, allowed, "nothing");
}

/** Reads a map whose keys are names that the file chooses. An empty value is an empty map. */
export function readEntries(place: YamlPlace | null, allowed: string): [string, YamlPlace][] | null {
  if (place === null) return null;
  if (isEmpty(place.node)) return [];
  if (!isMap(place.node)) return report(place, allowed);
  const entries = new Map<string, YamlPlace>();
  for (const { key, value } of place.node.items) {
    const key_node = isNode(key) ? place.source.resolve(key) : null;
    const name = isScalar(key_node) ? String(key_node.value) : null;
    const inside = placeInside(place, name ?? "?", isNode(value) ? value : null, isNode(key) ? key : null);
    if (name === null) report(inside, "a plain text as key", "a key that is a map or a list");
    else if (entries.has(name)) reportRepeated(inside, name, entries.get(name)?.line);
    else entries.set(name, inside);
  }
  return [...entries];
}

function reportRepeated(place: YamlPlace, name: string, first_line: number | undefined): void {
  report(place, "each key once", `the key ${JSON.stringify(name)} a second time (first in line ${first_line})`);
}

/** The elements of a list. Null, with the problem reported, when the value is no list, or is empty and must not be. */
export function readList(
  place: YamlPlace | null,
  allowed: string,
  empty: "may-be-empty" | "not-empty" = "not-empty",
): YamlPlace[] | null {
  if (place === null) return null;
  if (!isSeq(place.node)) return report(place, allowed);
  if (place.node.items.length === 0 && empty === "not-empty") return report(place, allowed, "an empty list");
  return place.node.items.map((item, index) => placeInside(place, `[${index}]`, isNode(item) ? item : null, null));
}

export function isList(place: YamlPlace): boolean {
  return isSeq(place.node);
}

export function isMapping(place: YamlPlace): boolean {
  return isMap(place.node);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null;
}

/** The values of the places that are there, by name, each read by `read`; null where one of them is wrong. */
export function readEach<Name extends string, Value>(
  places: Iterable<readonly [Name, YamlPlace | null]>,
  read: (place: YamlPlace, name: Name) => Value | null,
): EachRead<Name, Value> | null {
  const values: Partial<Record<Name, Value>> = {};
  let is_right = true;
  for (const [name, place] of places) {
    const value = place === null ? undefined : read(place, name);
    if (value === null) is_right = false;
    else if (value !== undefined) values[name] = value;
  }
  return is_right ? (values as EachRead<Name, Value>) : null;
}

/** Names that the file chooses are all there; those of a known set may be left out. */
type EachRead<Name extends string, Value> = string extends Name ? Record<string, Value> : Partial<Record<Name, Value>>;
