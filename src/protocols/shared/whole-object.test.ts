import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isObject } from "../../core/json.ts";
import { WholeObject } from "./whole-object.ts";

function isWhole(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

describe("a text that comes in pieces", () => {
  const signs = fc.array(fc.constantFrom("{", "}", "[", "]", '"', "\\", ":", ",", "1", " ", "a", '"a":', "\u00a0"), {
    maxLength: 14,
  });
  const values = fc.jsonValue().map((value) => JSON.stringify({ value }));

  test("is a whole object exactly when all of it is one", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          signs,
          values.map((text) => [...text, " "]),
          values.map((text) => [...text]),
        ),
        (pieces) => {
          const object = new WholeObject();
          let text = "";
          for (const piece of pieces) {
            object.add(piece);
            text += piece;
            expect(object.is_whole).toBe(isWhole(text));
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("is whole in one piece, and in none", () => {
    const object = new WholeObject();
    expect(object.is_whole).toBe(false);
    object.add(' {"a":"}{"} \n');
    expect(object.is_whole).toBe(true);
    object.add("x");
    expect(object.is_whole).toBe(false);
  });
});
