import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MovedClock } from "../suite/moved-clock.ts";
import { DEAD_AFTER_MS, NodeWatch, type SeenNode } from "./node-watch.ts";

/** Looks again and again, so many milliseconds apart, and returns what was said of the dead each time. */
function looks(steps: readonly { after_ms: number; nodes: readonly SeenNode[] }[]): string[][] {
  const clock = new MovedClock();
  const watch = new NodeWatch(clock);
  return steps.map(({ after_ms, nodes }) => {
    clock.move(after_ms);
    return watch.see(nodes).map(({ id }) => id);
  });
}

const still: readonly SeenNode[] = [{ id: "other", beat_ms: 1 }];
const every5s = (times: number, nodes = still) => Array.from({ length: times }, () => ({ after_ms: 5000, nodes }));

describe("another node", () => {
  test("is dead when its beat has stood still for 15 s of own beats", () => {
    expect(looks(every5s(5))).toEqual([[], [], [], ["other"], ["other"]]);
  });

  test("without a mark is dead after the same time", () => {
    expect(looks(every5s(4, [{ id: "gone", beat_ms: null }]))).toEqual([[], [], [], ["gone"]]);
  });

  test("is asked for again when it is dead, though the next look would come later", () => {
    const clock = new MovedClock();
    const watch = new NodeWatch(clock);
    const waits = [0, 4900, 5100, 4800].map((after_ms) => {
      clock.move(after_ms);
      expect(watch.see(still)).toEqual([]);
      return watch.next_ms;
    });
    expect(waits).toEqual([15_000, 10_100, 5000, 200]);
    clock.move(200);
    expect(watch.see(still)).toEqual([...still]);
  });

  test("that beats is alive, whatever the beat says: clocks of others are not compared", () => {
    const steps = [1, 3_600_000, 2, 7_200_000, 3].map((beat_ms) => ({
      after_ms: 5000,
      nodes: [{ id: "other", beat_ms }],
    }));
    expect(looks(steps).flat()).toEqual([]);
  });

  test("is judged anew after a gap between own beats: in it nobody could be seen to beat", () => {
    const gap = { after_ms: 25_000, nodes: still };
    expect(looks([...every5s(3), gap, ...every5s(3)])).toEqual([[], [], [], [], [], [], ["other"]]);
  });

  test("that was seen to have no open holds is watched anew when it has some again", () => {
    expect(looks([...every5s(2), ...every5s(1, []), ...every5s(2)]).flat()).toEqual([]);
  });
});

test("whatever the own beats were, nobody is dead who was not watched for 15 s without a gap", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 30_000 }), { maxLength: 30 }), (pauses) => {
      const told = looks(pauses.map((after_ms) => ({ after_ms, nodes: still })));
      for (const [at, dead] of told.entries()) {
        let watched_ms = 0;
        for (let back = at; back > 0 && (pauses[back] ?? 0) <= 11_000; back -= 1) watched_ms += pauses[back] ?? 0;
        expect(dead.length > 0).toBe(watched_ms >= DEAD_AFTER_MS);
      }
    }),
  );
});
