import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { placeOfCell } from "../core/cell-place.ts";
import { BASE62_ALPHABET } from "../core/ids.ts";
import { checkApiKey, createApiKey, hashApiKey, hasKeyShape, isSignedByGateway, placeInKey } from "./api-key.ts";
import { deriveSubKeys } from "./sub-keys.ts";

const keys = deriveSubKeys("a root secret for tests");
const others = deriveSubKeys("another root secret for tests");

describe("an API key", () => {
  test("begins with cm- and has 54 base-62 characters: id, secret, signature, checksum", () => {
    const { key, hint } = createApiKey(keys);
    expect(key).toMatch(/^cm-[0-9A-Za-z]{54}$/);
    expect(key.endsWith(hint)).toBe(true);
    expect(hint).toHaveLength(4);
  });

  test("says in which cell its account lives, where there are cells, and is refused with another one's name", () => {
    const { key } = createApiKey(keys, undefined, "north");
    expect(key).toMatch(/^cm-[0-9A-Za-z]{58}$/);
    expect(placeInKey(key)).toBe(placeOfCell("north"));
    expect(placeInKey(createApiKey(keys).key)).toBeNull();
    expect(checkApiKey(keys, key)).toBe(true);
    expect(checkApiKey(keys, key.replace(placeOfCell("north"), placeOfCell("south")))).toBe(false);
    expect(checkApiKey(keys, key.replace(placeOfCell("north"), ""))).toBe(false);
  });

  test("names a cell between releases in the same way, as issued keys lead there", () => {
    expect(["directory", "north"].map(placeOfCell)).toMatchInlineSnapshot(`
      [
        "Esk0",
        "Slby",
      ]
    `);
  });

  test("is accepted by the gateway that made it, every time", () => {
    for (let i = 0; i < 500; i++) expect(checkApiKey(keys, createApiKey(keys).key)).toBe(true);
  });

  test("of another gateway has the shape of a key but not this gateway's signature", () => {
    const { key } = createApiKey(others);
    expect(hasKeyShape(key)).toBe(true);
    expect(isSignedByGateway(keys, key)).toBe(false);
  });

  test("is refused after any change of a single character", () => {
    for (const { key } of [createApiKey(keys), createApiKey(keys, undefined, "north")])
      fc.assert(
        fc.property(fc.nat(key.length - 1), fc.constantFrom(...BASE62_ALPHABET, "-", "é", " "), (at, character) => {
          fc.pre(key[at] !== character);
          expect(checkApiKey(keys, key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
        }),
        { numRuns: 2000 },
      );
  });

  test("is refused when two neighbours change places", () => {
    const { key } = createApiKey(keys);
    for (let at = 3; at < key.length - 1; at++) {
      const swapped = key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2);
      if (swapped !== key) expect(hasKeyShape(swapped)).toBe(false);
    }
  });

  test("is refused when it is cut, longer, or not a key", () => {
    const { key } = createApiKey(keys);
    const strangers = ["", "cm-", key.slice(0, -1), `${key}0`, `${key}\n`, ` ${key}`, key.toUpperCase()];
    strangers.push("sk-proj-abc", "' OR 1=1 --", "cm-".padEnd(57, "0"), "x".repeat(1_000_000));
    for (const stranger of strangers) expect(checkApiKey(keys, stranger)).toBe(false);
  });

  test("is never accepted by chance", () => {
    fc.assert(fc.property(fc.string({ maxLength: 80 }), (text) => !checkApiKey(keys, text)));
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...BASE62_ALPHABET), minLength: 54, maxLength: 54 }), (text) => {
        return !checkApiKey(keys, `cm-${text}`);
      }),
    );
  });
});

describe("the stored hash of a key", () => {
  test("names its version and is 64 hex digits", () => {
    expect(createApiKey(keys).hash).toMatch(/^v1:[0-9a-f]{64}$/);
  });

  test("depends on the key and the secret alone, and changes with either", () => {
    const { key, hash } = createApiKey(keys);
    expect(hashApiKey(keys, key)).toBe(hash);
    expect(hashApiKey(others, key)).not.toBe(hash);
    expect(createApiKey(keys).hash).not.toBe(hash);
  });

  test("does not change between releases, as issued keys must stay valid", () => {
    const fixed = deriveSubKeys("0123456789abcdef");
    const key = "cm-A7MaEqWPCFelllQfoHG8wZPdBVGu9Tgh0l6g1wdNsKVogiO3315LI8";
    expect(checkApiKey(fixed, key)).toBe(true);
    expect(hashApiKey(fixed, key)).toMatchInlineSnapshot(
      `"v1:bcc4133dbe536f2de33e401f2775fc348b7afab0e2e1e2ed239f15ef8968da7d"`,
    );
  });
});
