import { nameKey } from "../../catalog/configuration/element-layer.ts";
import { MASKED } from "../../catalog/configuration/element-value.ts";
import { withGivenCredentials } from "../../catalog/configuration/given-credential.ts";
import { fileElements } from "../../catalog/elements/file-elements.ts";
import { effectiveValue } from "../../catalog/elements/write-elements.ts";
import { aliasEntries } from "../../catalog/names/aliases.ts";
import { formatProblem, type Problem } from "../../catalog/reading/problem.ts";
import type { Configuration } from "../../core/catalog/catalog.ts";
import {
  ELEMENT_KINDS,
  type ElementName,
  type ElementValue,
  type ElementVersion,
} from "../../core/catalog/configuration-elements.ts";
import { isObject } from "../../core/json.ts";
import type { ConfigurationElements } from "./configuration-elements.ts";

/** An element of the file or the bundled catalogue, below an element of the database. */
export interface Below {
  readonly origin: "file" | "bundled";
  /** The value that is written there, with secrets masked; of the bundled catalogue, the whole element. */
  readonly value: ElementValue;
}

/** An element as people see it. */
export interface ElementView extends ElementName {
  readonly name: string | null;
  readonly origin: "file" | "bundled" | "console";
  readonly status: "in_force" | "retired" | "left_out" | "deleted";
  readonly version: number;
  /** The newest version of an element of the console; null for others. */
  readonly changed: ElementVersion | null;
  readonly below: Below | null;
  readonly problem: string | null;
}

/** The configuration at one moment, and its parts. */
export interface Views {
  readonly current: Configuration;
  /** Every element that is in force, retired, left out, or below one, by `nameKey`; those that are deleted are not. */
  readonly names: ReadonlyMap<string, ElementName>;
  find(name: ElementName): ElementView | null;
  below(name: ElementName): Below | null;
}

/** The only element of the kind `limits`. */
export const LIMITS: ElementName = { kind: "limits", id: "default" };

export function viewsOf(elements: ConfigurationElements): Views {
  const { base, versions, left_out } = elements.state;
  const { current, sources } = elements.vendors;
  const alone = withGivenCredentials(base, sources.given);
  const file = fileElements(base.input);
  const below = (name: ElementName): Below | null => {
    const written = file.get(nameKey(name));
    if (written !== undefined) return { origin: "file", value: written.value };
    const value = shownValue(effectiveValue(alone, name), null);
    return value === null ? null : { origin: "bundled", value };
  };
  const find = (name: ElementName): ElementView | null => {
    const key = nameKey(name);
    const newest = versions.get(key) ?? null;
    const under = below(name);
    const plain = { ...name, name: null, version: newest?.version ?? 0, changed: newest, below: null, problem: null };
    const shown = newest?.value ?? under?.value ?? null;
    const label = shown === null ? null : labelOf(effectiveValue(current, name) ?? shown);
    const status = isRetired(current, name) ? "retired" : "in_force";
    if (newest !== null && newest.value !== null) {
      const of_console = { ...plain, name: label, origin: "console", below: under } as const;
      const problems = left_out.get(key);
      if (problems === undefined) return { ...of_console, status };
      return { ...of_console, status: "left_out", problem: problems.map(messageOf).join("\n") };
    }
    if (under !== null) return { ...plain, name: label, origin: under.origin, status, changed: null };
    return newest === null ? null : { ...plain, origin: "console", status: "deleted" };
  };
  const named = [...file.values(), ...namesIn(alone), ...[...versions.values()].filter(({ value }) => value !== null)];
  return { current, names: new Map(named.map(({ kind, id }) => [nameKey({ kind, id }), { kind, id }])), find, below };
}

/** Elements in the order of lists: by kind, then id. */
export function inOrder(one: ElementName, other: ElementName): number {
  const [first, second] = [ELEMENT_KINDS.indexOf(one.kind), ELEMENT_KINDS.indexOf(other.kind)];
  if (first !== second) return first - second;
  return one.id === other.id ? 0 : one.id < other.id ? -1 : 1;
}

function namesIn({ vendors, models, retired, aliases }: Configuration): ElementName[] {
  return [
    ...[...vendors.keys()].map((id) => ({ kind: "vendor", id }) as const),
    ...[...models.keys(), ...(retired?.keys() ?? [])].map((id) => ({ kind: "model", id }) as const),
    ...aliasEntries(aliases).map(([id]) => ({ kind: "alias", id }) as const),
    LIMITS,
  ];
}

function isRetired({ retired }: Configuration, { kind, id }: ElementName): boolean {
  return kind === "model" && retired?.has(id) === true;
}

function labelOf(value: ElementValue): string | null {
  if (typeof value === "string") return value;
  const label = value.display_name ?? value.name;
  return typeof label === "string" ? label : null;
}

/** A problem in a sentence, without the name of the document, as an element has none. */
export function messageOf(problem: Problem): string {
  return formatProblem(problem).replace(/^console: /, "");
}

/** The effective value of an element, for people: headers are shown where the database's own element has them. */
export function shownValue(value: ElementValue | null, own: ElementValue | null): ElementValue | null {
  if (value === null || typeof value === "string" || !isObject(value.headers)) return value;
  const written = own !== null && typeof own !== "string" && isObject(own.headers) ? Object.keys(own.headers) : [];
  const shown = new Set(written.map((name) => name.toLowerCase()));
  const headers = Object.entries(value.headers).map(([name, text]) => [name, shown.has(name) ? text : MASKED]);
  return { ...value, headers: Object.fromEntries(headers) };
}

export function inForce(current: Configuration, name: ElementName, own: ElementValue | null): ElementValue | null {
  return shownValue(effectiveValue(current, name), own);
}
