import { expect, test } from "bun:test";
import { KeptRoutes } from "./kept-routes.ts";

test("a kept conversation is found while somebody goes on with it, and forgotten after an idle hour", () => {
  const clock = { now_ms: 0 };
  const kept = new KeptRoutes(() => clock.now_ms);
  kept.keep(1, "a");
  for (let n = 0; n < 5; n += 1) {
    clock.now_ms += 3_000_000;
    expect(kept.get(1)).toBe("a");
  }
  clock.now_ms += 3_600_001;
  expect(kept.get(1)).toBeNull();
  expect(kept.size).toBe(0);
});

test("memory is bounded, and what is used stays", () => {
  const kept = new KeptRoutes(() => 0, 100);
  kept.keep(-1, "used");
  for (let n = 0; n < 10_000; n += 1) {
    kept.keep(n, "x");
    expect(kept.get(-1)).toBe("used");
    expect(kept.size).toBeLessThanOrEqual(201);
  }
});
