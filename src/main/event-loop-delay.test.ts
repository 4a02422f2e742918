import { expect, test } from "bun:test";
import { watchEventLoop } from "./event-loop-delay.ts";

test("measures from the first question on, and a stop forgets what was measured", async () => {
  const watched = watchEventLoop();
  expect(watched.current()).toEqual({ mean: null, p99: null, max: null });
  const deadline = performance.now() + 10_000;
  while (watched.current().mean === null && performance.now() < deadline) await Bun.sleep(50);
  expect(watched.current().max).toBeGreaterThanOrEqual(0);
  watched.stop();
  expect(watched.current()).toEqual({ mean: null, p99: null, max: null });
  watched.stop();
});
