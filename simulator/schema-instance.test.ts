import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Compile } from "typebox/schema";
import { instanceOf } from "./schema-instance.ts";

/** Validates with an independent implementation of JSON schema. */
function satisfies(schema: object): boolean {
  return Compile(schema).Check(instanceOf(schema));
}

const CASES: [string, object][] = [
  [
    "scalars",
    {
      type: "object",
      properties: {
        s: { type: "string" },
        n: { type: "number" },
        i: { type: "integer" },
        b: { type: "boolean" },
        z: { type: "null" },
      },
      required: ["s", "n", "i", "b", "z"],
    },
  ],
  [
    "enum and const",
    {
      type: "object",
      properties: { e: { enum: ["x", "y"] }, c: { const: 4 } },
      required: ["e", "c"],
      additionalProperties: false,
    },
  ],
  ["a type list", { type: ["null", "integer"] }],
  ["bounds", { type: "integer", minimum: 17, maximum: 18 }],
  ["exclusive bounds", { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 0.5 }],
  ["a negative range", { type: "integer", maximum: -3 }],
  ["a multiple", { type: "integer", multipleOf: 7, minimum: 8 }],
  ["lengths", { type: "string", minLength: 20, maxLength: 21 }],
  ["a short text", { type: "string", maxLength: 3 }],
  ["a pattern", { type: "string", pattern: "^[A-Z]{3}-\\d{3}$" }],
  [
    "formats",
    {
      type: "object",
      properties: Object.fromEntries(
        ["date-time", "date", "time", "email", "uuid", "uri", "ipv4", "ipv6", "hostname"].map((format) => [
          format,
          { type: "string", format },
        ]),
      ),
    },
  ],
  ["arrays", { type: "array", items: { type: "integer", minimum: 3 }, minItems: 3, maxItems: 4 }],
  ["unique items", { type: "array", items: { type: "string" }, minItems: 4, uniqueItems: true }],
  ["unique enum items", { type: "array", items: { enum: ["a", "b", "c"] }, minItems: 3, uniqueItems: true }],
  ["tuples", { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false, minItems: 2 }],
  ["anyOf", { anyOf: [{ type: "null" }, { type: "object", properties: { a: { const: 1 } }, required: ["a"] }] }],
  [
    "oneOf by discriminator",
    {
      oneOf: [
        { properties: { kind: { const: "a" } }, required: ["kind"] },
        { properties: { kind: { const: "b" } }, required: ["kind"] },
      ],
    },
  ],
  [
    "allOf",
    {
      allOf: [
        { properties: { a: { type: "string" } }, required: ["a"] },
        { properties: { b: { type: "integer" } }, required: ["b"] },
      ],
    },
  ],
  [
    "references",
    {
      type: "object",
      properties: { p: { $ref: "#/$defs/point" } },
      required: ["p"],
      $defs: { point: { type: "object", properties: { x: { type: "number" } }, required: ["x"] } },
    },
  ],
  [
    "recursion by a list",
    { type: "object", properties: { children: { type: "array", items: { $ref: "#" } } }, required: ["children"] },
  ],
  [
    "recursion by a nullable",
    { type: "object", properties: { next: { anyOf: [{ $ref: "#" }, { type: "null" }] } }, required: ["next"] },
  ],
  ["recursion by an optional", { type: "object", properties: { next: { $ref: "#" } } }],
  ["required without a schema", { type: "object", required: ["free"] }],
  ["least properties", { type: "object", additionalProperties: { type: "integer" }, minProperties: 2 }],
];

function closedObject(properties: Record<string, object>): object {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

describe("an instance of a JSON schema", () => {
  test.each(CASES)("satisfies it: %s", (_name, schema) => {
    expect(satisfies(schema)).toBe(true);
  });

  test("satisfies any schema made of the parts that vendors accept", () => {
    const { schema } = fc.letrec<{ schema: object }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(
          { type: "string" },
          { type: "boolean" },
          { type: "null" },
          { enum: [1, "two"] },
          { const: "c" },
        ),
        fc.integer().map((minimum) => ({ type: "integer", minimum })),
        fc.nat({ max: 30 }).map((minLength) => ({ type: "string", minLength })),
        fc.tuple(tie("schema"), fc.nat({ max: 3 })).map(([items, minItems]) => ({ type: "array", items, minItems })),
        fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
        fc.dictionary(fc.constantFrom("a", "b", "c"), tie("schema"), { noNullPrototype: true }).map(closedObject),
      ),
    }));
    fc.assert(fc.property(schema, (any) => expect(satisfies(any)).toBe(true)));
  });

  test("is equal each time", () => {
    for (const [, schema] of CASES) expect(instanceOf(schema)).toEqual(instanceOf(schema));
  });
});
