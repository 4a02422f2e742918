import { expect, test } from "bun:test";
import { nextSort, parseSort, sortRows } from "./sort.ts";

const rows = [{ n: 2 }, { n: null }, { n: 10 }, { n: 1 }];

test("rows without a value come last in both directions", () => {
  expect(sortRows(rows, ({ n }) => n, false).map(({ n }) => n)).toEqual([1, 2, 10, null]);
  expect(sortRows(rows, ({ n }) => n, true).map(({ n }) => n)).toEqual([10, 2, 1, null]);
});

test("texts are in alphabetical order, and equal rows keep their order", () => {
  const named = [
    { name: "b", at: 1 },
    { name: "A", at: 2 },
    { name: "b", at: 3 },
  ];
  expect(sortRows(named, ({ name }) => name, false).map(({ at }) => at)).toEqual([2, 1, 3]);
});

test("pressing a column's head changes its order from natural to reverse to none", () => {
  const first = nextSort(null, "cost", true);
  expect(first).toEqual({ key: "cost", descending: true });
  const second = nextSort(first, "cost", true);
  expect(second).toEqual({ key: "cost", descending: false });
  expect(nextSort(second, "cost", true)).toBeNull();
  expect(nextSort(first, "name", false)).toEqual({ key: "name", descending: false });
});

test("an address writes a descending sort with a minus", () => {
  expect(parseSort("-cost")).toEqual({ key: "cost", descending: true });
  expect(parseSort("name")).toEqual({ key: "name", descending: false });
  expect(parseSort("")).toBeNull();
  expect(parseSort(undefined)).toBeNull();
});
