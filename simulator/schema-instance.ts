import { isObject, type Json } from "./protocols/read.ts";

/**
 * Makes a value that satisfies a JSON schema (drafts 4 to 2020-12, as far as model vendors accept them); equal schemas
 * give equal values. All properties are filled in; beyond MAX_DEPTH only the required ones, so recursion ends. Patterns
 * are met only where one of a few common texts matches.
 */
export function instanceOf(schema: unknown): unknown {
  return instance(schema, { root: schema, depth: 0 });
}

interface SchemaPlace {
  readonly root: unknown;
  readonly depth: number;
}

const MAX_DEPTH = 6;

function instance(schema: unknown, place: SchemaPlace): unknown {
  if (!isObject(schema)) return "simulated";
  if (typeof schema.$ref === "string") return instance(resolve(schema.$ref, place.root), deeper(place));
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  if (Array.isArray(schema.allOf)) return instance(mergeAll(schema, place), place);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(alternatives) && alternatives.length > 0) {
    const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = schema;
    return instance(merge(rest, choose(alternatives, place)), place);
  }
  return typed(typeOf(schema), schema, place);
}

function deeper(place: SchemaPlace): SchemaPlace {
  return { root: place.root, depth: place.depth + 1 };
}

/** The first alternative that is not null; beyond MAX_DEPTH the null alternative, if any, so that recursion ends. */
function choose(alternatives: readonly unknown[], place: SchemaPlace): Json {
  const plain = alternatives.map((alternative) => dereference(alternative, place));
  const isNull = (schema: Json) => schema.type === "null" || schema.const === null;
  if (place.depth < MAX_DEPTH) return plain.find((schema) => !isNull(schema)) ?? plain[0] ?? {};
  return (
    plain.find(isNull) ??
    plain.find((schema) => typeOf(schema) !== "object" && typeOf(schema) !== "array") ??
    plain[0] ??
    {}
  );
}

function dereference(schema: unknown, place: SchemaPlace): Json {
  let current = schema;
  for (let hops = 0; hops < MAX_DEPTH && isObject(current) && typeof current.$ref === "string"; hops++) {
    current = resolve(current.$ref, place.root);
  }
  return isObject(current) ? current : {};
}

/** A local reference (`#`, `#/$defs/name`) as its schema; anything else as the schema that allows all. */
function resolve(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) return {};
  let current = root;
  for (const token of reference.slice(1).split("/").filter(Boolean)) {
    const name = decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
    current = isObject(current) || Array.isArray(current) ? (current as Json)[name] : undefined;
  }
  return current ?? {};
}

function mergeAll(schema: Json, place: SchemaPlace): Json {
  const { allOf, ...rest } = schema;
  let merged: Json = rest;
  for (const part of allOf as readonly unknown[]) merged = merge(merged, dereference(part, place));
  return merged;
}

