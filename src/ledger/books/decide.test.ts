import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AdmitOp, SettleOp } from "../../core/ledger/ledger.ts";
import { micro, ZERO } from "../../core/money/money.ts";
import type { Price } from "../../core/money/price.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { type Bucket, UNITS_PER_TOKEN } from "../../limits/bucket.ts";
import { decide } from "./decide.ts";
import { type AccountState, type KeyState, newWorkingSet, ruleId, type WorkingSet } from "./working-set.ts";

const NOW_MS = Date.parse("2026-11-22T12:00:00Z");
const PRICE: Price = {
  version: "p1",
  from_ms: 0,
  tiers: [],
  input_micro_per_mtok: 1,
  output_micro_per_mtok: 1,
  cache_read_micro_per_mtok: 1,
  cache_write_micro_per_mtok: 1,
};
const NO_RATE = { requests: null, tokens: null };

const ACCOUNT: AccountState = {
  id: "acct_1",
  status: "active",
  wallet: { balance_micro: micro(100), held_micro: ZERO, posted_micro: micro(100) },
  entry_count: 1,
  top_up_below_micro: null,
  top_up: null,
  has_limits: false,
  time_zone: null,
  limits: null,
  changed: false,
};

const KEY: KeyState = {
  id: "key_1",
  account_id: "acct_1",
  project_id: null,
  status: "active",
  version: 1,
  deleted: false,
  expires_ms: null,
  budget_micro: null,
  budget_window: null,
  raise_micro: ZERO,
  raise_until_ms: 0,
  requests: null,
  tokens: null,
  open_count: 0,
  held_micro: ZERO,
  spent_window: null,
  spent_start_day: 0,
  spent_micro: ZERO,
  last_used_ms: null,
  changed: false,
};

const ADMIT: AdmitOp = {
  op: "admit",
  request_id: "req_1",
  client_request_id: null,
  account_id: "acct_1",
  key_id: "key_1",
  key_version: 1,
  endpoint: "chat.completions",
  stream: false,
  requested_model: "acme/swift",
  model: "acme/swift",
  price: PRICE,
  hold_micro: micro(60),
  bound_tokens: 10,
  rpm: null,
  tpm: null,
  concurrent: null,
  budget: null,
  node_id: "node_1",
  ttl_ms: 60_000,
  idempotency: null,
  tags: null,
};

const SETTLE: SettleOp = {
  op: "settle",
  request_id: "req_1",
  model: "acme/swift",
  price: PRICE,
  usage: { ...NO_USAGE, input_tokens: 10, output_tokens: 5 },
  estimated: false,
  charge_micro: micro(40),
  success: true,
  answer: null,
  outcome: { attempts: [], error: null, queue_ms: 0, first_byte_ms: null, duration_ms: 1 },
};

const BUDGET = { budget: { amount_micro: micro(50), window: "day" } } as const;

interface RefusedAdmission {
  readonly by: string;
  readonly op?: Partial<AdmitOp>;
  readonly account?: Partial<AccountState>;
  readonly key?: Partial<KeyState>;
  readonly refusal: object;
}

function workingSet(account: Partial<AccountState> = {}, key: Partial<KeyState> = {}): WorkingSet {
  return newWorkingSet(NOW_MS, {
    accounts: new Map([["acct_1", { ...ACCOUNT, ...account }]]),
    keys: new Map([["key_1", { ...KEY, ...key }]]),
    requests: new Map(),
  });
}

/** A bucket of which nothing is left. */
function drained(limit: number): Bucket {
  return { limit, used_units: limit * UNITS_PER_TOKEN, at_ms: NOW_MS };
}

function walletOf(working: WorkingSet): unknown {
  return working.accounts.get("acct_1")?.wallet;
}

