import { expect, test } from "bun:test";
import { decideTry, type TryDecision, type TryState } from "./slow-tries.ts";

const RULE = { free: 3, first_wait_ms: 1000, longest_wait_ms: 10_000, window_ms: 60_000 };

const CASES: readonly [promise: string, state: TryState, decided: TryDecision][] = [
  ["is free at first", { count: 2, running_ms: null }, { takes: true, wait_ms: 0 }],
  ["begins a wait", { count: 3, running_ms: null }, { takes: true, wait_ms: 1000 }],
  ["begins one twice as long", { count: 5, running_ms: null }, { takes: true, wait_ms: 4000 }],
  ["begins none above the longest", { count: 2000, running_ms: null }, { takes: true, wait_ms: 10_000 }],
  ["is not taken while one runs", { count: 4, running_ms: 700 }, { takes: false, wait_ms: 700 }],
  [
    "waits no longer than the longest, whatever clocks say",
    { count: 4, running_ms: 99_000 },
    { takes: false, wait_ms: 10_000 },
  ],
];
test.each(CASES)("a try %s", (_promise, state, decided) => {
  expect(decideTry(state, RULE)).toEqual(decided);
});
