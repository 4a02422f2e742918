import { describe, expect, test } from "bun:test";
import type { Model, Vendor } from "../core/catalog/catalog.ts";
import type { Candidate } from "./candidates.ts";
import { rankCandidates } from "./rank-candidates.ts";

const MODEL = { id: "m" } as Model;
const candidate = (vendor: string, weight = 1): Candidate => ({
  model: MODEL,
  vendor: { id: vendor } as Vendor,
  route: { vendor, upstream_model: "m", weight },
});
const firstOf = (group: readonly Candidate[], conversation: number) =>
  rankCandidates(group, conversation)[0]?.vendor.id ?? "";
const CONVERSATIONS = Array.from({ length: 3000 }, (_, n) => n * 7919);

describe("the ranks of a conversation", () => {
  test("share conversations out by weight", () => {
    const group = [candidate("a", 3), candidate("b", 1)];
    const share = CONVERSATIONS.filter((each) => firstOf(group, each) === "a").length / CONVERSATIONS.length;
    expect(share).toBeGreaterThan(0.72);
    expect(share).toBeLessThan(0.78);
  });

  test("do not depend on the order of the routes", () => {
    const group = [candidate("a"), candidate("b"), candidate("c")];
    for (const each of CONVERSATIONS.slice(0, 200))
      expect(firstOf(group, each)).toBe(firstOf(group.toReversed(), each));
  });

  test("move only the conversations of what was taken away", () => {
    const group = [candidate("a"), candidate("b"), candidate("c"), candidate("d")];
    const less = group.slice(0, 3);
    for (const each of CONVERSATIONS) {
      const before = firstOf(group, each);
      if (before !== "d") expect(firstOf(less, each)).toBe(before);
    }
  });
});