describe("an admission", () => {
  test("takes its hold from the balance", () => {
    const working = workingSet();
    expect(decide(working, ADMIT)).toEqual({ outcome: "admitted", rate: NO_RATE });
    expect(walletOf(working)).toEqual({ balance_micro: micro(40), held_micro: micro(60), posted_micro: micro(100) });
    expect(working.keys.get("key_1")).toMatchObject({ open_count: 1, held_micro: micro(60) });
    expect(working.changed_requests.map(({ id }) => id)).toEqual(["req_1"]);
  });

  test("sees the holds that were taken before it in its batch", () => {
    const working = workingSet();
    decide(working, ADMIT);
    expect(decide(working, { ...ADMIT, request_id: "req_2" })).toEqual({
      outcome: "insufficient_balance",
      balance_micro: micro(40),
      rate: NO_RATE,
    });
  });

  const limits = {
    ...{
      rpm: 60,
      tpm: 600,
      concurrent: null,
      budget_micro: null,
      budget_window: null,
      raise_micro: ZERO,
      raise_until_ms: 0,
    },
    ...{ spent_window: null, spent_start_day: 0, spent_micro: ZERO, open_count: 0, changed: false },
  };

  test.each([
    ["requests", "key"],
    ["tokens", "key"],
    ["requests", "account"],
    ["tokens", "account"],
    ["requests", "rule"],
    ["tokens", "rule"],
  ] as const)(
    "is refused no longer than a minute by %s of its %s after the clock was set back by an hour",
    (what, whose) => {
      const counts = { requests: null, tokens: null, [what]: drained(what === "requests" ? 60 : 600) };
      const working = workingSet(
        whose === "account" ? { has_limits: true, limits: { ...limits, ...counts } } : {},
        whose === "key" ? counts : {},
      );
      const rule = { rule: "key_1 model acme/*", value: "" };
      const since = { spent_from_ms: 0, used_ms: 0 };
      const state = { ...limits, ...counts, ...rule, account_id: "acct_1", held_micro: ZERO, own: null, ...since };
      working.rule_counts.set(ruleId("acct_1", rule.rule, ""), state);
      const rules = whose === "rule" ? [{ ...rule, budget: null, rpm: 60, tpm: 600, concurrent: null }] : null;
      const op: AdmitOp = whose === "key" ? { ...ADMIT, rpm: 60, tpm: 600 } : { ...ADMIT, rules };
      working.now_ms = NOW_MS - 3_600_000;
      expect(decide(working, op)).toMatchObject({ outcome: "rate_limited", limit: what, retry_after_ms: 1000 });
      working.now_ms += 1000;
      expect(decide(working, op)).toMatchObject({ outcome: "admitted" });
    },
  );

  const cases: readonly RefusedAdmission[] = [
    { by: "a balance short of the hold", op: { hold_micro: micro(101) }, refusal: { outcome: "insufficient_balance" } },
    {
      by: "a budget short of the hold",
      op: BUDGET,
      refusal: { outcome: "budget_exceeded", remaining_micro: micro(50) },
    },
    { by: "a request too many a minute", op: { rpm: 0 }, refusal: { outcome: "rate_limited", limit: "requests" } },
    { by: "tokens too many a minute", op: { tpm: 0 }, refusal: { outcome: "rate_limited", limit: "tokens" } },
    {
      by: "a request too many in flight",
      op: { concurrent: 3 },
      key: { open_count: 3 },
      refusal: { limit: "concurrency" },
    },
    { by: "its rate before its budget", op: { ...BUDGET, rpm: 0 }, refusal: { outcome: "rate_limited" } },
    {
      by: "its budget before its balance",
      op: { ...BUDGET, hold_micro: micro(101) },
      refusal: { outcome: "budget_exceeded" },
    },
    { by: "a key that was changed", op: { key_version: 2 }, refusal: { outcome: "stale_key" } },
    { by: "a key that was deleted", key: { deleted: true }, refusal: { outcome: "stale_key" } },
    { by: "a key that has expired", key: { expires_ms: NOW_MS }, refusal: { outcome: "stale_key" } },
    { by: "an account that was disabled", account: { status: "disabled" }, refusal: { outcome: "stale_key" } },
  ];
  test.each([
    ["is admitted", {}, 90],
    ["its budget refuses", BUDGET, 100],
    ["its balance refuses", { hold_micro: micro(101) }, 100],
  ])("says what is left of its tokens when %s", (_what, op, remaining) => {
    const decided = decide(workingSet({}, {}), { ...ADMIT, tpm: 100, bound_tokens: 10, ...op });
    expect(decided).toMatchObject({ rate: { tokens: { limit: 100, remaining } } });
  });

  test.each(cases)("is refused for $by, and changes no row", ({ op, account, key, refusal }) => {
    const working = workingSet(account, key);
    expect(decide(working, { ...ADMIT, ...op })).toMatchObject(refusal);
    expect(walletOf(working)).toEqual(ACCOUNT.wallet);
    expect([working.changed_accounts, working.changed_keys, working.changed_requests]).toEqual([[], [], []]);
  });
});