function merge(first: Json, second: Json): Json {
  const properties = {
    ...(isObject(first.properties) ? first.properties : {}),
    ...(isObject(second.properties) ? second.properties : {}),
  };
  const required = [...listOf(first.required), ...listOf(second.required)];
  return {
    ...first,
    ...second,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function typeOf(schema: Json): string {
  const declared = Array.isArray(schema.type) ? (schema.type.find((type) => type !== "null") ?? "null") : schema.type;
  if (typeof declared === "string") return declared;
  if ("properties" in schema || "required" in schema || "additionalProperties" in schema) return "object";
  if ("items" in schema || "prefixItems" in schema) return "array";
  if ("minimum" in schema || "maximum" in schema || "multipleOf" in schema) return "number";
  return "string";
}

function typed(type: string, schema: Json, place: SchemaPlace): unknown {
  switch (type) {
    case "object":
      return objectInstance(schema, place);
    case "array":
      return arrayInstance(schema, place);
    case "integer":
      return numberInstance(schema, 1);
    case "number":
      return numberInstance(schema, 0);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return stringInstance(schema);
  }
}

function objectInstance(schema: Json, place: SchemaPlace): Record<string, unknown> {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = listOf(schema.required).filter((name): name is string => typeof name === "string");
  const names = place.depth < MAX_DEPTH ? new Set([...Object.keys(properties), ...required]) : new Set(required);
  const result: Record<string, unknown> = {};
  for (const name of names) result[name] = instance(properties[name] ?? {}, deeper(place));
  for (let extra = names.size; extra < Number(schema.minProperties ?? 0); extra++) {
    result[`simulated_${extra}`] = instance(schema.additionalProperties ?? {}, deeper(place));
  }
  return result;
}

function arrayInstance(schema: Json, place: SchemaPlace): unknown[] {
  const prefix = listOf(schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : []));
  const minimum = Number(schema.minItems ?? 0);
  const wanted = place.depth < MAX_DEPTH ? Math.max(minimum, prefix.length, 1) : Math.max(minimum, prefix.length);
  const length = Math.min(wanted, Number(schema.maxItems ?? wanted));
  const result: unknown[] = [];
  for (let index = 0; index < length; index++) {
    const element = instance(prefix[index] ?? (Array.isArray(schema.items) ? {} : (schema.items ?? {})), deeper(place));
    result.push(schema.uniqueItems === true && index >= prefix.length ? distinct(element, index, schema) : element);
  }
  return result;
}

/** The element, varied by its index, so that `uniqueItems` holds. */
function distinct(element: unknown, index: number, schema: Json): unknown {
  const choices = isObject(schema.items) ? listOf(schema.items.enum) : [];
  if (choices.length > 0) return choices[index % choices.length];
  if (typeof element === "number") return element + index;
  if (typeof element === "string") return index === 0 ? element : `${element} ${index}`;
  return element;
}

function numberInstance(schema: Json, least_step: number): number {
  const step = Number(schema.multipleOf ?? least_step);
  const above = schema.exclusiveMinimum === true ? schema.minimum : schema.exclusiveMinimum;
  const below = schema.exclusiveMaximum === true ? schema.maximum : schema.exclusiveMaximum;
  const low = numberOr(typeof above === "number" ? above : schema.minimum, Number.NEGATIVE_INFINITY);
  const high = numberOr(typeof below === "number" ? below : schema.maximum, Number.POSITIVE_INFINITY);
  const fits = (value: number) =>
    (typeof above === "number" ? value > low : value >= low) &&
    (typeof below === "number" ? value < high : value <= high);
  for (const candidate of [
    1,
    0,
    upTo(low, step),
    upTo(low, step) + (step || 1),
    downTo(high, step),
    downTo(high, step) - (step || 1),
  ]) {
    if (Number.isFinite(candidate) && fits(candidate) && (step === 0 || candidate % step === 0)) return candidate;
  }
  return Number.isFinite(low) && Number.isFinite(high) ? (low + high) / 2 : 1;
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}

function upTo(value: number, step: number): number {
  return step === 0 ? value : Math.ceil(value / step) * step;
}

function downTo(value: number, step: number): number {
  return step === 0 ? value : Math.floor(value / step) * step;
}

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2026-01-01T00:00:00Z",
  date: "2026-01-01",
  time: "00:00:00Z",
  duration: "PT1S",
  email: "simulated@example.com",
  "idn-email": "simulated@example.com",
  hostname: "simulated.example.com",
  "idn-hostname": "simulated.example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/simulated",
  url: "https://example.com/simulated",
  "uri-reference": "/simulated",
  iri: "https://example.com/simulated",
  uuid: "00000000-0000-4000-8000-000000000000",
  regex: "^simulated$",
  "json-pointer": "/simulated",
};

const COMMON_TEXTS = [
  "simulated",
  "Simulated",
  "SIMULATED",
  "S",
  "s",
  "1",
  "12",
  "123",
  "1234",
  "12345",
  "AB",
  "ABC",
  "a1",
  "A1",
  "SIM-1",
  "SIM-001",
  "sim_1",
  "2026-01-01",
  "00:00",
  "1.0",
  "1.0.0",
  "#00ff00",
  "+15550100",
  "simulated@example.com",
  "https://example.com/",
];

function stringInstance(schema: Json): string {
  const format = typeof schema.format === "string" ? FORMATS[schema.format] : undefined;
  if (format !== undefined) return format;
  if (typeof schema.pattern === "string") return matching(schema.pattern);
  return "simulated"
    .padEnd(Number(schema.minLength ?? 0), ".")
    .slice(0, Number(schema.maxLength ?? Number.POSITIVE_INFINITY));
}

function matching(pattern: string): string {
  try {
    const expression = new RegExp(pattern, "u");
    return COMMON_TEXTS.find((text) => expression.test(text)) ?? "simulated";
  } catch {
    return "simulated";
  }
}
