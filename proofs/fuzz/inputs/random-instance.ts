import { isObject } from "../../../src/core/json.ts";
import type { Draw } from "../../torture/draw.ts";

/** Values that a JSON schema describes, drawn at random: the grammar of requests is the OpenAPI document's schemas. */

export interface InstanceOptions {
  /** What `$ref` is resolved in. */
  readonly document: unknown;
  /** How often a member that may be absent is there. */
  readonly optional_share?: number;
}

type Schema = Readonly<Record<string, unknown>>;

const MOST_DEPTH = 7;
const WORDS = [
  "hello",
  "Say one two three.",
  "漢字",
  "",
  "a b",
  "x",
  "What is the tide at Brest?",
  "😀",
  'é\n"quoted"',
];

export function randomInstance(schema: unknown, draw: Draw, options: InstanceOptions, depth = 0): unknown {
  if (!isObject(schema)) return draw.one(["anything", 1, null, {}, []]);
  const resolved = resolve(schema, options.document);
  if ("const" in resolved) return resolved.const;
  const alternatives = listOf(resolved.enum);
  if (alternatives.length > 0) return draw.one(alternatives);
  const branches = [...listOf(resolved.anyOf), ...listOf(resolved.oneOf)];
  if (branches.length > 0) return randomInstance(draw.one(branches), draw, options, depth + 1);
  const parts = listOf(resolved.allOf);
  if (parts.length > 0)
    return Object.assign(
      {},
      ...parts.map((part) => randomInstance(part, draw, options, depth + 1)),
      ownOf(resolved, draw, options, depth),
    );
  return ownOf(resolved, draw, options, depth);
}

function ownOf(schema: Schema, draw: Draw, options: InstanceOptions, depth: number): unknown {
  const { type } = schema;
  const named = Array.isArray(type) ? draw.one(type) : type;
  switch (named) {
    case "string":
      return textFor(schema, draw);
    case "integer":
      return draw.whole(
        boundOf(schema.minimum, 0),
        Math.min(boundOf(schema.maximum, 4000), boundOf(schema.minimum, 0) + 4000),
      );
    case "number":
      return boundOf(schema.minimum, 0) + draw.fraction() * (boundOf(schema.maximum, 2) - boundOf(schema.minimum, 0));
    case "boolean":
      return draw.chance(0.5);
    case "null":
      return null;
    case "array":
      return arrayFor(schema, draw, options, depth);
    default:
      return isObject(schema.properties) || named === "object"
        ? objectFor(schema, draw, options, depth)
        : draw.one(["any", 1, true, null]);
  }
}

function textFor({ minLength, pattern }: Schema, draw: Draw): string {
  if (typeof pattern === "string")
    return draw.one(["call_1", "abc-1", "2023-06-01", "cm-1", "data:image/png;base64,AAAA"]);
  const text = draw.one(WORDS);
  return text.length < boundOf(minLength, 0) ? text.padEnd(boundOf(minLength, 0), "x") : text;
}

function arrayFor(schema: Schema, draw: Draw, options: InstanceOptions, depth: number): unknown[] {
  const least = boundOf(schema.minItems, depth > MOST_DEPTH ? 0 : draw.whole(0, 1));
  const length = depth > MOST_DEPTH ? least : least + draw.whole(0, 2);
  return Array.from({ length }, () => randomInstance(schema.items, draw, options, depth + 1));
}

function objectFor(schema: Schema, draw: Draw, options: InstanceOptions, depth: number): Record<string, unknown> {
  const required = new Set(listOf(schema.required));
  const share = depth > MOST_DEPTH ? 0 : (options.optional_share ?? 0.3);
  const made: Record<string, unknown> = {};
  const properties = isObject(schema.properties) ? schema.properties : {};
  for (const [name, held] of Object.entries(properties))
    if (required.has(name) || draw.chance(share)) made[name] = randomInstance(held, draw, options, depth + 1);
  const more =
    schema.additionalProperties ?? Object.values(isObject(schema.patternProperties) ? schema.patternProperties : {})[0];
  if (isObject(more))
    for (let at = draw.whole(1, 2); at > 0; at -= 1)
      made[`name_${at}`] = randomInstance(more, draw, options, depth + 1);
  return made;
}

function resolve(schema: Schema, document: unknown): Schema {
  let found: unknown = schema;
  for (let steps = 0; steps < 10 && isObject(found) && typeof found.$ref === "string"; steps += 1)
    found = found.$ref
      .split("/")
      .slice(1)
      .reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), document);
  return isObject(found) ? found : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function boundOf(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}