describe("an admission with an allowance", () => {
  /** A micro unit a token, and 10 for the input. */
  const allowance = { base_micro: micro(10), output_micro_per_mtok: 1_000_000, least_tokens: 20, most_tokens: 500 };
  const op = { ...ADMIT, hold_micro: micro(510), allowance };

  test("takes its whole hold where that can be paid", () => {
    const working = workingSet({ wallet: { balance_micro: micro(510), held_micro: ZERO, posted_micro: micro(510) } });
    expect(decide(working, op)).toEqual({ outcome: "admitted", rate: NO_RATE });
  });

  test("takes what half of the balance pays for otherwise, then half of the rest, and is refused below the least", () => {
    const working = workingSet();
    const granted: unknown[] = [];
    for (let n = 1; n <= 4; n++) granted.push(decide(working, { ...op, request_id: `req_${n}` }));
    expect(granted).toEqual([
      { outcome: "admitted", rate: NO_RATE, granted: { hold_micro: micro(50), output_tokens: 40 } },
      { outcome: "admitted", rate: NO_RATE, granted: { hold_micro: micro(30), output_tokens: 20 } },
      { outcome: "insufficient_balance", balance_micro: micro(20), rate: NO_RATE },
      { outcome: "insufficient_balance", balance_micro: micro(20), rate: NO_RATE },
    ]);
    expect(walletOf(working)).toEqual({ balance_micro: micro(20), held_micro: micro(80), posted_micro: micro(100) });
    expect(working.requests.get("req_1")?.hold_micro).toBe(micro(50));
  });

  test("takes half of what the key's budget has left, where that is less than the balance", () => {
    const result = decide(workingSet(), { ...op, budget: { amount_micro: micro(70), window: "day" } });
    expect(result).toMatchObject({ granted: { hold_micro: micro(35), output_tokens: 25 } });
    const small = decide(workingSet(), { ...op, budget: { amount_micro: micro(29), window: "day" } });
    expect(small).toMatchObject({ outcome: "budget_exceeded", remaining_micro: micro(29) });
  });

  test("never holds more in all than there was, however many come at once, and never charges more than it holds", () => {
    const amount = fc.integer({ min: 0, max: 2000 });
    const asked = fc.array(fc.tuple(amount, amount, fc.integer({ min: 0, max: 4000 })), { maxLength: 20 });
    fc.assert(
      fc.property(amount, asked, (balance, asked) => {
        const start = micro(balance);
        const working = workingSet({ wallet: { balance_micro: start, held_micro: ZERO, posted_micro: start } });
        for (const [n, [base, most, cost]] of asked.entries()) {
          const request_id = `req_${n}`;
          const hold_micro = micro(base + most);
          const scaled = { ...allowance, base_micro: micro(base), most_tokens: most, least_tokens: Math.min(20, most) };
          const admitted = decide(working, { ...op, request_id, hold_micro, allowance: scaled });
          const wallet = working.accounts.get("acct_1")?.wallet;
          if (wallet === undefined) throw new Error("the account is missing");
          expect(wallet.balance_micro >= ZERO && wallet.held_micro <= start).toBe(true);
          if (admitted.outcome !== "admitted") continue;
          if (n % 3 === 0) decide(working, { op: "extend", request_id, add_micro: micro(cost) });
          const held = working.requests.get(request_id)?.hold_micro ?? ZERO;
          if (n % 2 === 0) continue;
          const settled = decide(working, { ...SETTLE, request_id, charge_micro: micro(cost) });
          expect("charge_micro" in settled && settled.charge_micro <= held).toBe(true);
        }
      }),
    );
  });
});

describe("a settlement", () => {
  test("charges the cost, gives the rest of the hold back and writes an entry", () => {
    const working = workingSet();
    decide(working, ADMIT);
    expect(decide(working, SETTLE)).toEqual({ outcome: "settled", charge_micro: micro(40), operator_loss_micro: ZERO });
    expect(walletOf(working)).toEqual({ balance_micro: micro(60), held_micro: ZERO, posted_micro: micro(60) });
    expect(working.entries).toMatchObject([{ seq: 2, amount_micro: micro(-40), request_id: "req_1" }]);
    expect(working.keys.get("key_1")).toMatchObject({ open_count: 0, held_micro: ZERO });
  });

  test("books as the operator's loss what the hold does not cover", () => {
    const working = workingSet();
    decide(working, ADMIT);
    const result = decide(working, { ...SETTLE, charge_micro: micro(130) });
    expect(result).toMatchObject({ charge_micro: micro(60), operator_loss_micro: micro(70) });
  });

  test("happens once", () => {
    const working = workingSet();
    decide(working, ADMIT);
    decide(working, SETTLE);
    expect(decide(working, SETTLE)).toEqual({ outcome: "already_ended", status: "settled" });
    expect(working.entries).toHaveLength(1);
  });

  test("needs an admission", () => {
    expect(decide(workingSet(), SETTLE)).toEqual({ outcome: "unknown_request" });
  });
});

test("an extension takes more from the balance, and no more than is there", () => {
  const working = workingSet();
  decide(working, ADMIT);
  const extend = { op: "extend", request_id: "req_1", add_micro: micro(41) } as const;
  expect(decide(working, extend)).toEqual({ outcome: "extended", added_micro: micro(40) });
  expect(decide(working, extend)).toEqual({ outcome: "refused" });
  expect(walletOf(working)).toEqual({ balance_micro: ZERO, held_micro: micro(100), posted_micro: micro(100) });
});

test("a repeat with the same idempotency key waits for its answer, and then gets it without a charge", () => {
  const working = workingSet();
  const first = { ...ADMIT, idempotency: { key: "once", fingerprint: "a" } };
  const repeat = { ...first, request_id: "req_2" };
  const body = new Uint8Array([123, 125]);
  decide(working, first);
  expect(decide(working, repeat)).toEqual({ outcome: "idempotency_in_progress" });
  expect(decide(working, { ...repeat, idempotency: { key: "once", fingerprint: "b" } })).toMatchObject({
    reason: "other_body",
  });
  const answer = { status: 200, content_type: "application/json", headers: {}, body };
  decide(working, { ...SETTLE, answer });
  expect(decide(working, repeat)).toEqual({ outcome: "replay", answer, request_id: "req_1" });
  expect(working.entries).toHaveLength(1);
});
