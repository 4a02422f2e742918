import { afterEach, expect, test } from "bun:test";
import { Deadlines, type WithDeadline } from "./deadlines.ts";

/** Something that is watched until it is due, and counts how often it was looked at. */
class Watched implements WithDeadline {
  looks = 0;
  due_ms: number;
  readonly passed = Promise.withResolvers<number>();

  constructor(due_ms: number) {
    this.due_ms = due_ms;
  }

  check(now_ms: number): number | null {
    this.looks += 1;
    if (now_ms < this.due_ms) return this.due_ms;
    this.passed.resolve(now_ms);
    return null;
  }
}

const deadlines = new Deadlines();
const watched: Watched[] = [];

function watch(after_ms: number): Watched {
  const made = new Watched(deadlines.now_ms + after_ms);
  watched.push(made);
  deadlines.add(made);
  return made;
}

afterEach(() => {
  for (const each of watched.splice(0)) deadlines.remove(each);
});

/** Resolves when no deadline was checked for half a second: the timer then waits for the nearest deadline. */
async function untilAsleep(each: Watched): Promise<void> {
  for (let before = -1; before !== each.looks; ) {
    before = each.looks;
    await Bun.sleep(500);
  }
}

test("a deadline passes, and its object is watched no more", async () => {
  const soon = watch(300);
  expect(await soon.passed.promise).toBeGreaterThanOrEqual(soon.due_ms);
  const { looks } = soon;
  await Bun.sleep(500);
  expect(soon.looks).toBe(looks);
});

test("while nothing happens, what is due in a minute is not looked at five times a second", async () => {
  const late = watch(60_000);
  await untilAsleep(late);
  const { looks } = late;
  await Bun.sleep(2000);
  expect(late.looks).toBe(looks);
});

test("a deadline that was far away passes all the same", async () => {
  const far = watch(2500);
  await untilAsleep(far);
  const { looks } = far;
  expect(await far.passed.promise).toBeGreaterThanOrEqual(far.due_ms);
  // Once at the deadline, and a second time where the timer fired a moment before it.
  expect(far.looks - looks).toBeLessThanOrEqual(2);
});

test("a nearer deadline that is added meanwhile passes in its time", async () => {
  const late = watch(60_000);
  await untilAsleep(late);
  const near = watch(300);
  await near.passed.promise;
  expect(late.looks).toBeGreaterThan(0);
});

test("an object that moves its deadline nearer is looked at in time, and the time that it moved it by is the present", async () => {
  const late = watch(60_000);
  await untilAsleep(late);
  const before_ms = performance.now();
  const now_ms = deadlines.now_ms;
  expect(now_ms).toBeGreaterThanOrEqual(before_ms);
  late.due_ms = now_ms + 300;
  await late.passed.promise;
});
