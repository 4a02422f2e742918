import { describe, expect, test } from "bun:test";
import { trafficPace } from "./traffic-pace.ts";

describe("the pace at which traffic is counted", () => {
  test.each([
    { open: 0, behind_ms: 0, share: 0.1 },
    { open: 7, behind_ms: 3_600_000, share: 0.1 },
    { open: 8, behind_ms: 59_999, share: 0.02 },
    { open: 8, behind_ms: 60_000, share: 0.05 },
    { open: 1000, behind_ms: 599_999, share: 0.05 },
    { open: 1000, behind_ms: 600_000, share: 0.1 },
  ])("$open open requests, $behind_ms ms behind: $share of the time", ({ open, behind_ms, share }) => {
    expect(1 / (1 + trafficPace(open, behind_ms).rest_factor)).toBeCloseTo(share, 10);
  });
});
