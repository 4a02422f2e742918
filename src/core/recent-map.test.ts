import { expect, test } from "bun:test";
import fc from "fast-check";
import { RecentMap } from "./recent-map.ts";

test("has what was set last, and never more than twice the number", () => {
  const name = fc.integer({ min: 0, max: 20 }).map(String);
  const step = fc.oneof(
    fc.record({ does: fc.constant("set" as const), name }),
    fc.record({ does: fc.constant("delete" as const), name }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 80 }), (most, steps) => {
      const recent = new RecentMap<number>(most);
      let set: string[] = [];
      for (const [at, { does, name }] of steps.entries()) {
        set = set.filter((other) => other !== name);
        if (does === "set") {
          recent.set(name, at);
          set.push(name);
          expect(recent.get(name)).toBe(at);
        } else {
          recent.delete(name);
          expect(recent.get(name)).toBeUndefined();
        }
        const kept = set.filter((other) => recent.get(other) !== undefined);
        expect(kept).toEqual(expect.arrayContaining(set.slice(-most)));
        expect(kept.length).toBeLessThanOrEqual(2 * most);
      }
    }),
  );
});
