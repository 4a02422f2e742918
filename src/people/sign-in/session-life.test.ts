import { expect, test } from "bun:test";
import type { SignInMethod } from "../../core/people/users.ts";
import { isOpenSession, isUseStale, needsPassword, sessionEnd } from "./session-life.ts";

const MINUTE_MS = 60_000;

test("a session ends some time after its last use, and in any case at its end", () => {
  expect(sessionEnd({ last_seen_ms: 10, idle_ms: 5, ends_ms: 100 })).toBe(15);
  expect(sessionEnd({ last_seen_ms: 98, idle_ms: 5, ends_ms: 100 })).toBe(100);
  expect([isOpenSession({ expires_ms: 15 }, 14), isOpenSession({ expires_ms: 15 }, 15)]).toEqual([true, false]);
});

test("a use is recorded once a minute", () => {
  expect([MINUTE_MS - 1, MINUTE_MS].map((now_ms) => isUseStale({ last_seen_ms: 0 }, now_ms))).toEqual([false, true]);
});

const CASES: readonly [has_password: boolean, method: SignInMethod, age_ms: number, needs: boolean][] = [
  [true, "password", 0, true],
  [true, "link", 30 * MINUTE_MS - 1, false],
  [true, "link", 30 * MINUTE_MS, true],
  [false, "password", 0, false],
];
test.each(CASES)(
  "password %p, signed in by %s %i ms ago: a new one needs it: %p",
  (has_password, method, age_ms, needs) => {
    expect(needsPassword({ has_password }, { method, created_ms: 0 }, age_ms)).toBe(needs);
  },
);
