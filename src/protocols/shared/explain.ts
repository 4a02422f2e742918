import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { describe, isObject } from "../../core/json.ts";

/** The first value in a body that contradicts the schema, as deep in the body as can be determined. */
export interface BodyProblem {
  /** Keys and indexes from the body to the place; empty for the body itself. */
  readonly steps: readonly (string | number)[];
  /** `steps` as text: `messages[2].content[0].type`. */
  readonly path: string;
  /** The value at the place, in words; `nothing` for a missing member. */
  readonly found: string;
  /** The allowed values at the place, in words. */
  readonly allowed: string;
  /** The value at the place, undefined when it is missing. */
  readonly value: unknown;
}

/** The way to a value: names of members and places in lists. */
export type PathSteps = readonly (string | number)[];

/** The parts of JSON Schema that the wire schemas use. */
interface Node {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

/** Members whose values distinguish the branches of a union, in this order. */
const DISCRIMINATORS = ["type", "role"] as const;

/**
 * Why a body contradicts a schema, or null when it does not. Exact; runs after a compiled check said no. The parts of
 * lists and unions that agree with their schemas are passed over by compiled checks too, so that a list of which only the
 * last item is wrong takes no longer to explain than to check.
 */
export function explain(schema: TSchema, body: unknown): BodyProblem | null {
  return look(schema as Node, body, []);
}

/** The compiled checks of the schemas' parts, made when a part is first looked at. */
const checks = new WeakMap<Node, Validator>();

function agrees(schema: Node, value: unknown): boolean {
  let check = checks.get(schema);
  if (check === undefined) {
    check = Compile(schema as TSchema);
    checks.set(schema, check);
  }
  return check.Check(value);
}

function look(schema: Node, value: unknown, steps: PathSteps): BodyProblem | null {
  if (schema.anyOf !== undefined) {
    return agrees(schema, value) ? null : lookAtUnion(schema.anyOf, value, steps);
  }
  if (!matchesType(schema, value)) return problem(schema, value, steps);
  if (isObject(value)) return lookInsideObject(schema, value, steps);
  const { items } = schema;
  if (!Array.isArray(value) || items === undefined) return null;
  const wrong = value.findIndex((item) => !agrees(items, item));
  return wrong === -1 ? null : look(items, value[wrong], [...steps, wrong]);
}

function lookInsideObject(schema: Node, value: Record<string, unknown>, steps: PathSteps): BodyProblem | null {
  const properties = Object.entries(schema.properties ?? {});
  // The discriminators first: a wrong discriminator often causes the other problems.
  properties.sort(([a], [b]) => rank(a) - rank(b));
  for (const [key, member] of properties) {
    const present = Object.hasOwn(value, key);
    if (!present && !schema.required?.includes(key)) continue;
    const found = present ? look(member, value[key], [...steps, key]) : problem(member, undefined, [...steps, key]);
    if (found !== null) return found;
  }
  const others = Object.values(schema.patternProperties ?? {})[0];
  if (others === undefined) return null;
  const wrong = Object.keys(value).find((key) => !agrees(others, value[key]));
  return wrong === undefined ? null : look(others, value[wrong], [...steps, wrong]);
}

function rank(key: string): number {
  const at = (DISCRIMINATORS as readonly string[]).indexOf(key);
  return at === -1 ? DISCRIMINATORS.length : at;
}

/**
 * Explains a value by the branches of a union that it was probably meant for: those of its JSON type, and among objects
 * those with its discriminator. The problem names only these branches.
 */
function lookAtUnion(branches: readonly Node[], value: unknown, steps: PathSteps): BodyProblem | null {
  const flat = branches.flatMap((branch) => branch.anyOf ?? [branch]);
  const meant = flat.filter((branch) => branch.type === jsonType(value) && branch.const === undefined);
  if (meant.length === 0) return problem({ anyOf: flat }, value, steps);
  if (isObject(value) && meant.length > 1) return lookByDiscriminator(meant, value, steps);
  return look(meant[0] as Node, value, steps) ?? problem({ anyOf: flat }, value, steps);
}

function lookByDiscriminator(
  branches: readonly Node[],
  value: Record<string, unknown>,
  steps: PathSteps,
): BodyProblem | null {
  for (const key of DISCRIMINATORS) {
    const named = branches.filter((branch) => branch.properties?.[key] !== undefined);
    if (named.length < branches.length) continue;
    const meant = named.filter((branch) => look(branch.properties?.[key] as Node, value[key], steps) === null);
    if (meant.length > 0) return look(meant[0] as Node, value, steps);
    return problem({ anyOf: named.map((branch) => branch.properties?.[key] as Node) }, value[key], [...steps, key]);
  }
  return deepest(branches.map((branch) => look(branch, value, steps)));
}

function deepest(problems: readonly (BodyProblem | null)[]): BodyProblem | null {
  let best: BodyProblem | null = null;
  for (const found of problems)
    if (found !== null && (best === null || found.steps.length > best.steps.length)) best = found;
  return best;
}

function jsonType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Whether a value matches a schema, apart from the value's own members and items. */
function matchesType(schema: Node, value: unknown): boolean {
  if (schema.const !== undefined) return value === schema.const;
  if (schema.enum !== undefined) return schema.enum.includes(value);
  switch (schema.type) {
    case undefined:
      return true;
    case "integer":
      return Number.isInteger(value) && inRange(schema, value as number);
    case "number":
      // JSON has numbers that a double does not hold, such as 1e400.
      return typeof value === "number" && Number.isFinite(value) && inRange(schema, value);
    case "string":
      return typeof value === "string" && isBetween(charactersOf(value, schema), schema.minLength, schema.maxLength);
    case "array":
      return Array.isArray(value) && isBetween(value.length, schema.minItems, schema.maxItems);
    default:
      return jsonType(value) === schema.type;
  }
}

/** The length of a text in characters, counted only where a schema limits it. */
function charactersOf(text: string, { minLength, maxLength }: Node): number {
  if (minLength === undefined && maxLength === undefined) return 0;
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters;
}

function inRange(schema: Node, value: number): boolean {
  if (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum) return false;
  return isBetween(value, schema.minimum, schema.maximum);
}

function isBetween(size: number, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): boolean {
  return size >= least && size <= most;
}

function problem(schema: Node, value: unknown, steps: PathSteps): BodyProblem {
  const is_empty = Array.isArray(value) && value.length === 0;
  const found = is_empty ? "an empty array" : describe(value);
  return { steps, path: pathOf(steps), found, allowed: listed([...new Set(inWords(schema))]), value };
}

/** `messages[2].content[0].type`; a key that is no plain name is quoted. */
export function pathOf(steps: PathSteps): string {
  let path = "";
  for (const step of steps) {
    if (typeof step === "number") path += `[${step}]`;
    else if (!/^[A-Za-z_$][\w$-]*$/.test(step)) path += `[${JSON.stringify(step)}]`;
    else path += path === "" ? step : `.${step}`;
  }
  return path;
}

/** Each kind of value that a schema allows, in words. */
function inWords(schema: Node): readonly string[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(inWords);
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value));
  switch (schema.type) {
    case "string":
      return [`a string${limits(schema.minLength, schema.maxLength, " characters")}`];
    case "number":
      return [`a number${limits(schema.minimum, schema.maximum, "")}`];
    case "integer":
      return [`a whole number${limits(schema.minimum, schema.maximum, "")}`];
    case "boolean":
      return ["true", "false"];
    case "array":
      return [`an array${limits(schema.minItems, schema.maxItems, " items")}`];
    case "object":
      return ["an object"];
    case "null":
      return ["null"];
    default:
      return ["any value"];
  }
}

function limits(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined) return most === undefined ? "" : ` of at most ${most}${unit}`;
  return most === undefined
    ? ` of at least ${least}${least === 1 ? unit.replace(/s$/, "") : unit}`
    : ` of ${least} to ${most}${unit}`;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? "nothing") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
