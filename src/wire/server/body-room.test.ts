import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { BodyRoom, BodyShare, NoBodyRoom } from "./body-room.ts";

describe("the room for unfinished bodies", () => {
  test("is taken whole or not at all, and the refusal says whose room it is", () => {
    const [all, own] = [new BodyRoom("all", 100), new BodyRoom("key", 60)];
    const share = new BodyShare(all);
    expect(share.take(50)).toBeNull();
    share.joins(own);
    expect(own.used_bytes).toBe(50);
    expect(share.take(20)?.bound).toBe("key");
    expect([all.used_bytes, own.used_bytes]).toEqual([50, 50]);
    const other = new BodyShare(all);
    expect(other.take(60)?.bound).toBe("all");
    expect(() => share.requireRoom(11)).toThrow(NoBodyRoom);
    expect(() => share.requireRoom(10)).not.toThrow();
    const late = new BodyShare(all);
    expect(late.take(20)).toBeNull();
    expect(() => late.joins(own)).toThrow(NoBodyRoom);
    late.giveBack();
    share.giveBack();
    share.giveBack();
    expect([all.used_bytes, own.used_bytes]).toEqual([0, 0]);
  });

  test("never exceeds its bound, and is whole again once every body is over", () => {
    const step = fc.record({
      body: fc.nat(5),
      what: fc.constantFrom("take", "take", "take", "join", "end"),
      bytes: fc.nat(40),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const all = new BodyRoom("all", 100);
        const keys = [new BodyRoom("key", 60), new BodyRoom("key", 60)] as const;
        const bodies = Array.from({ length: 6 }, () => ({ share: new BodyShare(all), has_joined: false }));
        for (const { body, what, bytes } of steps) {
          const at = bodies[body] as (typeof bodies)[number];
          if (what === "take") at.share.take(bytes);
          else if (what === "end") at.share.giveBack();
          else if (!at.has_joined) {
            try {
              at.share.joins(keys[body % 2 === 0 ? 0 : 1]);
              at.has_joined = true;
            } catch (thrown) {
              expect(thrown).toBeInstanceOf(NoBodyRoom);
            }
          }
          for (const room of [all, ...keys]) expect(room.used_bytes).toBeWithin(0, room.most_bytes + 1);
        }
        for (const { share } of bodies) share.giveBack();
        expect([all, ...keys].map(({ used_bytes }) => used_bytes)).toEqual([0, 0, 0]);
      }),
      { numRuns: 300 },
    );
  });
});
