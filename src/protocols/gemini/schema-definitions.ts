import { isObject } from "../../core/json.ts";
import { localTarget } from "../shared/json-pointer.ts";

export type Schema = Readonly<Record<string, unknown>>;

/** Keywords whose value is a schema, a list of schemas, or a map of them. */
export const ONE: ReadonlySet<string> = new Set([
  ...["items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"],
]);
export const LISTS: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
export const MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas"]);

/** The schemas right inside a schema, without its definitions. */
export function* schemasIn(node: Schema): Generator<unknown> {
  for (const [keyword, value] of Object.entries(node)) {
    if (ONE.has(keyword) && !Array.isArray(value)) yield value;
    else if ((ONE.has(keyword) || LISTS.has(keyword)) && Array.isArray(value)) yield* value;
    else if (MAPS.has(keyword) && typeof value === "object" && value !== null) yield* Object.values(value);
  }
}

/** A schema that references name, and its name among the definitions of the root. */
export interface Definition {
  readonly name: string;
}

/** What the references of a schema name. */
export interface Definitions {
  /** By the schema itself. */
  readonly definitions: ReadonlyMap<unknown, Definition>;
  /** By the schema that holds the reference; absent for references to what is not there. */
  readonly targets: ReadonlyMap<Schema, unknown>;
}

const PLAIN_NAME = /^[A-Za-z_][\w.-]*$/;

/** Follows each reference once. A target under `$defs` keeps its name; others get a new one. */
export function definitionsOf(root: Schema): Definitions {
  const definitions = new Map<unknown, Definition>();
  const targets = new Map<Schema, unknown>();
  const named = new Map<unknown, string>();
  for (const section of [root.definitions, root.$defs])
    for (const [name, schema] of isObject(section) ? Object.entries(section) : [])
      if (isObject(schema) && PLAIN_NAME.test(name)) named.set(schema, name);
  const taken = new Set<string>();
  const waiting: unknown[] = [root];
  const seen = new Set<unknown>(waiting);
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!isObject(node)) continue;
    const found = [...schemasIn(node)];
    if (typeof node.$ref === "string") {
      const target = localTarget(root, node.$ref);
      if (isObject(target)) {
        targets.set(node, target);
        if (!definitions.has(target)) definitions.set(target, { name: freeName(named.get(target), taken) });
        found.push(target);
      }
    }
    for (const each of found) {
      if (!isObject(each) || seen.has(each)) continue;
      seen.add(each);
      waiting.push(each);
    }
  }
  return { definitions, targets };
}

function freeName(wanted: string | undefined, taken: Set<string>): string {
  let name = wanted ?? `definition_${taken.size + 1}`;
  while (taken.has(name)) name += "_";
  taken.add(name);
  return name;
}

/**
 * The number of the cycle that each definition is in; absent for those in none. Definitions of one cycle lead to each
 * other. Without recursion: a chain of definitions may be as long as the request (Tarjan's algorithm).
 */
export function cyclesOf(
  definitions: ReadonlyMap<unknown, Definition>,
  targets: ReadonlyMap<Schema, unknown>,
): ReadonlyMap<unknown, number> {
  const cycles = new Map<unknown, number>();
  const order = new Map<unknown, number>();
  const lowest = new Map<unknown, number>();
  const open: unknown[] = [];
  const is_open = new Set<unknown>();
  const edges = (from: unknown) => referencesIn(from, definitions, targets);
  for (const start of definitions.keys()) {
    if (order.has(start)) continue;
    const path = [enter(start)];
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const next = step.edges[step.at];
      step.at += 1;
      if (next === undefined) {
        path.pop();
        leave(step.node, step.edges);
        const from = path.at(-1);
        if (from !== undefined) lower(from.node, lowest.get(step.node));
      } else if (!order.has(next)) path.push(enter(next));
      else if (is_open.has(next)) lower(step.node, order.get(next));
    }
  }
  return cycles;

  function enter(node: unknown) {
    order.set(node, order.size);
    lowest.set(node, order.size - 1);
    open.push(node);
    is_open.add(node);
    return { node, edges: edges(node), at: 0 };
  }

  function lower(node: unknown, to = Number.POSITIVE_INFINITY): void {
    lowest.set(node, Math.min(lowest.get(node) ?? to, to));
  }

  function leave(node: unknown, its_edges: readonly unknown[]): void {
    if (lowest.get(node) !== order.get(node)) return;
    const members = open.splice(open.lastIndexOf(node));
    for (const member of members) {
      is_open.delete(member);
      if (members.length > 1 || its_edges.includes(node)) cycles.set(member, order.get(node) ?? 0);
    }
  }
}

/** The definitions that one definition refers to, or holds. */
function referencesIn(
  from: unknown,
  definitions: ReadonlyMap<unknown, Definition>,
  targets: ReadonlyMap<Schema, unknown>,
): readonly unknown[] {
  const found = new Set<unknown>();
  const waiting: unknown[] = [from];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!isObject(node)) continue;
    if (node !== from && definitions.has(node)) {
      found.add(node);
      continue;
    }
    if (targets.has(node)) found.add(targets.get(node));
    for (const each of schemasIn(node)) waiting.push(each);
  }
  return [...found];
}
