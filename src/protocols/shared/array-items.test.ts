import { expect, test } from "bun:test";
import { withArrayItems } from "./array-items.ts";

const LIST = { type: "array", description: "any" };
const MENDED = { ...LIST, items: {} };

test.each<[string, object, object]>([
  ["at the root", LIST, MENDED],
  ["of several types", { type: ["array", "null"] }, { type: ["array", "null"], items: {} }],
  [
    "in a member",
    { properties: { a: LIST, b: { type: "string" } } },
    { properties: { a: MENDED, b: { type: "string" } } },
  ],
  ["in a list", { type: "array", items: LIST }, { type: "array", items: MENDED }],
  ["in a definition", { $defs: { a: LIST } }, { $defs: { a: MENDED } }],
  ["in an alternative", { anyOf: [{ type: "null" }, LIST] }, { anyOf: [{ type: "null" }, MENDED] }],
  ["under any name", { additionalProperties: LIST }, { additionalProperties: MENDED }],
  [
    "in a member that is called as one of an object",
    JSON.parse('{"properties":{"__proto__":{"type":"array"}}}'),
    JSON.parse('{"properties":{"__proto__":{"type":"array","items":{}}}}'),
  ],
])("a list %s says that it holds anything", (_name, schema, mended) => {
  expect(JSON.stringify(withArrayItems(schema as Record<string, unknown>))).toBe(JSON.stringify(mended));
});

test.each<[string, object]>([
  ["lists that say what they hold", { properties: { a: { type: "array", items: { type: "string" } } } }],
  ["tuples", { type: "array", prefixItems: [{ type: "string" }] }],
  [
    "lists within values",
    { default: { type: "array" }, enum: [{ type: "array" }], properties: { type: { const: "array" } } },
  ],
  ["what is no schema", { properties: "array", anyOf: 1, items: false }],
])("the schema is the given one with %s", (_name, schema) => {
  expect(withArrayItems(schema as Record<string, unknown>)).toBe(schema as Record<string, unknown>);
});
