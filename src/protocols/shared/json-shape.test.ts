import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { findExcess, isTooDeep, mayExceed } from "./json-shape.ts";

/** A value inside so many arrays. */
const nested = (levels: number, inside = "1") => `${"[".repeat(levels)}${inside}${"]".repeat(levels)}`;
const wide = (members: number) => `{${Array.from({ length: members }, (_, at) => `"m${at}":${at}`).join(",")}}`;

describe("the depth of a JSON text", () => {
  test("is allowed up to the bound, whatever stands in its strings", () => {
    const brackets = JSON.stringify("[{".repeat(2000));
    expect(findExcess(nested(512))).toBeNull();
    expect(findExcess(nested(512, brackets))).toBeNull();
    expect(findExcess(`{"a":${brackets},"b":[${brackets}]}`)).toBeNull();
  });

  test.each([
    ["one level more", nested(513), 513, []],
    ["200,000 levels", nested(200_000), 200_000, []],
    ["levels in a member", `{"a":1,"metadata":{"b":[1,${nested(600)}]}}`, 603, ["metadata", "b", 1]],
    ["levels behind strings with brackets", `{"s":"]]}}\\"]","t":${nested(600)}}`, 601, ["t"]],
    ["levels of objects", `${'{"a":'.repeat(600)}1${"}".repeat(600)}`, 600, ["a", "a"]],
    ["levels that are never closed", "[".repeat(5000), 5000, []],
  ])("is told for %s", (_, text, found, steps) => {
    const excess = findExcess(text);
    expect(excess).toMatchObject({ kind: "levels", found });
    expect(excess?.steps.slice(0, steps.length)).toEqual([...steps]);
    expect(isTooDeep(text)).toBe(true);
  });

  test("is what a walk through the parsed value finds", () => {
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        fc.string(),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie("tree"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.integer({ min: 505, max: 515 }), fc.constantFrom(0, 2), (value, levels, space) => {
        const text = nested(levels, JSON.stringify(value, null, space));
        const depth = levels + depthOf(value);
        expect(isTooDeep(text)).toBe(depth > 512);
        expect(mayExceed(text, JSON.parse(text))).toBe(depth > 512);
        expect(findExcess(text)?.found ?? null).toBe(depth > 512 ? depth : null);
      }),
    );
  });
});

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe("the members of an object", () => {
  test("are allowed up to the bound, in each object for itself", () => {
    expect(findExcess(wide(20_000))).toBeNull();
    expect(findExcess(`[${wide(15_000)},${wide(15_000)}]`)).toBeNull();
  });

  test.each([
    ["the body", wide(20_001), 20_001, []],
    ["two million", wide(200_000), 200_000, []],
    ["a member", `{"model":"m","metadata":${wide(20_001)}}`, 20_001, ["metadata"]],
    ["an item behind other objects", `{"a":[${wide(10)},{"b":${wide(30_000)}}],"c":{}}`, 30_000, ["a", 1, "b"]],
  ])("are told for %s", (_, text, found, steps) => {
    expect(findExcess(text)).toEqual({ kind: "members", found, steps: [...steps] });
    expect(mayExceed(text, JSON.parse(text))).toBe(true);
  });

  test.each([
    ["a tool's schema", `{"tools":[{"function":{"parameters":{"properties":${wide(30_000)}}}}]}`],
    ["an answer's schema", `{"response_format":{"json_schema":{"schema":{"properties":${wide(30_000)}}}}}`],
    ["a tool's arguments", `{"messages":[{"content":[{"type":"tool_use","input":${wide(30_000)}}]}]}`],
    ["objects in a tool's arguments", `{"messages":[{"content":[{"input":{"a":[${wide(30_000)},${wide(30_000)}]}}]}]}`],
  ])("are the client's own in %s", (_, text) => {
    expect(findExcess(text)).toBeNull();
  });

  test("are judged again behind a schema", () => {
    const text = `{"tools":[{"parameters":${wide(30_000)},"other":${wide(20_001)}}]}`;
    expect(findExcess(text)).toEqual({ kind: "members", found: 20_001, steps: ["tools", 0, "other"] });
  });

  test("are no schema's on the top level, or in a member that holds none", () => {
    expect(findExcess(`{"parameters":${wide(20_001)}}`)).toMatchObject({ steps: ["parameters"] });
    expect(findExcess(`{"metadata":{"schema":${wide(20_001)}}}`)).toMatchObject({ steps: ["metadata", "schema"] });
  });
});

test("a text that is no JSON is walked through without harm", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("{", "}", "[", "]", '"', "\\", ":", ",", "1", " "), { maxLength: 60 }),
      (signs) => {
        findExcess(signs.join("").repeat(3000));
      },
    ),
  );
});
