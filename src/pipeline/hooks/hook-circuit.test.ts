import { expect, test } from "bun:test";
import { HookCircuit } from "./hook-circuit.ts";

function scene() {
  let now_ms = 0;
  const circuit = new HookCircuit(() => now_ms);
  const fail = (times: number) => {
    for (let time = 0; time < times; time += 1) circuit.failed();
  };
  return { circuit, fail, later: (ms: number) => (now_ms += ms) };
}

test("a hook is asked until half of twenty calls have failed", () => {
  const { circuit, fail } = scene();
  fail(19);
  expect(circuit.waitMs()).toBe(0);
  fail(1);
  expect(circuit.waitMs()).toBe(30_000);
});

test("failures among successes do not open it", () => {
  const { circuit } = scene();
  for (let time = 0; time < 100; time += 1) time % 3 === 0 ? circuit.failed() : circuit.succeeded();
  expect(circuit.waitMs()).toBe(0);
});

test("one request tries it after the pause, and its success closes it", () => {
  const { circuit, fail, later } = scene();
  fail(20);
  later(30_000);
  expect([circuit.waitMs(), circuit.waitMs()]).toEqual([0, 30_000]);
  circuit.succeeded();
  expect(circuit.waitMs()).toBe(0);
  fail(1);
  expect(circuit.waitMs()).toBe(0);
});

test("a trial that fails begins another pause", () => {
  const { circuit, fail, later } = scene();
  fail(20);
  later(30_000);
  expect(circuit.waitMs()).toBe(0);
  fail(1);
  expect(circuit.waitMs()).toBe(30_000);
});
