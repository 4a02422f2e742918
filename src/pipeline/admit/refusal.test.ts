import { describe, expect, test } from "bun:test";
import { keyRecord } from "../../../proofs/support/key-record.ts";
import type { AdmitRefusal } from "../../core/ledger/ledger.ts";
import { micro } from "../../core/money/money.ts";
import { type RefusalFacts, refusal } from "./refusal.ts";

const RATE = { rate: { requests: null, tokens: null } };
const KEY = keyRecord();

function said(result: AdmitRefusal, call: Partial<RefusalFacts> = {}): string {
  const limits = { body_bytes: 1, decision_calls: 1, default_key: { rpm: 600, concurrent: 64 } };
  return refusal(result, {
    configuration: { currency: "USD", limits },
    key: KEY,
    needed_micro: micro(800_000n),
    now_ms: Date.parse("2026-11-27T21:30:00Z"),
    ...call,
  }).message;
}

describe("a refusal by a limit by model", () => {
  const value = "";

  test.each([
    ["key_1 model acme/*", "This key's"],
    ["proj_1 model acme/*", "This project's"],
    ["account model acme/*", "This account's"],
  ])("of %s says whose it is, what is left of how much, and when it renews", (rule, whose) => {
    const limit = { rule, value, amount_micro: micro(5_000_000n) };
    const budget = { outcome: "budget_exceeded", window: "day", remaining_micro: micro(100_000n), ...RATE } as const;
    const key = { ...KEY, time_zone: "Europe/Berlin" };
    expect(said({ ...budget, rule: limit }, { key })).toBe(
      `${whose} budget for the day for acme/* has 0.10 USD of 5.00 USD left; this call needs 0.80 USD. ` +
        "It renews at 2026-11-28T00:00:00+01:00 (Europe/Berlin), in 2 h.",
    );
    const rate = { outcome: "rate_limited", limit: "requests", retry_after_ms: 2000, ...RATE } as const;
    expect(said({ ...rate, rule: { rule, value, allowed: 60 } })).toBe(
      `${whose} limit of 60 requests per minute for acme/* is reached. Retry in 2 s.`,
    );
  });
});

describe("a refusal by money", () => {
  const balance_micro = micro(499_964n);

  test("says what there is, what the call needs and the currency", () => {
    expect(said({ outcome: "insufficient_balance", balance_micro, ...RATE })).toBe(
      "The balance is 0.499964 USD; this call needs 0.80 USD. Add credit, or ask for less output.",
    );
  });

  test("before the body is read says what there is", () => {
    expect(said({ outcome: "insufficient_balance", balance_micro, ...RATE }, { needed_micro: null })).toBe(
      "The balance is 0.499964 USD. Add credit.",
    );
  });

  test.each([
    ["day", "It renews at 2026-11-28T00:00:00Z (UTC), in 3 h."],
    ["week", "It renews at 2026-11-30T00:00:00Z (UTC), in 51 h."],
    ["month", "It renews at 2026-12-01T00:00:00Z (UTC), in 75 h."],
    ["once", "It does not renew."],
  ] as const)("by a budget of a %s says when it renews", (window, renewal) => {
    const budget = window === "once" ? "budget" : `budget for the ${window}`;
    expect(said({ outcome: "budget_exceeded", window, remaining_micro: micro(10_000n), ...RATE })).toBe(
      `This key's ${budget} has 0.01 USD left; this call needs 0.80 USD. ${renewal}`,
    );
  });
});

describe("a refusal by a rate names the limit and the wait", () => {
  const key = { ...KEY, tpm: 9000, concurrent: 2 };
  test.each([
    ["requests", undefined, "This key's limit of 600 requests per minute is reached. Retry in 12 s."],
    ["tokens", undefined, "This key's limit of 9000 tokens per minute is reached. Retry in 12 s."],
    ["tokens", "project", "This project's limit of tokens per minute is reached. Retry in 12 s."],
    [
      "concurrency",
      undefined,
      "This key's limit of 2 concurrent requests is reached. Retry in 12 s. A call whose client",
    ],
  ] as const)("%s of the key or of %p", (limit, of, words) => {
    const shared = of === undefined ? {} : { of };
    const result = { outcome: "rate_limited", limit, retry_after_ms: 11_001, ...RATE, ...shared } as const;
    expect(said(result, { key })).toStartWith(words);
  });

  test("one of it is one", () => {
    const result = { outcome: "rate_limited", limit: "requests", retry_after_ms: 11_001, ...RATE } as const;
    expect(said(result, { key: { ...KEY, rpm: 1 } })).toStartWith(
      "This key's limit of 1 request per minute is reached.",
    );
  });
});
