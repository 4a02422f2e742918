import { edenGC, fullGC, heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import fc from "fast-check";
import { Bag } from "./bag.ts";

const NAMES = ["a", "b", "c", "d", "e", "f"].map((name) => ({ name }));

test("holds the members that were added and not deleted", () => {
  const moves = fc.array(fc.tuple(fc.boolean(), fc.constantFrom(...NAMES)));
  fc.assert(
    fc.property(moves, (all) => {
      const bag = new Bag<object>();
      const model = new Set<object>();
      for (const [comes, member] of all) {
        if (comes && !model.has(member)) bag.add(member);
        if (!comes) bag.delete(member);
        if (comes) model.add(member);
        else model.delete(member);
        expect(bag.size).toBe(model.size);
      }
      expect(new Set(bag)).toEqual(model);
    }),
  );
});

test("yields all remaining members when some are deleted during the iteration", () => {
  const leaves = fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES)));
  fc.assert(
    fc.property(leaves, (pairs) => {
      const bag = new Bag<object>();
      for (const member of NAMES) bag.add(member);
      const gone = new Set<object>();
      const seen = new Set<object>();
      for (const member of bag) {
        seen.add(member);
        for (const [when, who] of pairs) {
          if (when !== member) continue;
          bag.delete(who);
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
  const bag = new Bag<Guest>();
  const present: Guest[] = [];
  const pass = (guests: number): void => {
    for (let count = 0; count < guests; count++) {
      const guest = new Guest();
      bag.add(guest);
      if (present.push(guest) > 40) bag.delete(present.shift() as Guest);
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
