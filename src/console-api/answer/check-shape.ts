import type { Static, TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { invalidRequest } from "../../core/errors.ts";
import { describe, isObject } from "../../core/json.ts";

/** Reads a value as the schema's type, or throws a GatewayError (`invalid_request`) that names the field. */
type ShapeReader<Schema extends TSchema> = (value: unknown) => Static<Schema>;

/**
 * Makes the reader of one schema. The reader's error says what was found, where, and what is allowed, in words of the
 * schema's `description`. `place` names the whole value: "The body", "The query".
 */
export function shapeReader<Schema extends TSchema>(schema: Schema, place: string): ShapeReader<Schema> {
  let compiled: Validator | null = null;
  return (value) => {
    // The first use compiles the schema: most schemas are for the console's users, and many gateways never have any.
    compiled ??= Compile(schema);
    if (compiled.Check(value)) return value as Static<Schema>;
    const error = mostPrecise(compiled.Errors(value));
    throw invalidRequest(explain(schema, value, error, place), paramOf(error) || null);
  };
}

/** The error deepest inside the value; of several errors at one place the last, which is about the whole place. */
function mostPrecise(errors: readonly TLocalizedValidationError[]): TLocalizedValidationError {
  let best = errors[0];
  for (const error of errors) if (!best || fieldOf(error).length >= fieldOf(best).length) best = error;
  if (!best) throw new Error("a schema refused a value without saying why");
  return best;
}

function explain(schema: TSchema, value: unknown, error: TLocalizedValidationError, place: string): string {
  const node = nodeAt(schema, error.schemaPath);
  if (error.keyword === "additionalProperties" || error.keyword === "boolean") {
    const parent = nodeAt(schema, error.schemaPath.replace(/\/additionalProperties$/, ""));
    return `'${paramOf(error)}' is not known here; allowed: ${namesIn(parent)}.`;
  }
  if (error.keyword === "required") {
    return `'${paramOf(error)}' is missing; allowed: ${wordsOf(nodeAt(node, `#/properties/${error.params.requiredProperties[0]}`))}.`;
  }
  const where = paramOf(error);
  return `${where === "" ? place : `'${where}'`} is ${describe(valueAt(value, pointer(error.instancePath)))}; allowed: ${wordsOf(node)}.`;
}

/** The field with the error, as a path in the body: `aliases[0].name`. */
function paramOf(error: TLocalizedValidationError): string {
  return fieldOf(error).reduce(
    (path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path ? `${path}.${step}` : step),
    "",
  );
}

/** The steps to the field with the error. A missing or unknown field is one step below the object of the error. */
function fieldOf(error: TLocalizedValidationError): string[] {
  const steps = pointer(error.instancePath);
  if (error.keyword === "required") steps.push(error.params.requiredProperties[0] ?? "");
  if (error.keyword === "additionalProperties") steps.push(error.params.additionalProperties[0] ?? "");
  return steps;
}

/** The steps of a JSON pointer. */
function pointer(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function nodeAt(schema: unknown, path: string): unknown {
  return valueAt(schema, pointer(path));
}

function valueAt(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>(
    (at, step) => (isObject(at) || Array.isArray(at) ? Reflect.get(at, step) : undefined),
    value,
  );
}

function wordsOf(node: unknown): string {
  return isObject(node) && typeof node.description === "string" ? node.description : "another value";
}

function namesIn(node: unknown): string {
  const names = isObject(node) && isObject(node.properties) ? Object.keys(node.properties) : [];
  return names.length === 0 ? "no fields" : names.join(", ");
}
