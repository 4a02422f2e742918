import { expect, test } from "bun:test";
import { RateLimitWaits } from "./rate-limit-waits.ts";

test("the wait doubles with each limit that comes after it, up to a minute", () => {
  const waits = new RateLimitWaits();
  let now_ms = 0;
  const told = Array.from({ length: 7 }, () => {
    const wait_ms = waits.limited("acme", "m", now_ms);
    now_ms += wait_ms;
    return wait_ms;
  });
  expect(told).toEqual([5000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
});

test("calls that ran beside each other were limited once", () => {
  const waits = new RateLimitWaits();
  expect([0, 1, 4999].map((now_ms) => waits.limited("acme", "m", now_ms))).toEqual([5000, 5000, 5000]);
  expect(waits.limited("acme", "m", 5000)).toBe(10_000);
});

test("an answer, or a minute of quiet, begins anew, and each route counts for itself", () => {
  const waits = new RateLimitWaits();
  waits.limited("acme", "m", 0);
  expect(waits.limited("acme", "other", 5000)).toBe(5000);
  waits.succeeded("acme", "m");
  expect(waits.limited("acme", "m", 5000)).toBe(5000);
  expect(waits.limited("acme", "m", 10_000)).toBe(10_000);
  expect(waits.limited("acme", "m", 20_000 + 60_000)).toBe(5000);
});
