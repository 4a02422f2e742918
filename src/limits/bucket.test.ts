import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Bucket, correct, hasRoom, limitState, refill, take, untilRoom_ms } from "./bucket.ts";

const limit = fc.integer({ min: 1, max: 100_000 });
const tokens = fc.integer({ min: 0, max: 100_000 });
const duration_ms = fc.integer({ min: 0, max: 120_000 });

/** A bucket after some requests have taken tokens from it. */
const usedBucket = fc
  .tuple(limit, fc.array(fc.tuple(duration_ms, tokens), { maxLength: 20 }))
  .map(([limit, requests]) => {
    let bucket = refill(null, limit, 0);
    for (const [pause_ms, amount] of requests) {
      bucket = refill(bucket, limit, bucket.at_ms + pause_ms);
      if (hasRoom(bucket, amount)) bucket = take(bucket, amount);
    }
    return bucket;
  });

describe("a bucket", () => {
  test("lets through a whole minute's tokens at once, and then as many as have refilled", () => {
    let bucket = take(refill(null, 600, 0), 600);
    expect(hasRoom(bucket, 1)).toBe(false);
    expect(untilRoom_ms(bucket, 1)).toBe(100);
    bucket = refill(bucket, 600, 99);
    expect(hasRoom(bucket, 1)).toBe(false);
    bucket = refill(bucket, 600, 100);
    expect(hasRoom(bucket, 1)).toBe(true);
    expect(limitState(bucket)).toEqual({ limit: 600, remaining: 1, reset_ms: 59_900 });
  });

  test("never lets through more than a whole minute's tokens and those that have refilled", () => {
    fc.assert(
      fc.property(limit, fc.array(fc.tuple(duration_ms, tokens), { maxLength: 50 }), (limit, requests) => {
        let bucket = refill(null, limit, 0);
        let passed = 0;
        for (const [pause_ms, wanted] of requests) {
          const amount = Math.min(wanted, limit);
          bucket = refill(bucket, limit, bucket.at_ms + pause_ms);
          if (!hasRoom(bucket, amount)) continue;
          bucket = take(bucket, amount);
          passed += amount;
          if (passed > limit + (bucket.at_ms * limit) / 60_000) return false;
        }
        return true;
      }),
    );
  });

  test("has room after the time that it says, and not a millisecond before", () => {
    fc.assert(
      fc.property(usedBucket, tokens, (bucket, amount) => {
        const wait_ms = untilRoom_ms(bucket, amount);
        const then = refill(bucket, bucket.limit, bucket.at_ms + wait_ms);
        const before = refill(bucket, bucket.limit, bucket.at_ms + wait_ms - 1);
        return hasRoom(then, amount) && (wait_ms === 0 || !hasRoom(before, amount));
      }),
    );
  });

  test("is whole again after the time that it says", () => {
    fc.assert(
      fc.property(usedBucket, (bucket) => {
        const then = refill(bucket, bucket.limit, bucket.at_ms + limitState(bucket).reset_ms);
        return limitState(then).remaining === bucket.limit && then.used_units === 0;
      }),
    );
  });

  test("refills alike in one step or in many", () => {
    fc.assert(
      fc.property(usedBucket, fc.array(duration_ms, { maxLength: 10 }), (bucket, pauses) => {
        let stepped: Bucket = bucket;
        for (const pause_ms of pauses) stepped = refill(stepped, bucket.limit, stepped.at_ms + pause_ms);
        expect(stepped).toEqual(refill(bucket, bucket.limit, stepped.at_ms));
      }),
    );
  });

  test("lets more than its limit through only when it is whole", () => {
    const whole = refill(null, 100, 0);
    expect(hasRoom(whole, 101)).toBe(true);
    expect(hasRoom(take(whole, 1), 101)).toBe(false);
    expect(untilRoom_ms(take(whole, 1), 101)).toBe(600);
  });

  test("with a limit of 0 lets no request through", () => {
    const none = refill(null, 0, 0);
    expect(hasRoom(none, 1)).toBe(false);
    expect(untilRoom_ms(none, 1)).toBe(60_000);
    expect(limitState(none)).toEqual({ limit: 0, remaining: 0, reset_ms: 60_000 });
  });

  test("keeps what is used when its limit changes, and shows no debt", () => {
    const used = take(refill(null, 100, 0), 80);
    expect(limitState(refill(used, 50, 0))).toEqual({ limit: 50, remaining: 0, reset_ms: 96_000 });
    expect(limitState(refill(used, 200, 0)).remaining).toBe(120);
  });

  test("refills nothing twice when a transaction comes late with its time", () => {
    const used = take(refill(null, 600, 10_000), 600);
    const late = refill(used, 600, 4000);
    expect(late).toEqual(used);
    expect(limitState(refill(late, 600, 11_000)).remaining).toBe(10);
  });

  test("refills from the new time on when the clock is set back, by an hour or a year", () => {
    for (const back_ms of [10_001, 3_600_000, 365 * 86_400_000]) {
      const now_ms = 1_900_000_000_000;
      const used = take(refill(null, 600, now_ms), 600);
      const back = refill(used, 600, now_ms - back_ms);
      expect(limitState(back)).toEqual({ limit: 600, remaining: 0, reset_ms: 60_000 });
      expect(limitState(refill(back, 600, now_ms - back_ms + 1000)).remaining).toBe(10);
    }
  });
});

describe("a correction", () => {
  test("gives back tokens when the admission took more than the request used", () => {
    const bucket = take(refill(null, 1000, 0), 900);
    expect(limitState(correct(bucket, 900, 100, 0)).remaining).toBe(900);
  });

  test("takes tokens when the request used more than the admission took", () => {
    const bucket = take(refill(null, 1000, 0), 100);
    expect(limitState(correct(bucket, 100, 300, 0)).remaining).toBe(700);
  });

  test("does not give back tokens that have refilled already", () => {
    // 600 of the 900 tokens have refilled; 800 tokens were taken too many, of which 200 are still missing.
    const bucket = refill(take(refill(null, 1000, 0), 900), 1000, 36_000);
    expect(limitState(bucket).remaining).toBe(700);
    expect(limitState(correct(bucket, 900, 100, 0)).remaining).toBe(900);
  });

  test("never leaves more than the limit, nor less than was used", () => {
    fc.assert(
      fc.property(usedBucket, tokens, tokens, duration_ms, (bucket, taken, used, ago_ms) => {
        const corrected = correct(bucket, taken, used, bucket.at_ms - ago_ms);
        if (corrected.used_units < 0) return false;
        return used >= taken
          ? corrected.used_units - bucket.used_units === (used - taken) * 60_000
          : corrected.used_units <= bucket.used_units;
      }),
    );
  });
});
