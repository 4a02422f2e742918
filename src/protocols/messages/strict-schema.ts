import { isObject, type JsonRecord } from "../../core/json.ts";

/**
 * Whether a schema is strict: each of its objects is closed, and all members are required. This protocol always
 * guarantees the schema; style A guarantees it only for `strict`, which accepts only such schemas.
 */
export function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (!isObject(schema)) return true;
  return isClosed(schema) && Object.values(schema).every(isStrict);
}

function isClosed(schema: JsonRecord): boolean {
  if (!isObject(schema.properties)) return schema.type !== "object";
  if (schema.additionalProperties !== false) return false;
  const required: ReadonlySet<unknown> = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.keys(schema.properties).every((name) => required.has(name));
}
