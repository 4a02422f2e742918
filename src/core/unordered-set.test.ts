import { edenGC, fullGC, heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import fc from "fast-check";
import { UnorderedSet } from "./unordered-set.ts";

const NAMES = ["a", "b", "c", "d", "e", "f"].map((name) => ({ name }));

test("holds the members that were added and not deleted", () => {
  const moves = fc.array(fc.tuple(fc.boolean(), fc.constantFrom(...NAMES)));
  fc.assert(
    fc.property(moves, (all) => {
      const set = new UnorderedSet<object>();
      const model = new Set<object>();
      for (const [comes, member] of all) {
        if (comes && !model.has(member)) set.add(member);
        if (!comes) set.delete(member);
        if (comes) model.add(member);
        else model.delete(member);
        expect(set.size).toBe(model.size);
      }
      expect(new Set(set)).toEqual(model);
    }),
  );
});

test("yields all remaining members when some are deleted during the iteration", () => {
  const leaves = fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES)));
  fc.assert(
    fc.property(leaves, (pairs) => {
      const set = new UnorderedSet<object>();
      for (const member of NAMES) set.add(member);
      const gone = new Set<object>();
      const seen = new Set<object>();
      for (const member of set) {
        seen.add(member);
        for (const [when, who] of pairs) {
          if (when !== member) continue;
          set.delete(who);
          gone.add(who);
        }
      }
      for (const member of NAMES) expect(seen.has(member) || gone.has(member)).toBe(true);
    }),
  );
});

test("lets a young collection free the members that were deleted", () => {
  class Guest {
    readonly things = [1, 2, 3];
  }
  const set = new UnorderedSet<Guest>();
  const present: Guest[] = [];
  const pass = (guests: number): void => {
    for (let count = 0; count < guests; count++) {
      const guest = new Guest();
      set.add(guest);
      if (present.push(guest) > 40) set.delete(present.shift() as Guest);
    }
  };
  pass(1000);
  fullGC();
  const alive = heapStats().objectTypeCounts.Guest ?? 0;
  for (let round = 0; round < 3; round++) {
    pass(1000);
    edenGC();
  }
  expect((heapStats().objectTypeCounts.Guest ?? 0) - alive).toBeLessThan(1000);
});
