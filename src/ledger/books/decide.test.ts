import { describe, expect, test } from "bun:test";
import { micro, ZERO } from "../../core/money.ts";
import type { BookAdmit, BookSettle } from "./book-op.ts";
import { decide } from "./decide.ts";
import { type AccountState, type KeyState, newWorkingSet, type WorkingSet } from "./working-set.ts";

const NOW_MS = Date.parse("2026-11-22T12:00:00Z");
const NO_RATE = { requests: null, tokens: null };

const ACCOUNT: AccountState = {
  id: "acct_1",
  status: "active",
  wallet: { balance_micro: micro(100), held_micro: ZERO, posted_micro: micro(100) },
  entry_count: 1,
  top_up_below_micro: null,
  top_up: null,
  changed: false,
};

const KEY: KeyState = {
  id: "key_1",
  account_id: "acct_1",
  status: "active",
  version: 1,
  deleted: false,
  expires_ms: null,
  budget_micro: null,
  budget_window: null,
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

const ADMIT: BookAdmit = {
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
  price: "{}",
  hold_micro: micro(60),
  bound_tokens: 10,
  rpm: null,
  tpm: null,
  concurrent: null,
  budget_micro: null,
  budget_window: null,
  node_id: "node_1",
  ttl_ms: 60_000,
  idempotency_key: null,
  fingerprint: null,
};

const SETTLE: BookSettle = {
  op: "settle",
  request_id: "req_1",
  model: "acme/swift",
  price: "{}",
  input_tokens: 10,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 5,
  reasoning_tokens: 0,
  usage_extra: null,
  estimated: false,
  charge_micro: micro(40),
  success: true,
  answer: null,
  attempts: "[]",
  error: null,
  queue_ms: 0,
  first_byte_ms: null,
  duration_ms: 1,
  upstream_cost_micro: null,
};

const BUDGET = { budget_micro: micro(50), budget_window: "day" } as const;

interface RefusedAdmission {
  readonly by: string;
  readonly op?: Partial<BookAdmit>;
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
  test.each(cases)("is refused for $by, and changes no row", ({ op, account, key, refusal }) => {
    const working = workingSet(account, key);
    expect(decide(working, { ...ADMIT, ...op })).toMatchObject(refusal);
    expect(walletOf(working)).toEqual(ACCOUNT.wallet);
    expect([working.changed_accounts, working.changed_keys, working.changed_requests]).toEqual([[], [], []]);
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

  test("books as the operator's loss what neither hold nor balance covers", () => {
    const working = workingSet();
    decide(working, ADMIT);
    const result = decide(working, { ...SETTLE, charge_micro: micro(130) });
    expect(result).toMatchObject({ charge_micro: micro(100), operator_loss_micro: micro(30) });
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
  expect(decide(working, { op: "extend", request_id: "req_1", add_micro: micro(41) })).toEqual({ outcome: "refused" });
  expect(decide(working, { op: "extend", request_id: "req_1", add_micro: micro(40) })).toEqual({ outcome: "extended" });
  expect(walletOf(working)).toEqual({ balance_micro: ZERO, held_micro: micro(100), posted_micro: micro(100) });
});

test("a repeat with the same idempotency key waits for its answer, and then gets it without a charge", () => {
  const working = workingSet();
  const first = { ...ADMIT, idempotency_key: "once", fingerprint: "a" };
  const repeat = { ...first, request_id: "req_2" };
  const body = new Uint8Array([123, 125]);
  decide(working, first);
  expect(decide(working, repeat)).toEqual({ outcome: "idempotency_in_progress" });
  expect(decide(working, { ...repeat, fingerprint: "b" })).toMatchObject({ reason: "other_body" });
  decide(working, { ...SETTLE, answer: { status: 200, content_type: "application/json", headers: "{}", body } });
  const answer = { status: 200, content_type: "application/json", headers: {}, body };
  expect(decide(working, repeat)).toEqual({ outcome: "replay", answer, request_id: "req_1" });
  expect(working.entries).toHaveLength(1);
});
