import { expect, test } from "bun:test";
import { Turnstile } from "./turnstile.ts";

/** Sends this many visitors to the turnstile and returns the list of those who were let in. */
function visitors(turnstile: Turnstile, count: number): number[] {
  const inside: number[] = [];
  for (let visitor = 0; visitor < count; visitor += 1) void turnstile.enter().then(() => inside.push(visitor));
  return inside;
}

/** Lets all promises continue that can. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a limited number is let in at once; the others follow in order as some leave", async () => {
  const turnstile = new Turnstile(2);
  const inside = visitors(turnstile, 5);
  await settled();
  expect(inside).toEqual([0, 1]);
  turnstile.leave();
  await settled();
  expect(inside).toEqual([0, 1, 2]);
  turnstile.leave();
  turnstile.leave();
  await settled();
  expect(inside).toEqual([0, 1, 2, 3, 4]);
});

test("widening lets more visitors in, also those that come later", async () => {
  const turnstile = new Turnstile(1);
  const inside = visitors(turnstile, 2);
  turnstile.widen(2);
  await settled();
  expect(inside).toEqual([0, 1]);
  const later = visitors(turnstile, 3);
  await settled();
  expect(later).toEqual([0]);
});

test("an open turnstile lets everybody in", async () => {
  const turnstile = new Turnstile(1);
  const inside = visitors(turnstile, 4);
  turnstile.open();
  const later = visitors(turnstile, 4);
  await settled();
  expect([inside.length, later.length]).toEqual([4, 4]);
});
