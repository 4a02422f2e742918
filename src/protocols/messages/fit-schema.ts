import { isObject, type JsonRecord } from "../../core/json.ts";
import { isExactNumber } from "../shared/exact-json.ts";

/**
 * The limits of the vendors' schema compilers: how many members may be optional, and how many may have one of several
 * types.
 */
const MAX_OPTIONAL = 24;
const MAX_UNIONS = 16;

const FORMATS: ReadonlySet<unknown> = new Set([
  ...["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
]);

/** Keywords that are sent unchanged. */
const KEPT: ReadonlySet<string> = new Set(["type", "title", "description", "default", "required", "$ref"]);

/** Keywords that constrain nothing: they are left out. */
const MUTE: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$comment",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

/** Constraints that the vendor refuses as keywords, and that a model follows when its description states them. */
const TOLD: ReadonlySet<string> = new Set([
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"],
]);

/**
 * A JSON schema for the vendor's structured output, or null where it has no such form: for objects with members of any
 * name, recursive schemas, and keywords that vendors do not know. Objects are closed. Constraints that the vendor does
 * not enforce are stated in the description, as the official clients do.
 */
export function fitSchema(schema: JsonRecord): JsonRecord | null {
  const fitting = new Fitting();
  const fitted = fitting.fit(schema);
  if (!fitting.possible || fitting.optional > MAX_OPTIONAL || fitting.unions > MAX_UNIONS) return null;
  return isRecursive(schema) ? null : fitted;
}

class Fitting {
  possible = true;
  optional = 0;
  unions = 0;

  fit(node: unknown): JsonRecord {
    if (!isObject(node) || !saysWhat(node)) {
      this.possible = false;
      return {};
    }
    const fitted: Record<string, unknown> = {};
    const told: string[] = [];
    for (const [keyword, value] of Object.entries(node)) {
      if (!this.#place(fitted, keyword, value)) told.push(`${keyword}: ${JSON.stringify(value)}`);
    }
    if (node.type === "object" || isObject(node.properties)) this.#close(node, fitted);
    if (Array.isArray(node.type) || node.anyOf !== undefined || node.oneOf !== undefined) this.unions++;
    if (told.length > 0) {
      const described = typeof node.description === "string" ? `${node.description}\n\n` : "";
      fitted.description = `${described}{${told.join(", ")}}`;
    }
    return fitted;
  }

  /** Puts a keyword into the fitted schema; false for a constraint that belongs in the description. */
  #place(fitted: Record<string, unknown>, keyword: string, value: unknown): boolean {
    if (MUTE.has(keyword) || keyword === "additionalProperties") return true;
    if (KEPT.has(keyword)) fitted[keyword] = value;
    else if (keyword === "items") fitted.items = this.fit(value);
    else if (keyword === "properties" || keyword === "$defs" || keyword === "definitions") {
      fitted[keyword] = this.#fitAll(value);
    } else if ((keyword === "anyOf" || keyword === "oneOf" || keyword === "allOf") && Array.isArray(value)) {
      fitted[keyword === "oneOf" ? "anyOf" : keyword] = value.map((variant) => this.fit(variant));
    } else if (isTakenAsItIs(keyword, value)) fitted[keyword] = value;
    else if (TOLD.has(keyword) || keyword === "format") return false;
    else this.possible = false;
    return true;
  }

  #fitAll(schemas: unknown): JsonRecord {
    if (!isObject(schemas)) {
      this.possible = false;
      return {};
    }
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.fit(schema)]));
  }

  /**
   * Closes an object. An object without members of its own is a map, which has no form: closed, it could only be empty.
   */
  #close({ properties, additionalProperties: rest, required }: JsonRecord, fitted: Record<string, unknown>): void {
    const is_map = rest !== undefined && rest !== false;
    const names = isObject(properties) ? Object.keys(properties) : [];
    if (is_map || (names.length === 0 && rest !== false)) this.possible = false;
    const always: ReadonlySet<unknown> = new Set(Array.isArray(required) ? required : []);
    this.optional += names.filter((name) => !always.has(name)).length;
    fitted.additionalProperties = false;
  }
}

function saysWhat(node: JsonRecord): boolean {
  return ["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"].some((keyword) => node[keyword] !== undefined);
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null || isExactNumber(value);
}

function isTakenAsItIs(keyword: string, value: unknown): boolean {
  switch (keyword) {
    case "enum":
      return Array.isArray(value) && value.every(isScalar);
    case "const":
      return isScalar(value);
    case "format":
      return FORMATS.has(value);
    case "minItems":
      return value === 0 || value === 1;
    default:
      return false;
  }
}

/**
 * Whether a schema is recursive, or refers to what is none of its definitions. Each definition is followed once, and
 * without recursion: a chain of definitions may be as long as the request.
 */
function isRecursive(schema: JsonRecord): boolean {
  const definitions = { ...sectionOf(schema, "$defs"), ...sectionOf(schema, "definitions") };
  const followed = new Set<string>();
  const within = new Set<string>();
  const path: ReferenceStep[] = [stepInto(null, { ...schema, $defs: null, definitions: null })];
  for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
    const reference = step.references[step.next];
    step.next += 1;
    if (reference === undefined) {
      if (step.name !== null) within.delete(step.name);
      path.pop();
      continue;
    }
    if (within.has(reference) || !Object.hasOwn(definitions, reference)) return true;
    if (followed.has(reference)) continue;
    followed.add(reference);
    within.add(reference);
    path.push(stepInto(reference, definitions[reference]));
  }
  return false;
}

/** A definition on the way from the schema, and the next of its references to follow. */
interface ReferenceStep {
  /** Null for the schema itself. */
  readonly name: string | null;
  readonly references: readonly string[];
  next: number;
}

function stepInto(name: string | null, node: unknown): ReferenceStep {
  const references: string[] = [];
  collectReferences(node, references);
  return { name, references, next: 0 };
}

/** The definitions of a section by their references. */
function sectionOf(schema: JsonRecord, section: string): JsonRecord {
  const held = schema[section];
  if (!isObject(held)) return {};
  return Object.fromEntries(Object.entries(held).map(([name, definition]) => [`#/${section}/${name}`, definition]));
}

function collectReferences(node: unknown, into: string[]): void {
  if (Array.isArray(node)) {
    for (const item of node) collectReferences(item, into);
    return;
  }
  if (!isObject(node)) return;
  if (typeof node.$ref === "string") into.push(node.$ref);
  for (const value of Object.values(node)) collectReferences(value, into);
}
