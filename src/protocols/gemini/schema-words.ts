export type Schema = Readonly<Record<string, unknown>>;

/** Keywords whose value is a schema, a list of schemas, or a map of them. */
export const ONE: ReadonlySet<string> = new Set([
  ...["items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"],
]);
export const LISTS: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
export const MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas"]);

/** The schemas right inside a schema, without its definitions. */
export function* schemasIn(node: Schema): Generator<unknown> {
  for (const [keyword, value] of Object.entries(node)) {
    if (ONE.has(keyword) && !Array.isArray(value)) yield value;
    else if ((ONE.has(keyword) || LISTS.has(keyword)) && Array.isArray(value)) yield* value;
    else if (MAPS.has(keyword) && typeof value === "object" && value !== null) yield* Object.values(value);
  }
}
