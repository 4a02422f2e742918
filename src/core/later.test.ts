import { expect, test } from "bun:test";
import { then } from "./later.ts";

const half = (value: number): number => value / 2;

test("a value that is there is gone on with at once", () => {
  expect(then(4, half)).toBe(2);
});

test("a value that comes later is gone on with then", async () => {
  const later = then(Promise.resolve(4), half);
  expect(later).toBeInstanceOf(Promise);
  expect(await later).toBe(2);
});

test("what comes next may come later itself", async () => {
  expect(await then(4, async (value) => half(value))).toBe(2);
});

test("a failure is thrown where nothing is waited for, and rejects where something is", async () => {
  const fail = (): never => {
    throw new Error("no");
  };
  expect(() => then(4, fail)).toThrow("no");
  const failed = then(Promise.resolve(4), fail);
  await expect(failed).rejects.toThrow("no");
});
