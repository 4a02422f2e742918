import { describe, expect, test } from "bun:test";
import { objectSchema } from "./object-schema.ts";

type Schema = Readonly<Record<string, unknown>>;

const TEXT = { type: "string" };
const NUMBER = { type: "number" };
const circle = { type: "object", properties: { kind: { const: "circle" }, r: NUMBER }, required: ["kind", "r"] };
const square = {
  type: "object",
  title: "A square",
  properties: { kind: { const: "square" }, a: NUMBER, b: NUMBER },
  required: ["kind", "a"],
};
const ONE_OF_SHAPES =
  "The arguments fit exactly one of these:\n" +
  '1. kind = "circle"; required: r\n2. A square; kind = "square"; required: a; optional: b';

function schemaOf(schema: Schema): unknown {
  const found = objectSchema(schema);
  return "fault" in found ? found.fault : found.schema;
}

const CASES: readonly (readonly [string, Schema, unknown])[] = [
  ["no type", { properties: { a: TEXT } }, { type: "object", properties: { a: TEXT } }],
  ["a type with null", { type: ["object", "null"] }, { type: "object" }],
  [
    "alternatives of objects",
    { oneOf: [circle, square], description: "A shape." },
    {
      type: "object",
      description: `A shape.\n\n${ONE_OF_SHAPES}`,
      properties: { kind: { enum: ["circle", "square"] }, r: NUMBER, a: NUMBER, b: NUMBER },
      required: ["kind"],
    },
  ],
  [
    "alternatives by reference, of which one is no object",
    { anyOf: [{ $ref: "#/$defs/c" }, { type: "null" }], $defs: { c: circle } },
    {
      type: "object",
      description: 'The arguments fit at least one of these:\n1. kind = "circle"; required: r\n2. no arguments',
      properties: circle.properties,
      required: ["kind", "r"],
      $defs: { c: circle },
    },
  ],
  [
    "alternatives of what is required",
    { type: "object", properties: { a: TEXT, b: TEXT }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    {
      type: "object",
      description: "The arguments fit at least one of these:\n1. required: a\n2. required: b",
      properties: { a: TEXT, b: TEXT },
    },
  ],
  [
    "parts that all hold",
    {
      allOf: [
        { properties: { a: TEXT }, required: ["a"] },
        { properties: { a: { minLength: 2 }, b: NUMBER }, additionalProperties: false },
      ],
    },
    {
      type: "object",
      properties: { a: { allOf: [TEXT, { minLength: 2 }] }, b: NUMBER },
      required: ["a"],
      additionalProperties: false,
    },
  ],
  [
    "a member of several forms",
    { anyOf: [{ properties: { a: TEXT } }, { properties: { a: NUMBER } }, { properties: { a: { type: "string" } } }] },
    {
      type: "object",
      description: "The arguments fit at least one of these:\n1. optional: a\n2. optional: a\n3. optional: a",
      properties: { a: { anyOf: [TEXT, NUMBER] } },
    },
  ],
  [
    "a reference at the root",
    { $ref: "#/definitions/a~1b", definitions: { "a/b": circle } },
    { type: "object", properties: circle.properties, required: ["kind", "r"], definitions: { "a/b": circle } },
  ],
  [
    "a limit at the root",
    { type: "object", properties: { a: TEXT }, not: { required: ["b"] } },
    {
      type: "object",
      description: 'The arguments must not fit this schema: {"required":["b"]}',
      properties: { a: TEXT },
    },
  ],
  ["alternatives of nothing", { type: "object", anyOf: [] }, { type: "object", properties: {} }],
  [
    "a reference to itself",
    { type: "object", $ref: "#", properties: { a: TEXT } },
    { type: "object", properties: { a: TEXT } },
  ],
  ["a list", { type: "array", items: TEXT }, "is no object"],
  ["alternatives without an object", { oneOf: [TEXT, NUMBER, false] }, "is no object"],
  ["a part that is no object", { type: "object", allOf: [TEXT] }, "is no object"],
];

describe("a tool's schema", () => {
  test.each(CASES)("with %s", (_, schema, expected) => {
    expect(schemaOf(schema)).toEqual(expected as never);
  });

  test("that is a plain object stays the same object", () => {
    for (const schema of [circle, { type: "object" }, { type: "object", properties: { anyOf: { anyOf: [TEXT] } } }])
      expect(schemaOf(schema)).toBe(schema as never);
  });

  test("that means much in few bytes takes few steps", () => {
    const chain = (links: number, link: (to: string) => Schema): Schema => ({
      $ref: "#/$defs/d0",
      $defs: Object.fromEntries(
        Array.from({ length: links }, (_, at) => [
          `d${at}`,
          { properties: { [`p${at}`]: TEXT }, ...link(`#/$defs/d${at + 1}`) },
        ]),
      ),
    });
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`p${at}`, TEXT]));
    let nested: Schema = { properties: { a: TEXT } };
    for (let level = 0; level < 500; level += 1) nested = level % 2 === 0 ? { allOf: [nested] } : { anyOf: [nested] };
    const schemas: readonly (readonly [Schema, "fits" | "refused"])[] = [
      [chain(20_000, ($ref) => ({ $ref })), "fits"],
      [chain(60, ($ref) => ({ allOf: [{ $ref }, { $ref }] })), "refused"],
      [chain(60, ($ref) => ({ anyOf: [{ $ref }, { $ref }] })), "refused"],
      [{ type: "object", properties: wide, anyOf: [{ properties: wide }, { required: ["p1"] }] }, "fits"],
      [
        { anyOf: Array.from({ length: 20_000 }, () => ({ $ref: "#/$defs/w" })), $defs: { w: { properties: wide } } },
        "refused",
      ],
      [nested, "fits"],
    ];
    for (const [schema, verdict] of schemas)
      expect([verdict, schemaOf(schema)]).toEqual([
        verdict,
        verdict === "fits" ? expect.objectContaining({ type: "object" }) : "refers to itself too often",
      ]);
  });
});
