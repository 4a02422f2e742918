import { isObject, type JsonRecord } from "../../core/json.ts";
import { localTarget } from "./json-pointer.ts";

/** What vendors refuse at the root of a tool's schema, each in an object with everything else of the schema. */
const REFUSED_AT_ROOT = ["anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref"] as const;

/** So many levels of alternatives and references are followed; what is below them constrains nothing. */
const MOST_LEVELS = 64;
/** So many members and alternatives are looked at: references can make few bytes mean very much. */
const MOST_STEPS = 200_000;

/** The schema of an object, or why there is none: vendors take no other arguments. */
export type ObjectSchema =
  | { readonly schema: JsonRecord }
  | { readonly fault: "is no object" | "refers to itself too often" };

/**
 * A tool's schema as vendors take it: an object without alternatives at its root, as Anthropic, Amazon and OpenAI demand
 * (docs/rulings.md 196). The members of all alternatives are members of the object; required is what all of them
 * require; what distinguishes them is told in the description. The given schema where nothing has to change.
 */
export function objectSchema(schema: JsonRecord): ObjectSchema {
  if (!REFUSED_AT_ROOT.some((keyword) => keyword in schema)) {
    if (schema.type === "object") return { schema };
    if (!mayBeObject(schema)) return { fault: "is no object" };
    return { schema: { ...schema, type: "object" } };
  }
  const merging = new Merging(schema);
  const shape = merging.shapeOf(schema, 0);
  if (merging.steps > MOST_STEPS) return { fault: "refers to itself too often" };
  return shape === null ? { fault: "is no object" } : { schema: written(schema, shape, merging) };
}

function mayBeObject({ type }: JsonRecord): boolean {
  return type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
}

function written(schema: JsonRecord, { members, required, is_closed }: Shape, merging: Merging): JsonRecord {
  const kept = Object.entries(schema).filter(([keyword]) => !REFUSED_AT_ROOT.some((refused) => refused === keyword));
  const told = [...merging.told, ...tellLimits(schema)];
  const description = [schema.description, ...told].filter((text) => typeof text === "string" && text !== "");
  return {
    ...Object.fromEntries(kept),
    type: "object",
    ...(description.length > 0 && { description: description.join("\n\n") }),
    properties: Object.fromEntries([...members].map(([name, forms]) => [name, oneForm(forms)])),
    ...(required.size > 0 && { required: [...required] }),
    ...(is_closed && { additionalProperties: false }),
  };
}

function tellLimits(schema: JsonRecord): string[] {
  const limits: readonly (readonly [string, string])[] = [
    ["not", "The arguments must not fit this schema"],
    ["enum", "The arguments are one of these"],
    ["const", "The arguments are exactly these"],
  ];
  return limits.flatMap(([keyword, words]) =>
    keyword in schema ? [`${words}: ${JSON.stringify(schema[keyword])}`] : [],
  );
}

interface Shape {
  readonly members: ReadonlyMap<string, readonly unknown[]>;
  readonly required: ReadonlySet<string>;
  readonly is_closed: boolean;
}

const ANYTHING: Shape = { members: new Map(), required: new Set(), is_closed: false };

class Merging {
  steps = 0;
  /** Sentences about the alternatives. */
  readonly told: string[] = [];
  readonly #root: JsonRecord;
  readonly #texts = new Map<unknown, string>();

  constructor(root: JsonRecord) {
    this.#root = root;
  }

