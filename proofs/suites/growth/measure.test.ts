import { describe, expect, test } from "bun:test";
import { growthOf, MOST_POWER } from "./measure.ts";

/** What the tests of this folder find, and what they do not. */
describe("growth is", () => {
  const words = (count: number) => Array.from({ length: count }, (_, at) => `word ${at}`);

  test("too steep where a list is searched for each of its items", () => {
    const growth = growthOf((size) => {
      const list = words(size);
      return () => list.filter((word) => list.some((other) => other === word)).length;
    }, 2500);
    expect(growth.power).toBeGreaterThan(MOST_POWER);
  });

  test("too steep where each piece of a text is read together with all pieces before it", () => {
    const growth = growthOf((size) => {
      const pieces = words(size);
      return () => {
        let text = "";
        let quotes = 0;
        for (const piece of pieces) {
          text += piece;
          for (const sign of text) if (sign === '"') quotes += 1;
        }
        return quotes;
      };
    }, 1000);
    expect(growth.power).toBeGreaterThan(MOST_POWER);
  });

  test("not too steep where each item is looked up in a set, or sorted among the others", () => {
    const sets = growthOf((size) => {
      const list = words(size);
      return () => {
        const set = new Set(list);
        return list.filter((word) => set.has(word)).sort().length;
      };
    }, 20_000);
    expect(sets.power).toBeLessThan(MOST_POWER);
  });

  test("not too steep where work of any size costs nothing", () => {
    expect(growthOf(() => () => 1, 1000)).toMatchObject({ power: 0 });
  });
});
