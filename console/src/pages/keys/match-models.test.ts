import { expect, test } from "bun:test";
import { modelFilter, readPatterns } from "./match-models.ts";

const MODELS = ["acme/swift", "acme/swift-mini", "other/swift", "other/a.b"];

interface Case {
  readonly patterns: readonly string[] | null;
  readonly allowed: string[];
}

test.each<Case>([
  { patterns: null, allowed: MODELS },
  { patterns: [], allowed: [] },
  { patterns: ["acme/swift"], allowed: ["acme/swift"] },
  { patterns: ["acme/*"], allowed: ["acme/swift", "acme/swift-mini"] },
  { patterns: ["*/swift"], allowed: ["acme/swift", "other/swift"] },
  { patterns: ["*mini", "other/**"], allowed: ["acme/swift-mini", "other/swift", "other/a.b"] },
  { patterns: ["other/a?b", "acme/(swift)"], allowed: [] },
])("$patterns allow $allowed", ({ patterns, allowed }) => {
  expect(MODELS.filter(modelFilter(patterns))).toEqual(allowed);
});

test("patterns are read whatever separates them, each once", () => {
  expect(readPatterns(" acme/*, other/a.b\nacme/*\n\n")).toEqual(["acme/*", "other/a.b"]);
  expect(readPatterns(" \n ")).toEqual([]);
});
