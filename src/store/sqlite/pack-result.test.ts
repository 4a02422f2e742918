import { expect, test } from "bun:test";
import type { LedgerResult } from "../../core/ledger/ledger.ts";
import { micro } from "../../core/money/money.ts";
import { isFlat, outcomeText, packResults, readOutcomes, unpackResults } from "./pack-result.ts";

const LIMIT = { limit: 60, remaining: 59, reset_ms: 1000 };

/** The results of which nearly all batches consist. */
const PLAIN: readonly LedgerResult[] = [
  { outcome: "admitted", rate: { requests: LIMIT, tokens: null } },
  { outcome: "settled", charge_micro: micro(40), operator_loss_micro: micro(0) },
  { outcome: "voided" },
  { outcome: "admitted", rate: { requests: null, tokens: { ...LIMIT, remaining: 0 } } },
  { outcome: "recorded" },
  { outcome: "extended", added_micro: micro(2n ** 60n) },
  {
    outcome: "admitted",
    rate: { requests: null, tokens: LIMIT },
    granted: { hold_micro: micro(7), output_tokens: 2048 },
  },
  { outcome: "refused" },
  { outcome: "unknown_request" },
  { outcome: "stale_key" },
  { outcome: "settled", charge_micro: micro(2n ** 60n), operator_loss_micro: micro(2n ** 61n) },
  { outcome: "admitted", rate: { requests: null, tokens: null } },
];

test("results come back as they were sent, as JSON", () => {
  for (const results of [PLAIN, PLAIN.toReversed(), []]) {
    const packed = packResults(results);
    expect(isFlat(packed)).toBe(true);
    expect(unpackResults(JSON.parse(JSON.stringify(packed)))).toEqual([...results]);
  }
});

const rate = { requests: LIMIT, tokens: LIMIT };
const OTHERS: readonly LedgerResult[] = [
  { outcome: "insufficient_balance", balance_micro: micro(2n ** 60n), rate },
  { outcome: "budget_exceeded", window: "day", remaining_micro: micro(1), rate },
  { outcome: "rate_limited", limit: "tokens", retry_after_ms: 5, rate },
  { outcome: "already_ended", status: "voided" },
  { outcome: "idempotency_in_progress" },
  { outcome: "idempotency_key_reused", reason: "other_body" },
  {
    outcome: "replay",
    request_id: "req_1",
    answer: { status: 200, content_type: "text/plain", headers: {}, body: new Uint8Array([1, 2]) },
  },
];

test("outcomes come back from the journal with their amounts, whatever stands beside them", () => {
  const beside: LedgerResult = { outcome: "idempotency_in_progress" };
  for (const results of [PLAIN, [...PLAIN, beside]]) {
    expect(readOutcomes(outcomeText(packResults(results)))).toEqual([...results]);
  }
});

for (const other of OTHERS) {
  test(`results with ${other.outcome} among them come back as they were sent, as a clone`, () => {
    for (const results of [[other], [...PLAIN, other], [other, ...PLAIN]]) {
      const packed = packResults(results);
      expect(isFlat(packed)).toBe(false);
      expect(unpackResults(structuredClone(packed))).toEqual(results);
    }
  });
}
