import { expect, test } from "bun:test";
import { DEAD_AFTER_MS } from "../recovery/node-watch.ts";
import { MovedClock } from "../suite/moved-clock.ts";
import { DEADLINE_MS } from "./deadline.ts";
import { OLD_BEAT_MS, OwnBeat } from "./own-beat.ts";

test("a hold is committed before others can judge by the beat that its transaction began with", () => {
  expect(OLD_BEAT_MS + DEADLINE_MS).toBeLessThan(DEAD_AFTER_MS);
});

test("a beat is as old as the moment at which it was begun, not at which it came through", () => {
  const clock = new MovedClock();
  const beat = new OwnBeat(clock);
  const began = beat.moment();
  clock.move(OLD_BEAT_MS);
  expect(beat.isOld()).toBe(false);
  beat.noteWritten(began);
  clock.move(1);
  expect(beat.isOld()).toBe(true);
  beat.noteWritten(beat.moment());
  expect(beat.isOld()).toBe(false);
});
