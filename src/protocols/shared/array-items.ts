import { isObject, type JsonRecord } from "../../core/json.ts";

/** Keywords that hold a schema, schemas in a list, and schemas by names. */
const ONE = [
  ...["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"],
  ...["unevaluatedItems", "unevaluatedProperties"],
];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/**
 * The schema with `items` in every list: OpenAI refuses a whole request for a list that does not say what it holds, and
 * many MCP servers leave it out (docs/rulings.md 196). `items: {}` says the same. The given schema where nothing is missing.
 */
export function withArrayItems(schema: JsonRecord): JsonRecord {
  const changes: [string, unknown][] = isBareArray(schema) ? [["items", {}]] : [];
  for (const keyword of ONE) note(changes, keyword, schema[keyword], within);
  for (const keyword of LISTS) note(changes, keyword, schema[keyword], withinList);
  for (const keyword of MAPS) note(changes, keyword, schema[keyword], withinMap);
  return changes.length === 0 ? schema : { ...schema, ...Object.fromEntries(changes) };
}

function isBareArray({ type, items, prefixItems }: JsonRecord): boolean {
  return (
    items === undefined &&
    prefixItems === undefined &&
    (type === "array" || (Array.isArray(type) && type.includes("array")))
  );
}

function note(changes: [string, unknown][], keyword: string, value: unknown, mend: (value: unknown) => unknown): void {
  const mended = mend(value);
  if (mended !== value) changes.push([keyword, mended]);
}

function within(value: unknown): unknown {
  return isObject(value) ? withArrayItems(value) : value;
}

function withinList(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const mended = value.map(within);
  return mended.every((one, index) => one === value[index]) ? value : mended;
}

function withinMap(value: unknown): unknown {
  if (!isObject(value)) return value;
  const mended = Object.entries(value).map(([name, one]) => [name, within(one)] as const);
  return mended.every(([name, one]) => one === value[name]) ? value : Object.fromEntries(mended);
}
