import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isObject } from "../../core/json.ts";
import { argumentsOf, ObjectText } from "./object-text.ts";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function written(pieces: readonly string[]): { readonly text: string; readonly passed: string } {
  const object = new ObjectText();
  const passed = pieces.map((piece) => object.push(piece)).join("");
  return { passed, text: passed + object.end() };
}

const signs = fc.constantFrom(
  ...[
    "{",
    "}",
    "[",
    "]",
    '"',
    "\\",
    ":",
    ",",
    " ",
    "\n",
    "u00e9",
    "u1",
    "a",
    "true",
    "nul",
    "null",
    "-",
    "0",
    "1",
    "2",
  ],
  ...[".", "e", "E+", '"a":', '"b":"c"', '{"a":1}', '{"x":[1.5e3,{"y":"\\u00fc'],
);
const values = fc.jsonValue().map((value) => JSON.stringify({ value }));
const cut = fc.tuple(values, fc.nat(200)).map(([text, at]) => text.slice(0, at));
const texts = fc.oneof(
  fc.array(signs, { maxLength: 14 }).map((all) => all.join("")),
  values,
  cut,
  fc.tuple(cut, signs).map((all) => all.join("")),
);

describe("arguments on their way to a client of messages", () => {
  test("are an object whatever the model wrote, pass unchanged where they are one, and are not lost where they are none", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), (text, size) => {
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
        const out = written(pieces);
        const said = parsed(text);
        if (text.trim() === "") return expect(out.text).toBe("");
        if (isObject(said)) return expect(out.text).toBe(text.trim());
        const object = parsed(out.text);
        expect(isObject(object)).toBe(true);
        if (!isObject(object)) return;
        expect(object).toMatchObject({ INVALID_JSON: text });
        expect(argumentsOf(object)).toBe(text);
        expect(text.trimStart().startsWith(out.passed.trimEnd())).toBe(true);
      }),
      { numRuns: 4000 },
    );
  });

  test.each([
    [" ", ""],
    [' \n{"a":1}', '{"a":1}'],
    ["hello", '{"INVALID_JSON":"hello"}'],
    ["[1,2]", '{"INVALID_JSON":"[1,2]"}'],
    ['{"a":1}{"a":1}', '{"a":1,"INVALID_JSON":"{\\"a\\":1}{\\"a\\":1}"}'],
    ["{}{}", '{"INVALID_JSON":"{}{}"}'],
    ['{"q":', '{"q":null,"INVALID_JSON":"{\\"q\\":"}'],
    ['{"q":tr', '{"q":true,"INVALID_JSON":"{\\"q\\":tr"}'],
    ["{'a':1}", `{"INVALID_JSON":"{'a':1}"}`],
  ])("%s is written as %s", (text, shown) => {
    expect(written([text]).text).toBe(shown);
    expect(written([...text]).text).toBe(shown);
  });
});
