import { isObject } from "../../core/json.ts";

/** Keywords whose value is a schema, a list of schemas, or a map of them. */
const ONE = ["items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/**
 * A JSON schema for Gemini, which knows `enum` but not `const`. Returns the given object where nothing has to change;
 * values that only look like schemas, such as those in `enum` and `default`, stay unchanged.
 */
export function fitSchema(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const changed: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const fitted = fitKeyword(keyword, value);
    if (fitted !== value) changed[keyword] = fitted;
  }
  if (!("const" in schema)) return Object.keys(changed).length === 0 ? schema : { ...schema, ...changed };
  const { const: only, ...rest } = schema;
  return { ...rest, ...changed, enum: [only] };
}

function fitKeyword(keyword: string, value: unknown): unknown {
  if (ONE.includes(keyword)) return Array.isArray(value) ? fitList(value) : fitSchema(value);
  if (LISTS.includes(keyword)) return Array.isArray(value) ? fitList(value) : value;
  return MAPS.includes(keyword) && isObject(value) ? fitMap(value) : value;
}

function fitList(schemas: unknown[]): unknown[] {
  const fitted = schemas.map(fitSchema);
  return fitted.some((schema, index) => schema !== schemas[index]) ? fitted : schemas;
}

function fitMap(schemas: Record<string, unknown>): Record<string, unknown> {
  const fitted = Object.entries(schemas).map(([name, schema]) => [name, fitSchema(schema)] as const);
  return fitted.some(([name, schema]) => schema !== schemas[name]) ? Object.fromEntries(fitted) : schemas;
}
