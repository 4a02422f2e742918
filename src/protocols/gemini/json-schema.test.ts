import { describe, expect, test } from "bun:test";
import { fitSchema } from "./json-schema.ts";

const TEXT = { type: "string" };
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const A = { A: { type: "string" } };

const CASES: readonly (readonly [string, unknown, unknown])[] = [
  ["const", { anyOf: [{ const: 1, title: "one" }, true] }, { anyOf: [{ enum: [1], title: "one" }, true] }],
  ["const of null", { const: null }, { type: "null" }],
  ["const of a flag", { const: true, description: "Yes." }, { type: "boolean", description: "Yes. Exactly true." }],
  ["const of an object", { const: { x: 1 } }, { type: "object", description: 'Exactly {"x":1}.' }],
  ["both flags", { enum: [true, false] }, { type: "boolean" }],
  [
    "texts and null",
    { type: ["string", "null"], enum: ["a", "b", null], title: "t" },
    { title: "t", anyOf: [{ type: "string", enum: ["a", "b"] }, { type: "null" }] },
  ],
  [
    "a reference beside other words",
    object({ a: { $ref: "#/$defs/A", description: "d", title: "t" } }, { $defs: A }),
    object({ a: { description: "d", title: "t", anyOf: [{ $ref: "#/$defs/A" }] } }, { $defs: A }),
  ],
  [
    "definitions of draft 7, one of which nobody names",
    object({ a: { $ref: "#/definitions/A" } }, { definitions: { ...A, B: TEXT } }),
    object({ a: { $ref: "#/$defs/A" } }, { $defs: A }),
  ],
  [
    "a definition with signs in its name",
    object({ a: { $ref: "#/$defs/a~1b%20c" } }, { $defs: { "a/b c": TEXT } }),
    object({ a: { $ref: "#/$defs/definition_1" } }, { $defs: { definition_1: TEXT } }),
  ],
  [
    "a reference to a member",
    object({ h: object({}), list: { type: "array", items: { $ref: "#/properties/h" } } }),
    object(
      { h: { $ref: "#/$defs/definition_1" }, list: { type: "array", items: { $ref: "#/$defs/definition_1" } } },
      { $defs: { definition_1: object({}) } },
    ),
  ],
  [
    "a reference to a place that is no schema's",
    { $ref: "#/components/schemas/A", components: { schemas: A } },
    { anyOf: [{ $ref: "#/$defs/definition_1" }], components: { schemas: A }, $defs: { definition_1: TEXT } },
  ],
  [
    "a cycle through members that are required",
    object(
      { n: { $ref: "#/$defs/N" } },
      { required: ["n"], $defs: { N: object({ next: { $ref: "#/$defs/N" }, v: TEXT }, { required: ["next", "v"] }) } },
    ),
    object(
      { n: { $ref: "#/$defs/N" } },
      {
        required: ["n"],
        $defs: {
          N: object({ next: { $ref: "#/$defs/N" }, v: TEXT }, { description: "Required: next.", required: ["v"] }),
        },
      },
    ),
  ],
  [
    "a root that refers to itself",
    object({ child: { $ref: "#" } }, { required: ["child"] }),
    object(
      { child: { $ref: "#/$defs/definition_1" } },
      {
        required: ["child"],
        $defs: {
          definition_1: object({ child: { $ref: "#/$defs/definition_1" } }, { description: "Required: child." }),
        },
      },
    ),
  ],
];

describe("a schema for Gemini", () => {
  test.each(CASES)("with %s", (_, schema, expected) => {
    expect(fitSchema(schema)).toEqual({ schema: expected, lost: [] } as never);
    expect(fitSchema(expected).schema).toEqual(expected as never);
  });

  test.each(["#/$defs/None", "https://x.example/s.json", "#anchor", "other.json#/a"])(
    "that refers to %s loses it, and says so",
    ($ref) => {
      const fitted = fitSchema(object({ a: { $ref, description: "d" } }));
      expect(fitted).toEqual({ schema: object({ a: { description: "d" } }), lost: ["$ref"] } as never);
    },
  );

  test("stays the same object where nothing has to change", () => {
    const schema = {
      ...object({ const: TEXT, a: { $ref: "#/$defs/A" } }),
      items: [{ enum: [1] }],
      default: { const: 1 },
      $defs: A,
    };
    expect(fitSchema(schema).schema).toBe(schema as never);
  });

  test("takes time by its length", () => {
    const chain = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [
        `d${at}`,
        object({ next: { $ref: `#/$defs/d${(at + 1) % 20_000}` } }, { required: ["next"] }),
      ]),
    );
    const { $defs } = fitSchema({ $ref: "#/$defs/d0", $defs: chain }).schema as { $defs: Record<string, object> };
    expect(Object.keys($defs)).toHaveLength(20_000);
    expect($defs.d7).toEqual(object({ next: { $ref: "#/$defs/d8" } }, { description: "Required: next." }));
    let nested: object = TEXT;
    for (let level = 0; level < 500; level += 1)
      nested = object({ a: nested, b: { $ref: `#${"/properties/a".repeat(500 - level)}` } });
    expect(JSON.stringify(fitSchema(nested).schema).length).toBeLessThan(400_000);
  });
});
