import { expect, test } from "bun:test";
import { isObject, type JsonObject } from "../../../core/json.ts";
import { buildOpenApi } from "../build-openapi.ts";
import { nameInlineSchemas } from "./name-inline-schemas.ts";

const text = { type: "string" };
const object = (properties: JsonObject): JsonObject => ({ type: "object", properties });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test("each object inside another gets a name from its place, and equal objects share a name", () => {
  const point = object({ x: text });
  const schemas = {
    A: object({
      at: { ...point, description: "Where." },
      was: { anyOf: [point, { type: "null" }] },
      parts: { type: "array", items: { anyOf: [object({ type: { const: "two_words" } }), object({ y: text })] } },
    }),
    AAt: text,
  };
  expect(nameInlineSchemas(schemas)).toEqual({
    A: object({
      at: { ...ref("AAt2"), description: "Where." },
      was: { anyOf: [ref("AAt2"), { type: "null" }] },
      parts: { type: "array", items: { anyOf: [ref("APartsTwoWords"), ref("APartsForm2")] } },
    }),
    AAt: text,
    AAt2: point,
    APartsTwoWords: object({ type: { const: "two_words" } }),
    APartsForm2: object({ y: text }),
  });
});

test("every object of the document has a name, as the names that generators invent clash", () => {
  const { components } = buildOpenApi({ version: "0" });
  const schemas = isObject(components) && isObject(components.schemas) ? components.schemas : {};
  expect(Object.keys(schemas).length).toBeGreaterThan(100);
  const inline = Object.entries(schemas).flatMap(([name, schema]) =>
    Object.values(schema as object).flatMap((member) => objectsIn(member).map(() => name)),
  );
  expect(inline).toEqual([]);
  // Every reference has a target.
  for (const [, name = ""] of JSON.stringify(components).matchAll(/#\/components\/schemas\/([^"]+)/g))
    expect(schemas).toHaveProperty([name]);
});

function objectsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (!isObject(value)) return [];
  const own = value.type === "object" && isObject(value.properties) ? [value] : [];
  return [...own, ...Object.values(value).flatMap(objectsIn)];
}
