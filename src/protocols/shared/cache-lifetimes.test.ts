import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { PartPrices, Price } from "../../core/money/price.ts";
import { isPricedLifetime, withPricedLifetimes } from "./cache-lifetimes.ts";

const priced = (parts?: PartPrices): Price => ({
  ...{ version: "v", from_ms: 0, tiers: [], input_micro_per_mtok: 1, output_micro_per_mtok: 1 },
  ...{ cache_read_micro_per_mtok: 1, cache_write_micro_per_mtok: 1 },
  ...(parts && { parts_micro_per_mtok: parts }),
});
const PLAIN = priced();
const HOUR = priced({ cache_write_1h: 2 });
const ALL = priced({ cache_write_1h: 2, cache_write_12h: 3 });

test.each([
  ["5m", PLAIN, true],
  ["30m", PLAIN, true],
  [null, PLAIN, true],
  ["1h", PLAIN, false],
  ["1h", HOUR, true],
  ["12h", HOUR, false],
  ["12h", ALL, true],
  ["3d", ALL, false],
  [3600, ALL, false],
  [{}, ALL, false],
  ["constructor", ALL, false],
])("a lifetime of %j", (ttl, price, is_priced) => {
  expect(isPricedLifetime(ttl, price)).toBe(is_priced);
});

describe("a body's text without lifetimes that have no price", () => {
  test.each([
    ['{"cache_control":{"type":"ephemeral","ttl":"1h"}}', '{"cache_control":{"type":"ephemeral"}}'],
    ['{"cache_control":{"ttl":"1h" , "type":"ephemeral"}}', '{"cache_control":{ "type":"ephemeral"}}'],
    ['{"cache_control": { "ttl" : "1h" } }', '{"cache_control": { } }'],
    ['{"prompt_cache_options":{"ttl":"12h"},"x":1}', '{"prompt_cache_options":{},"x":1}'],
    [
      '{"a":[{"prompt_cache_breakpoint":{"mode":"e" ,\n"ttl":"12h"}}]}',
      '{"a":[{"prompt_cache_breakpoint":{"mode":"e" }}]}',
    ],
    // A member that is there twice, or in escapes, is no way around.
    ['{"cache_control":{"type":"e","ttl":"1h","ttl":"12h"}}', '{"cache_control":{"type":"e"}}'],
    ['{"cache_control":{"ttl":"1h","ttl":"12h"}}', '{"cache_control":{}}'],
    ['{"cache_control":{"\\u0074tl":"1h"}}', '{"cache_control":{}}'],
    ['{"\\u0063ache_control":{"ttl":"\\u0031h"}}', '{"\\u0063ache_control":{}}'],
    ['{"cache_control":{"ttl":3600}}', '{"cache_control":{}}'],
  ])("%s", (text, left) => {
    expect(withPricedLifetimes(text, PLAIN)?.text).toBe(left);
  });

  test.each([
    '{"ttl":"1h","tools":[{"parameters":{"properties":{"ttl":{"type":"string"}}}}]}',
    '{"text":"\\"cache_control\\":{\\"ttl\\":\\"1h\\"}"}',
    '{"cache_control":{"type":"ephemeral","ttl":"5m"},"x":{"ttl":"1h"}}',
    '{"cache_control":"ttl","x":[{"ttl":"1h"}]}',
    '{"cache_control":{"a\\"ttl":"1h","b":{"ttl":"1h"}}}',
    '{"cache_control":null,"ttl":"1h"}',
  ])("changes nothing in %s", (text) => {
    JSON.parse(text);
    expect(withPricedLifetimes(text, PLAIN)).toBeNull();
  });

  test("is not looked at where nothing is charged", () => {
    expect(withPricedLifetimes('{"cache_control":{"ttl":"1h"}}', undefined)).toBeNull();
  });
});

const HOLDERS = ["cache_control", "prompt_cache_options", "prompt_cache_breakpoint"];
const key = fc.constantFrom(...HOLDERS, "ttl", "type", 'a"b', "content");
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>("5m", "1h", "12h", 'x"ttl":"1h"', 7, null, true),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(key, tie("tree"), { maxKeys: 4 }),
  ),
}));

/** The same by the parsed value: what the text must be read as. */
function without(value: unknown, holder: string, price: Price): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, "", price));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([name, member]) => name !== "ttl" || !HOLDERS.includes(holder) || isPricedLifetime(member, price),
  );
  return Object.fromEntries(kept.map(([name, member]) => [name, without(member, name, price)]));
}

test("whatever a body holds, no unpriced lifetime of a holder is left in it, and nothing else is changed", () => {
  fc.assert(
    fc.property(tree, fc.constantFrom(PLAIN, HOUR, ALL), fc.constantFrom(undefined, 1), (value, price, space) => {
      const text = JSON.stringify(value, null, space);
      const sent = withPricedLifetimes(text, price)?.text ?? text;
      expect(JSON.parse(sent)).toEqual(without(value, "", price));
    }),
    { numRuns: 2000 },
  );
});
