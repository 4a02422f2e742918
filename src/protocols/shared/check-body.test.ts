import { describe, expect, test } from "bun:test";
import Type from "typebox";
import { GatewayError } from "../../core/errors.ts";
import { compileBodyCheck } from "./check-body.ts";
import { explain } from "./explain.ts";

const Part = Type.Union([
  Type.Object({ type: Type.Literal("text"), text: Type.String() }),
  Type.Object({ type: Type.Literal("image"), image: Type.Object({ url: Type.String({ minLength: 1 }) }) }),
]);
const Message = Type.Union([
  Type.Object({ role: Type.Literal("user"), content: Type.Union([Type.String(), Type.Array(Part)]) }),
  Type.Object({ role: Type.Literal("tool"), content: Type.String(), id: Type.String() }),
]);
const Body = Type.Object({
  messages: Type.Array(Message, { minItems: 1 }),
  effort: Type.Optional(Type.Union([Type.Enum(["low", "high"]), Type.Null()])),
  n: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
  shape: Type.Optional(
    Type.Union([Type.Object({ a: Type.Number() }), Type.Object({ b: Type.Object({ c: Type.Number() }) })]),
  ),
  map: Type.Optional(Type.Record(Type.String(), Type.String())),
});

const user = (content: unknown) => ({ messages: [{ role: "user", content }] });
const good = user("hi").messages;

describe("the error of a body", () => {
  const cases: readonly (readonly [unknown, string, string, string])[] = [
    [[], "", "an empty array", "an object"],
    [{}, "messages", "nothing", "an array of at least 1 item"],
    [{ messages: {} }, "messages", "an object", "an array of at least 1 item"],
    [{ messages: [] }, "messages", "an empty array", "an array of at least 1 item"],
    [{ messages: [1] }, "messages[0]", "the number 1", "an object"],
    [{ messages: [{ role: "robot" }] }, "messages[0].role", 'the string "robot"', '"user" or "tool"'],
    [{ messages: [{}] }, "messages[0].role", "nothing", '"user" or "tool"'],
    [{ messages: [{ role: "tool", content: "x" }] }, "messages[0].id", "nothing", "a string"],
    [user(null), "messages[0].content", "null", "a string or an array"],
    [user([{ type: "img" }]), "messages[0].content[0].type", 'the string "img"', '"text" or "image"'],
    [user([{ type: "text", text: "a" }, { type: "text" }]), "messages[0].content[1].text", "nothing", "a string"],
    [
      user([{ type: "image", image: { url: "" } }]),
      "messages[0].content[0].image.url",
      'the string ""',
      "a string of at least 1 character",
    ],
    [{ messages: good, effort: "max" }, "effort", 'the string "max"', '"low", "high" or null'],
    [{ messages: good, n: 1.5 }, "n", "the number 1.5", "a whole number of 1 to 9"],
    [{ messages: good, n: "2" }, "n", 'the string "2"', "a whole number of 1 to 9"],
    [{ messages: good, shape: { b: { c: "x" } } }, "shape.b.c", 'the string "x"', "a number"],
    [{ messages: good, map: { "odd key": 1 } }, 'map["odd key"]', "the number 1", "a string"],
  ];
  for (const [body, path, found, allowed] of cases) {
    test(`${JSON.stringify(body)} is described by its place, the finding and what is allowed`, () => {
      expect(explain(Body, body)).toMatchObject({ path, found, allowed });
    });
  }

  test("is null for a valid body", () => {
    expect(explain(Body, { messages: good, unknown: 1 })).toBeNull();
  });
});

describe("a compiled check", () => {
  const check: ReturnType<typeof compileBodyCheck<typeof Body>> = compileBodyCheck(Body, (problem) =>
    problem.steps[0] === "messages" ? "invalid_messages" : "unsupported_parameter",
  );

  test("lets unknown fields pass everywhere", () => {
    check({ messages: [{ role: "user", content: [{ type: "text", text: "a", more: 1 }], name: "x" }], other: {} });
  });

  test("throws the code of the place, with a sentence and the place", () => {
    const caught = (body: unknown) => {
      try {
        check(body);
      } catch (error) {
        return error instanceof GatewayError ? [error.code, error.param, error.message] : error;
      }
      return null;
    };
    expect(caught({ messages: good, n: 0 })).toEqual([
      "unsupported_parameter",
      "n",
      "'n' is the number 0; allowed: a whole number of 1 to 9.",
    ]);
    expect(caught({ messages: [{ role: "tool", content: "x" }] })).toEqual([
      "invalid_messages",
      "messages[0].id",
      "'messages[0].id' is missing; allowed: a string.",
    ]);
    expect(caught(1)).toEqual(["unsupported_parameter", null, "The body is the number 1; allowed: an object."]);
  });
});
