import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { LatencyHistogram, percentiles } from "./latency-histogram.ts";
import { RouteMeters, WINDOW_MS } from "./route-meters.ts";

function setup() {
  const time = { ms: 1_000_000 };
  const clock = { now_ms: () => time.ms, monotonic_ms: () => time.ms };
  return { time, meters: new RouteMeters(clock) };
}

const NOTHING = {
  calls: 0,
  errors: 0,
  rate_limited: 0,
  first_byte_ms: { p50: null, p95: null },
  total_ms: { p50: null, p95: null },
  in_flight: 0,
  last_error: null,
};

describe("the meter of a route", () => {
  test("has no measurements of a route that was never used", () => {
    const { meters } = setup();
    expect(meters.ofRoute("acme", "m")).toEqual(NOTHING);
    expect(meters.ofVendor("acme")).toEqual(NOTHING);
  });

  test("counts a call while it runs, then its latencies to the head and to the end", () => {
    const { time, meters } = setup();
    const call = meters.begin("acme", "m");
    expect(meters.ofRoute("acme", "m").in_flight).toBe(1);
    time.ms += 100;
    call.answered();
    time.ms += 900;
    call.completed();
    const measured = meters.ofRoute("acme", "m");
    expect(measured).toMatchObject({ calls: 1, errors: 0, in_flight: 0 });
    expect(Math.abs((measured.first_byte_ms.p50 ?? 0) - 100)).toBeLessThan(8);
    expect(Math.abs((measured.total_ms.p95 ?? 0) - 1000)).toBeLessThan(80);
  });

  test("counts errors, rate limits among them, and remembers the newest", () => {
    const { time, meters } = setup();
    meters.begin("acme", "m").failed("provider_error", 500);
    time.ms += 1;
    meters.begin("acme", "n").failed("provider_rate_limited", 429);
    meters.begin("acme", "n").ended();
    expect(meters.ofVendor("acme")).toMatchObject({ calls: 3, errors: 2, rate_limited: 1 });
    expect(meters.ofVendor("acme").last_error).toEqual({ at_ms: time.ms, code: "provider_rate_limited", status: 429 });
    expect(meters.ofRoute("acme", "m").last_error?.code).toBe("provider_error");
  });

  test("counts the first ending of a call only, and no call without a verdict", () => {
    const { meters } = setup();
    const call = meters.begin("acme", "m");
    call.failed("provider_error", null);
    call.completed();
    call.ended();
    call.forgotten();
    meters.begin("acme", "m").forgotten();
    expect(meters.ofRoute("acme", "m")).toMatchObject({ calls: 1, errors: 1, in_flight: 0 });
  });

  test("drops measurements older than its window, and reuses its slots", () => {
    const { time, meters } = setup();
    meters.begin("acme", "m").failed("provider_error", 500);
    time.ms += WINDOW_MS / 2;
    meters.begin("acme", "m").completed();
    expect(meters.ofRoute("acme", "m")).toMatchObject({ calls: 2, errors: 1 });
    time.ms += WINDOW_MS / 2 + 1;
    expect(meters.ofRoute("acme", "m")).toMatchObject({ calls: 1, errors: 0, last_error: null });
    time.ms += WINDOW_MS;
    meters.begin("acme", "m").completed();
    expect(meters.ofRoute("acme", "m")).toMatchObject({ calls: 1 });
  });
});

test("a percentile is within 8 % of the true percentile, for any durations from 1 ms to half an hour", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 1, max: 1_800_000, noNaN: true }), { minLength: 1, maxLength: 200 }),
      (durations) => {
        const histogram = new LatencyHistogram();
        for (const duration of durations) histogram.record(duration);
        const sorted = durations.toSorted((a, b) => a - b);
        for (const share of [0.5, 0.95]) {
          const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
          const [found = null] = percentiles([histogram], [share]);
          expect(Math.abs((found ?? 0) / exact - 1)).toBeLessThan(0.08);
        }
      },
    ),
  );
});