  /** Null for what cannot be an object. */
  shapeOf(node: unknown, level: number): Shape | null {
    this.steps += 1;
    if (node === false) return null;
    if (!isObject(node) || level > MOST_LEVELS || this.steps > MOST_STEPS) return ANYTHING;
    if (!mayBeObject(node)) return null;
    const parts: (Shape | null)[] = [this.#own(node)];
    if (typeof node.$ref === "string") parts.push(this.shapeOf(localTarget(this.#root, node.$ref), level + 1));
    for (const part of listOf(node.allOf)) parts.push(this.shapeOf(part, level + 1));
    for (const keyword of ["anyOf", "oneOf"] as const) {
      const alternatives = listOf(node[keyword]);
      if (alternatives.length === 0) continue;
      if (level === 0) this.told.push(tellAlternatives(keyword, alternatives, this.#root));
      parts.push(this.#either(alternatives.map((each) => this.shapeOf(each, level + 1))));
    }
    return this.#both(parts);
  }

  #own({ properties, required, additionalProperties, unevaluatedProperties }: JsonRecord): Shape {
    const own = isObject(properties) ? Object.entries(properties) : [];
    this.steps += own.length;
    return {
      members: new Map(own.map(([name, schema]) => [name, [schema]])),
      required: new Set(listOf(required).filter((name) => typeof name === "string")),
      is_closed: additionalProperties === false || unevaluatedProperties === false,
    };
  }

  /** What fits all of several shapes. */
  #both(shapes: readonly (Shape | null)[]): Shape | null {
    const all = shapes.filter((shape) => shape !== null);
    if (all.length < shapes.length) return null;
    const members = this.#joined(all, (forms, more) => [{ allOf: [oneForm(forms), oneForm(more)] }]);
    return {
      members,
      required: new Set(all.flatMap(({ required }) => [...required])),
      is_closed: all.some(({ is_closed }) => is_closed),
    };
  }

  /** What fits one of several shapes; alternatives that are no objects are none for arguments. */
  #either(shapes: readonly (Shape | null)[]): Shape | null {
    const all = shapes.filter((shape) => shape !== null);
    const [first, ...others] = all;
    if (first === undefined) return null;
    const members = this.#joined(all, (forms, more) => this.#different([...forms, ...more]));
    return {
      members,
      required: new Set([...first.required].filter((name) => others.every(({ required }) => required.has(name)))),
      is_closed: all.every(({ is_closed }) => is_closed),
    };
  }

  #joined(
    shapes: readonly Shape[],
    join: (forms: readonly unknown[], more: readonly unknown[]) => readonly unknown[],
  ): ReadonlyMap<string, readonly unknown[]> {
    const [first, ...others] = shapes;
    const members = new Map(first?.members ?? []);
    for (const shape of others) {
      this.steps += shape.members.size;
      if (this.steps > MOST_STEPS) break;
      for (const [name, more] of shape.members) {
        const forms = members.get(name);
        if (forms === undefined) members.set(name, more);
        else if (this.#different([...forms, ...more]).length > forms.length) members.set(name, join(forms, more));
      }
    }
    return members;
  }

  #different(forms: readonly unknown[]): readonly unknown[] {
    this.steps += 1;
    const seen = new Set<string>();
    return forms.filter((form) => {
      const text = this.#textOf(form);
      const is_new = !seen.has(text);
      seen.add(text);
      return is_new;
    });
  }

  #textOf(form: unknown): string {
    const known = this.#texts.get(form);
    if (known !== undefined) return known;
    const text = JSON.stringify(form) ?? "";
    this.steps += text.length / CHARACTERS_PER_STEP;
    this.#texts.set(form, text);
    return text;
  }
}

const CHARACTERS_PER_STEP = 100;

/** The forms of a member as one schema: constants as a list of values, others as alternatives. */
function oneForm(forms: readonly unknown[]): unknown {
  if (forms.length <= 1) return forms[0];
  const values = forms.map(valuesOf);
  const [first] = forms;
  if (values.some((each) => each === null)) return { anyOf: forms };
  const { const: _, enum: __, ...rest } = isObject(first) ? first : {};
  return { ...rest, enum: [...new Set(values.flatMap((each) => each ?? []))] };
}

/** The only values that a schema takes, where it takes texts of a list and says nothing of them; null otherwise. */
function valuesOf(form: unknown): readonly unknown[] | null {
  if (!isObject(form)) return null;
  const values = "const" in form ? [form.const] : listOf(form.enum);
  return values.length > 0 && values.every((value) => typeof value === "string") ? values : null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A sentence for the model about alternatives that a schema cannot say at its root. */
function tellAlternatives(keyword: "anyOf" | "oneOf", alternatives: readonly unknown[], root: JsonRecord): string {
  const texts = new Map<unknown, string>();
  const told = alternatives.slice(0, MOST_TOLD).map((each, index) => {
    const target = isObject(each) && typeof each.$ref === "string" ? localTarget(root, each.$ref) : each;
    const text = texts.get(target) ?? tell(target);
    texts.set(target, text);
    return `${index + 1}. ${text}`;
  });
  const how_many = keyword === "oneOf" ? "exactly" : "at least";
  return `The arguments fit ${how_many} one of these:\n${told.join("\n")}`;
}

const MOST_TOLD = 100;
/** An alternative that takes more characters is told in part. */
const MOST_CHARACTERS = 2000;

/** Keywords that the members' own schemas say, or that say nothing of which members are given. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set([
  ...["type", "properties", "required", "additionalProperties", "unevaluatedProperties", "title", "description"],
  ...["$ref", "$defs", "definitions", "$schema", "$id", "$comment"],
]);

function tell(target: unknown): string {
  if (!isObject(target)) return "anything";
  const properties = isObject(target.properties) ? target.properties : {};
  const required = new Set<unknown>(Array.isArray(target.required) ? target.required : []);
  const fixed: string[] = [];
  const needed: string[] = [];
  const optional: string[] = [];
  for (const name of new Set([...Object.keys(properties), ...[...required].map(String)])) {
    const value = constantOf(properties[name]);
    if (value !== undefined) fixed.push(`${name} = ${JSON.stringify(value)}`);
    else (required.has(name) ? needed : optional).push(name);
  }
  const rest = Object.entries(target).filter(([keyword]) => !SAID_ELSEWHERE.has(keyword));
  const parts = [
    ...[target.title, target.description].filter((text) => typeof text === "string" && text !== ""),
    ...fixed,
    ...(needed.length > 0 ? [`required: ${needed.join(", ")}`] : []),
    ...(optional.length > 0 ? [`optional: ${optional.join(", ")}`] : []),
    ...(rest.length > 0 ? [JSON.stringify(Object.fromEntries(rest))] : []),
  ];
  const text = parts.length === 0 ? "no arguments" : parts.join("; ");
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`;
}

/** The only value that a member takes; undefined where it takes several. */
function constantOf(schema: unknown): unknown {
  if (!isObject(schema)) return undefined;
  if ("const" in schema) return schema.const;
  return Array.isArray(schema.enum) && schema.enum.length === 1 ? schema.enum[0] : undefined;
}
