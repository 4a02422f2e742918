import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { decideRate, type RateCounts, type RateDemand, rateOfRefused } from "./decide-rate.ts";

const FREE: RateCounts = { requests: null, tokens: null, open: 0 };
const UNLIMITED: RateDemand = { rpm: null, tpm: null, concurrent: null, bound_tokens: 10 };

describe("a rate decision", () => {
  test("without limits lets every request through and reports no limits", () => {
    expect(decideRate({ ...FREE, open: 9999 }, UNLIMITED, 0)).toEqual({
      refusal: null,
      requests: null,
      tokens: null,
      tokens_untaken: null,
      rate: { requests: null, tokens: null },
    });
  });

  test("shows no tokens as taken where something else refuses the request", () => {
    const decision = decideRate(FREE, { ...UNLIMITED, rpm: 2, tpm: 100 }, 0);
    expect([decision.rate.tokens?.remaining, rateOfRefused(decision).tokens?.remaining]).toEqual([90, 100]);
    expect(rateOfRefused(decision).requests).toEqual(decision.rate.requests);
  });

  test("takes one request and the bound of the tokens", () => {
    const { refusal, rate } = decideRate(FREE, { ...UNLIMITED, rpm: 2, tpm: 100, concurrent: 1 }, 0);
    expect(refusal).toBeNull();
    expect(rate).toEqual({
      requests: { limit: 2, remaining: 1, reset_ms: 30_000 },
      tokens: { limit: 100, remaining: 90, reset_ms: 6000 },
    });
  });

  const used = decideRate(FREE, { ...UNLIMITED, rpm: 1, tpm: 10 }, 0);
  const counts = { requests: used.requests, tokens: used.tokens, open: 1 };
  const refusals = [
    { limit: "requests", demand: { ...UNLIMITED, rpm: 1, tpm: 10, concurrent: 1 }, retry_after_ms: 60_000, takes: 0 },
    { limit: "tokens", demand: { ...UNLIMITED, rpm: 5, tpm: 10, concurrent: 1 }, retry_after_ms: 60_000, takes: 1 },
    {
      limit: "concurrency",
      demand: { ...UNLIMITED, rpm: 5, tpm: 100, concurrent: 1 },
      retry_after_ms: 1000,
      takes: 1,
    },
  ] as const;
  for (const { limit, demand, retry_after_ms, takes } of refusals) {
    const what = takes === 0 ? "nothing" : "one request and no tokens";
    test(`names ${limit} and when to come back, and takes ${what}`, () => {
      const decision = decideRate(counts, demand, 0);
      expect(decision.refusal).toEqual({ limit, retry_after_ms });
      const before_units = used.requests?.used_units ?? 0;
      expect(decision.requests?.used_units).toBe(before_units + takes * 60_000);
      expect(decision.tokens?.used_units).toBe(used.tokens?.used_units);
    });
  }

  test("lets at most the limit's requests be in flight, however they come and go", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5 }), fc.array(fc.boolean(), { maxLength: 60 }), (concurrent, moves) => {
        let open = 0;
        for (const comes of moves) {
          if (!comes) open = Math.max(0, open - 1);
          else if (decideRate({ ...FREE, open }, { ...UNLIMITED, concurrent }, 0).refusal === null) open += 1;
          if (open > concurrent) return false;
        }
        return true;
      }),
    );
  });
});
