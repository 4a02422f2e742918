import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Bucket, hasRoom, limitState, refill, take } from "./bucket.ts";
import { LocalRate } from "./local-rate.ts";

describe("a local rate", () => {
  test("has room for its limit at once, and for one more with each share of a minute", () => {
    const rate = new LocalRate();
    for (let taken = 0; taken < 3; taken += 1) {
      expect(rate.wait_ms(3, 1000)).toBe(0);
      rate.take(3, 1000);
    }
    expect(rate.wait_ms(3, 1000)).toBe(20_000);
    expect(rate.state(3, 1000)).toEqual({ limit: 3, remaining: 0, reset_ms: 60_000 });
    expect(rate.wait_ms(3, 20_999)).toBe(1);
    expect(rate.wait_ms(3, 21_000)).toBe(0);
  });

  test("takes nothing beyond its limit, so that whoever goes on asking is not refused for ever", () => {
    const rate = new LocalRate();
    for (let asked = 0; asked < 50; asked += 1) rate.take(2, 0);
    expect(rate.wait_ms(2, 0)).toBe(30_000);
    expect(rate.wait_ms(2, 30_000)).toBe(0);
  });

  test("has what was given back, and the room of a limit that was raised", () => {
    const rate = new LocalRate();
    rate.take(1, 0);
    expect(rate.wait_ms(10, 0)).toBe(0);
    expect(rate.wait_ms(1, 0)).toBe(60_000);
    rate.giveBack();
    expect(rate.wait_ms(1, 0)).toBe(0);
    expect(rate.wait_ms(0, 0)).toBeGreaterThan(0);
  });

  /** A request of this node: when it comes, how long the books take to decide, and what other nodes take before it. */
  const request = fc.record({
    after_ms: fc.nat(20_000),
    decided_after_ms: fc.nat(3000),
    taken_by_others: fc.nat(3),
  });

  test("never has less room than the books, whatever other nodes take and however late the books answer", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(request, { maxLength: 60 }), (limit, requests) => {
        const rate = new LocalRate();
        let books: Bucket | null = null;
        let now_ms = 0;
        for (const { after_ms, decided_after_ms, taken_by_others } of requests) {
          now_ms += after_ms;
          const asked_ms = now_ms;
          const here: Bucket = refill(books, limit, asked_ms);
          if (rate.wait_ms(limit, asked_ms) > 0) {
            if (hasRoom(here, 1)) return false;
            continue;
          }
          rate.take(limit, asked_ms);
          now_ms += decided_after_ms;
          let bucket: Bucket = refill(here, limit, now_ms);
          for (let taken = 0; taken < taken_by_others && hasRoom(bucket, 1); taken += 1) bucket = take(bucket, 1);
          const is_admitted = hasRoom(bucket, 1);
          if (is_admitted) bucket = take(bucket, 1);
          else rate.giveBack();
          rate.learn(limitState(bucket), asked_ms);
          books = bucket;
        }
        return true;
      }),
      { numRuns: 500 },
    );
  });

  test("knows what the books said, once they have answered at once", () => {
    const rate = new LocalRate();
    rate.take(5, 0);
    rate.learn({ limit: 5, remaining: 0, reset_ms: 60_000 }, 0);
    expect(rate.wait_ms(5, 0)).toBeGreaterThan(11_000);
  });
});
