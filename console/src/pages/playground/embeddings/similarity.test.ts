import { expect, test } from "bun:test";
import { readVectors, similarity } from "./similarity.ts";

test.each([
  ["the same direction", [3, 4], [6, 8], 1],
  ["a right angle", [1, 0], [0, 2], 0],
  ["the opposite", [1, 2], [-1, -2], -1],
  ["no direction", [0, 0], [1, 2], 0],
])("the similarity of %s", (_name, one, other, expected) => {
  expect(similarity(one, other)).toBeCloseTo(expected, 12);
});

test("vectors are read in the order of their texts, and none of an answer without vectors", () => {
  const data = [
    { index: 1, embedding: [0, 1] },
    { index: 0, embedding: [1, 0] },
  ];
  expect(readVectors(JSON.stringify({ data }))).toEqual([
    [1, 0],
    [0, 1],
  ]);
  expect(readVectors("<html>")).toEqual([]);
});
