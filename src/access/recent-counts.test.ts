import { expect, test } from "bun:test";
import { RecentCounts } from "./recent-counts.ts";

function counts(most: number): { counts: RecentCounts; pass: (ms: number) => void } {
  let now_ms = 0;
  const pass = (ms: number): void => {
    now_ms += ms;
  };
  const made = new RecentCounts({ most, window_ms: 1000, monotonic_ms: () => now_ms });
  return { counts: made, pass };
}

test("a name is counted until nothing was counted for a while", () => {
  const { counts: recent, pass } = counts(10);
  expect([recent.of("a"), recent.count("a"), recent.count("a"), recent.count("b")]).toEqual([null, 1, 2, 1]);
  pass(999);
  expect(recent.of("a")).toEqual({ count: 2, ago_ms: 999 });
  expect(recent.count("a")).toBe(3);
  pass(1000);
  expect(recent.of("a")).toBeNull();
  expect(recent.count("a")).toBe(1);
  recent.forget("a");
  expect(recent.of("a")).toBeNull();
});

test("however many names are counted, no more are remembered than the most, and the latest are", () => {
  const { counts: recent } = counts(100);
  for (let n = 0; n < 10_000; n++) {
    recent.count(`name ${n}`);
    recent.count("the one that is counted all the time");
  }
  expect(recent.size).toBe(100);
  expect(recent.of("the one that is counted all the time")?.count).toBe(10_000);
  expect(recent.of("name 9999")).not.toBeNull();
  expect(recent.of("name 1")).toBeNull();
});

test("counts of other processes of the gateway count here too, and are not sent back to them", () => {
  const told: string[] = [];
  let elsewhere = (_name: string, _count: number): void => {};
  const recent = new RecentCounts({
    ...{ most: 10, window_ms: 1000, monotonic_ms: () => 0 },
    shared: { tell: (name) => void told.push(name), hear: (take) => (elsewhere = take) },
  });
  recent.count("a");
  elsewhere("a", 3);
  elsewhere("b", 2);
  expect([recent.of("a")?.count, recent.of("b")?.count, recent.count("b")]).toEqual([4, 2, 3]);
  expect(told).toEqual(["a", "b"]);
});
