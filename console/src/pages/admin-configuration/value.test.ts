import { expect, test } from "bun:test";
import { countOf, laterPrice, leafWords, leavesOf, orNothing, pricesOf, withField, writtenPrices } from "./value.ts";

test("a field keeps its place, comes at the end where it is new, and goes where nothing is typed", () => {
  expect(Object.keys(withField({ a: "1", b: "2" }, "a", "3"))).toEqual(["a", "b"]);
  expect(withField({ a: "1" }, "b", "2")).toEqual({ a: "1", b: "2" });
  for (const nothing of [undefined, "", []]) expect(withField({ a: "1", b: "2" }, "a", nothing)).toEqual({ b: "2" });
  expect(withField({}, "flag", false)).toEqual({ flag: false });
});

test("a part of an element goes with its last field", () => {
  expect(orNothing(withField({}, "idle", "30s"))).toEqual({ idle: "30s" });
  expect(orNothing(withField({ idle: "30s", total: "5m" }, "idle", ""))).toEqual({ total: "5m" });
  expect(orNothing(withField({ idle: "30s" }, "idle", ""))).toBeUndefined();
  expect(orNothing(withField({}, "streaming", false))).toEqual({ streaming: false });
});

test.each([
  ["", undefined],
  [" 128000 ", 128_000],
  ["1.5", "1.5"],
  ["many", "many"],
])("a typed count of %j is %p", (typed, count) => expect(countOf(typed)).toBe(count as never));

test("prices are edited as a list, and one price is written by itself", () => {
  const price = { input: "1.00" };
  expect([pricesOf(undefined), pricesOf(price), pricesOf([price, price])].map(({ length }) => length)).toEqual([
    0, 1, 2,
  ]);
  expect([writtenPrices([]), writtenPrices([price]), writtenPrices([price, price])]).toEqual([
    undefined,
    price,
    [price, price],
  ]);
});

test.each([
  [null, "none"],
  [true, "yes"],
  ["3.00", "3.00"],
  [["a", "b"], "a, b"],
])("%j reads %s", (leaf, words) => expect(leafWords(leaf)).toBe(words));

test("a new object is shown leaf by leaf", () => {
  const after = { price: [{ input: "1.00", tiers: [{ input: "2.00" }] }], takes: ["text", "image"], kind: "chat" };
  expect(leavesOf({ path: "", before: null, after }).map(({ path, after: leaf }) => [path, leaf])).toEqual([
    ["price[0].input", "1.00"],
    ["price[0].tiers[0].input", "2.00"],
    ["takes", ["text", "image"]],
    ["kind", "chat"],
  ]);
  expect(leavesOf({ path: "routes", before: [{ vendor: "a" }], after: null })).toEqual([
    { path: "routes[0].vendor", before: "a", after: null },
  ]);
  expect(leavesOf({ path: "", before: "a/b", after: "a/c" })).toEqual([{ path: "", before: "a/b", after: "a/c" }]);
});

test.each([
  [
    "a second price beside one: only what is new",
    { input: "2.00", output: "8.00" },
    [
      { input: "2.00", output: "8.00" },
      { from: "2026-12-01", input: "3.00", output: "14.00" },
    ],
    [
      ["price[from 2026-12-01].input", null, "3.00"],
      ["price[from 2026-12-01].output", null, "14.00"],
    ],
  ],
  [
    "a dated price that changes, whatever stands before it",
    [{ input: "2.00" }, { from: "2026-12-01", input: "3.00" }],
    [{ input: "2.00" }, { from: "2026-11-30", input: "2.50" }, { from: "2026-12-01", input: "3.50" }],
    [
      ["price[from 2026-12-01].input", "3.00", "3.50"],
      ["price[from 2026-11-30].input", null, "2.50"],
    ],
  ],
  [
    "tiers within a price",
    { input: "2.00", tiers: [{ above: 200000, input: "4.00" }] },
    { input: "2.00", tiers: [{ above: 200000, input: "5.00" }] },
    [["price.tiers[0].input", "4.00", "5.00"]],
  ],
])("%s", (_what, before, after, expected) => {
  const leaves = leavesOf({ path: "price", before, after });
  expect(leaves.map(({ path, before: was, after: is }) => [path, was, is])).toEqual(expected as never);
  for (const { before: was, after: is } of leaves) expect(`${leafWords(was)} ${leafWords(is)}`).not.toContain("object");
});

test("a later price begins with the last one's figures, on the first of the month after it and after today", () => {
  const now_ms = Date.parse("2026-11-28T05:00:00Z");
  const first = { input: "3", output: "15", cache_read: "0.3" };
  expect(laterPrice([first], now_ms)).toEqual({ ...first, from: "2026-12-01" });
  expect(laterPrice([first, { ...first, from: "2026-12-31" }], now_ms)).toEqual({ ...first, from: "2027-01-01" });
  expect(laterPrice([first, { ...first, from: "2020-01-01" }], now_ms)).toEqual({ ...first, from: "2026-12-01" });
});
