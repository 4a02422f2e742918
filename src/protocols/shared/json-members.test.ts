import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GatewayError } from "../../core/errors.ts";
import { findItems, findMembers, memberText, replaceMembers } from "./json-members.ts";

/** JSON text of objects, with white space where JSON allows it and some keys in escapes. */
const spaced = fc
  .tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom("", " ", "\n\t", "\r\n  "), fc.boolean())
  .map(([object, space, escaped]) => {
    const members = Object.entries(object).map(([key, value]) => {
      const name = escaped ? `"${inEscapes(key)}"` : JSON.stringify(key);
      return `${space}${name}${space}:${space}${JSON.stringify(value, null, space)}${space}`;
    });
    return { text: `${space}{${members.join(",")}${space}}${space}`, entries: Object.entries(object) };
  });

/** Every code unit as a `\u` escape. */
function inEscapes(key: string): string {
  return Array.from({ length: key.length }, (_, at) => `\\u${key.charCodeAt(at).toString(16).padStart(4, "0")}`).join(
    "",
  );
}

const entriesOf = (text: string) => Object.entries(JSON.parse(text) as Record<string, unknown>);
const sorted = (entries: readonly (readonly [string, unknown])[]) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

describe("findMembers", () => {
  test("finds what JSON.parse finds", () => {
    fc.assert(
      fc.property(spaced, ({ text }) => {
        const members = findMembers(text);
        const found = [...members.keys()].map(
          (key) => [key, JSON.parse(memberText(text, members, key) ?? "")] as const,
        );
        expect(sorted(found)).toEqual(sorted(entriesOf(text)));
      }),
      { numRuns: 1000 },
    );
  });

  for (const text of ['{"model":"a","model":"b"}', '{"model":"a","mod\\u0065l":"b"}', '{"a":{},"b":"\\"}","a":1}']) {
    test(`refuses ${text}`, () => {
      expect(() => findMembers(text)).toThrow("more than once; allowed: once");
      try {
        findMembers(text);
      } catch (error) {
        expect(error).toBeInstanceOf(GatewayError);
        expect((error as GatewayError).code).toBe("invalid_json");
      }
    });
  }

  /** Texts that look like the end of a member where none is, and objects of many arrays. */
  const misleading = fc.dictionary(
    fc.constantFrom("a", "b", "c", "d"),
    fc.array(
      fc.oneof(fc.constantFrom("]", "],", '],"', '],"b":[', "]}", "\\", '"'), fc.constant([["]"], "x"]), fc.object()),
    ),
  );

  test("ignores brackets in strings, wherever they stand", () => {
    fc.assert(
      fc.property(misleading, fc.constantFrom("", " ", "\n"), (object, space) => {
        const text = JSON.stringify(object, null, space) + space;
        const members = findMembers(text);
        const found = members.keys().map((key) => [key, JSON.parse(memberText(text, members, key) ?? "")] as const);
        expect(found).toEqual(entriesOf(text));
      }),
      { numRuns: 300 },
    );
  });

  test("refuses a repeated key after an array that only looks like the last value", () => {
    for (const text of ['{"a":[1],"b":"x],","a":[2]}', '{"a":["]}"],"a":["]}"]}', '{"a":[[1],"b"],"a":1}'])
      expect(() => findMembers(text)).toThrow('"a" more than once');
  });

  test("allows a key again deeper inside and as a value", () => {
    expect([...findMembers('{"model":{"model":"model"},"x":["model"]}').keys()]).toEqual(["model", "x"]);
  });
});

describe("replaceMembers", () => {
  const change = fc.oneof(
    fc.constant(null),
    fc.jsonValue().map((value) => JSON.stringify(value)),
  );

  test("changes the given members and nothing else", () => {
    fc.assert(
      fc.property(spaced, fc.array(change), fc.dictionary(fc.string(), change), ({ text, entries }, picks, others) => {
        const changes = new Map(Object.entries(others));
        for (const [at, pick] of picks.entries()) if (entries[at]) changes.set(entries[at][0], pick);
        const expected = new Map(entriesOf(text));
        for (const [key, value] of changes) {
          if (value === null) expected.delete(key);
          else expected.set(key, JSON.parse(value));
        }
        const result = replaceMembers(text, changes);
        expect(sorted(entriesOf(result))).toEqual(sorted([...expected].map(([key, value]) => [key, plain(value)])));
      }),
      { numRuns: 2000 },
    );
  });

  test("keeps large numbers, order, white space and unknown fields to the byte", () => {
    const text = '{ "big": 12345678901234567890,\n "model" : "a" , "x":{"y":1.0}, "last":1e3 }';
    expect(replaceMembers(text, new Map([["model", '"b"']]))).toBe(text.replace('"a"', '"b"'));
    expect(replaceMembers(text, new Map())).toBe(text);
    expect(replaceMembers(text, new Map([["model", null]]))).toBe(
      '{ "big": 12345678901234567890 , "x":{"y":1.0}, "last":1e3 }',
    );
    expect(replaceMembers(text, new Map([["new", "true"]]))).toBe(text.replace("1e3", '1e3,"new":true'));
    expect(replaceMembers("{ }", new Map([["a", "1"]]))).toBe('{"a":1 }');
  });
});

describe("findItems", () => {
  test("finds what JSON.parse finds", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom("", "  ", "\n"), (array, space) => {
        const text = JSON.stringify(array, null, space);
        const items = findItems(text, 0).map(({ start, end }) => JSON.parse(text.slice(start, end)) as unknown);
        expect(items).toEqual(JSON.parse(text));
      }),
    );
  });
});
