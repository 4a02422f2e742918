import { expect, test } from "bun:test";
import { Semaphore } from "./semaphore.ts";

/** Sends this many visitors to the semaphore and returns the list of those who were let in. */
function visitors(semaphore: Semaphore, count: number): number[] {
  const inside: number[] = [];
  for (let visitor = 0; visitor < count; visitor += 1) void semaphore.acquire().then(() => inside.push(visitor));
  return inside;
}

/** Lets all promises continue that can. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a limited number is let in at once; the others follow in order as some leave", async () => {
  const semaphore = new Semaphore(2);
  const inside = visitors(semaphore, 5);
  await settled();
  expect(inside).toEqual([0, 1]);
  semaphore.release();
  await settled();
  expect(inside).toEqual([0, 1, 2]);
  semaphore.release();
  semaphore.release();
  await settled();
  expect(inside).toEqual([0, 1, 2, 3, 4]);
});

test("widening lets more visitors in, also those that come later", async () => {
  const semaphore = new Semaphore(1);
  const inside = visitors(semaphore, 2);
  semaphore.widen(2);
  await settled();
  expect(inside).toEqual([0, 1]);
  const later = visitors(semaphore, 3);
  await settled();
  expect(later).toEqual([0]);
});

test("an open semaphore lets everybody in", async () => {
  const semaphore = new Semaphore(1);
  const inside = visitors(semaphore, 4);
  semaphore.open();
  const later = visitors(semaphore, 4);
  await settled();
  expect([inside.length, later.length]).toEqual([4, 4]);
});
