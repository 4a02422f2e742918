import { describe, expect, test } from "bun:test";
import { isStrict } from "./decode-request.ts";
import { fitSchema } from "./fit-schema.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const STRING = { type: "string" };

describe("a schema that the vendor can enforce", () => {
  test("is sent unchanged except that its objects are closed", () => {
    const schema = object(
      { a: STRING, b: { enum: ["x", 1, null] }, c: { const: true }, d: { type: "array", items: STRING, minItems: 1 } },
      { required: ["a", "b", "c", "d"], title: "T" },
    );
    expect(fitSchema({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema })).toEqual({
      ...schema,
      additionalProperties: false,
    });
  });

  test("has its other constraints in its description, after the text that is there", () => {
    const n = { type: "integer", description: "A count.", minimum: 1, maximum: 5 };
    const s = { type: "string", maxLength: 3, format: "color" };
    const l = { type: "array", items: STRING, minItems: 2 };
    expect(fitSchema(object({ n, s, l }))?.properties).toEqual({
      n: { type: "integer", description: "A count.\n\n{minimum: 1, maximum: 5}" },
      s: { type: "string", description: '{maxLength: 3, format: "color"}' },
      l: { type: "array", items: STRING, description: "{minItems: 2}" },
    });
  });

  test("may have variants, definitions and formats", () => {
    const schema = object(
      {
        when: { type: "string", format: "date" },
        what: { oneOf: [STRING, { $ref: "#/$defs/pair" }] },
        both: { allOf: [{ $ref: "#/$defs/pair" }] },
      },
      { $defs: { pair: object({ a: STRING }) } },
    );
    expect(fitSchema(schema)).toMatchObject({
      properties: {
        when: { type: "string", format: "date" },
        what: { anyOf: [STRING, { $ref: "#/$defs/pair" }] },
        both: { allOf: [{ $ref: "#/$defs/pair" }] },
      },
      $defs: { pair: { additionalProperties: false } },
    });
  });

  test("may hold an empty object that is closed", () => {
    expect(fitSchema({ type: "object", additionalProperties: false })).not.toBeNull();
  });
});

const names = (count: number) => Array.from({ length: count }, (_, at) => `m${at}`);
const optional = (count: number) => object(Object.fromEntries(names(count).map((name) => [name, STRING])));
const unions = (count: number) => {
  const required = names(count);
  return object(Object.fromEntries(required.map((name) => [name, { type: ["string", "null"] }])), { required });
};

describe("a schema has no form at the vendor when it has", () => {
  test.each([
    ["members of any name", object({ a: object({ b: STRING }, { additionalProperties: STRING }) })],
    ["further members of any name", object({ a: STRING }, { additionalProperties: true })],
    ["an object without members", object({ a: { type: "object" } })],
    ["anything at all", object({ a: {} })],
    ["a schema that is true", object({ a: true })],
    ["no schemas for its members", { type: "object", properties: null, additionalProperties: false }],
    ["members by pattern", object({ a: STRING }, { patternProperties: { "^x": STRING } })],
    ["a condition", object({ a: STRING }, { if: {} })],
    ["values that are objects", object({ a: { enum: [{ b: 1 }] } })],
    ["itself inside", object({ a: { $ref: "#" } })],
    [
      "a definition that holds itself",
      object({ a: { $ref: "#/$defs/node" } }, { $defs: { node: object({ next: { $ref: "#/$defs/node" } }) } }),
    ],
    ["a definition that is elsewhere", object({ a: { $ref: "https://x.example/schema.json" } })],
    ["more optional members than the vendor takes", optional(25)],
    ["more members of several types than the vendor takes", unions(17)],
  ])("%s", (_name, schema) => {
    expect(fitSchema(schema)).toBeNull();
  });

  test("each definition is followed once, however often it is used", () => {
    const doubled = (at: number) => object({ l: { $ref: `#/$defs/d${at}` }, r: { $ref: `#/$defs/d${at}` } });
    const $defs = Object.fromEntries(names(60).map((_, at) => [`d${at}`, at === 59 ? STRING : doubled(at + 1)]));
    expect(fitSchema(object({ a: { $ref: "#/$defs/d0" } }, { $defs }))).toBeNull();
  });

  test("a schema at the vendor's limits has a form", () => {
    expect(fitSchema(optional(24))).not.toBeNull();
    expect(fitSchema(unions(16))).not.toBeNull();
  });
});

test.each([
  [object({ a: STRING }, { required: ["a"], additionalProperties: false }), true],
  [object({ a: STRING }, { required: ["a"] }), false],
  [object({ a: STRING }, { additionalProperties: false }), false],
  [{ type: "object" }, false],
  [{ type: "array", items: object({}) }, false],
  [STRING, true],
])("%j allows nothing but its required members: %p", (schema, strict) => {
  expect(isStrict(schema)).toBe(strict);
});
