import { isObject, type JsonRecord } from "../../core/json.ts";

/**
 * A schema of Google's own dialect (`parameters`, `responseSchema`) as JSON Schema: types in capitals, `nullable`, bounds that are texts,
 * as all 64-bit numbers are in this API, and an order of members that only its own models heed.
 */
export function jsonSchemaOf(schema: JsonRecord): JsonRecord {
  const written: [string, unknown][] = [];
  for (const [sent, value] of Object.entries(schema)) {
    if (value === null || value === undefined) continue;
    const keyword = KEYWORDS[sent] ?? sent;
    const read = READERS[keyword];
    if (read !== undefined) {
      const found = read(value);
      if (found !== undefined) written.push([keyword, found]);
    } else if (!LEFT_OUT.has(keyword)) written.push([keyword, value]);
  }
  return nullable(Object.fromEntries(written), schema.nullable === true);
}

const KEYWORDS: Readonly<Record<string, string>> = {
  any_of: "anyOf",
  min_items: "minItems",
  max_items: "maxItems",
  min_length: "minLength",
  max_length: "maxLength",
  min_properties: "minProperties",
  max_properties: "maxProperties",
  property_ordering: "propertyOrdering",
  additional_properties: "additionalProperties",
};
const LEFT_OUT: ReadonlySet<string> = new Set(["nullable", "propertyOrdering", "example"]);

const READERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  type: typeOf,
  properties: (value) => (isObject(value) ? mapped(value) : value),
  items: within,
  additionalProperties: within,
  anyOf: (value) => (Array.isArray(value) ? value.map(within) : value),
  // Texts of a closed list have their values in `enum`.
  format: (value) => (value === "enum" ? undefined : value),
  minItems: count,
  maxItems: count,
  minLength: count,
  maxLength: count,
  minProperties: count,
  maxProperties: count,
};

function typeOf(type: unknown): unknown {
  if (typeof type === "string") return type === "TYPE_UNSPECIFIED" ? undefined : type.toLowerCase();
  return Array.isArray(type) ? type.map(typeOf) : type;
}

function within(value: unknown): unknown {
  return isObject(value) ? jsonSchemaOf(value) : value;
}

function mapped(properties: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, within(value)]));
}

function count(value: unknown): unknown {
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

function nullable(schema: JsonRecord, is_nullable: boolean): JsonRecord {
  if (!is_nullable) return schema;
  const { type, enum: values } = schema;
  if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] };
  const closed = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  return { ...schema, type: [type, "null"], ...closed };
}
