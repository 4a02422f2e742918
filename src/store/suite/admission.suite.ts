import { describe, expect, test } from "bun:test";
import type { AdmitOp } from "../../core/ledger/ledger.ts";
import { micro } from "../../core/money/money.ts";
import type { NewKey } from "../../core/store/ports.ts";
import { type Customer, newCustomer, rejectionOf, settleOp, type TestDatabase } from "./books.ts";

export function admissionSuite(database: () => TestDatabase): void {
  describe("an admission", () => {
    for (const refusal of REFUSALS) refusalTest(database, refusal);
    admittedTests(database);
    batchTests(database);
    rateTests(database);
    budgetTests(database);
  });
}

interface Refusal {
  readonly when: string;
  readonly key?: Partial<NewKey>;
  /** The preparation, beside the customer's 1,000 of credit. */
  readonly before?: (customer: Customer) => Promise<unknown>;
  readonly op?: Partial<AdmitOp>;
  readonly outcome: object;
  /** A caller whose key is stale asks again: only then is it counted. */
  readonly counted: boolean;
}

const DAY_BUDGET = { amount_micro: micro(250), window: "day" } as const;

const REFUSALS: readonly Refusal[] = [
  {
    when: "the key has changed since it was read",
    op: { key_version: 77 },
    outcome: { outcome: "stale_key" },
    counted: false,
  },
  {
    when: "the key does not exist",
    op: { key_id: "key_none" },
    outcome: { outcome: "stale_key" },
    counted: false,
  },
  {
    when: "the key is revoked",
    before: ({ database, key }) => database.store.accounts.setKeyStatus(key.id, "revoked"),
    outcome: { outcome: "stale_key" },
    counted: false,
  },
  {
    when: "the key is disabled, even if the caller knows its version",
    before: ({ database, key }) => database.store.accounts.setKeyStatus(key.id, "disabled"),
    op: { key_version: 2 },
    outcome: { outcome: "stale_key" },
    counted: false,
  },
  {
    when: "its account is disabled, even if the caller knows the key's new version",
    before: ({ database, account }) => database.store.accounts.setAccountStatus(account.id, "disabled"),
    op: { key_version: 2 },
    outcome: { outcome: "stale_key" },
    counted: false,
  },
  {
    when: "the key has expired",
    key: { expires_ms: 1 },
    outcome: { outcome: "stale_key" },
    counted: false,
  },
  {
    when: "the balance does not cover the hold",
    op: { hold_micro: micro(1001) },
    outcome: { outcome: "insufficient_balance", balance_micro: 1000n },
    counted: true,
  },
  {
    when: "open holds leave too little of the balance",
    before: (customer) => customer.hold({ hold_micro: micro(950) }),
    outcome: { outcome: "insufficient_balance", balance_micro: 50n },
    counted: true,
  },
  {
    when: "the key's requests of this minute are used up",
    before: async (customer) => customer.void(await customer.hold({ rpm: 1 })),
    op: { rpm: 1 },
    outcome: { outcome: "rate_limited", limit: "requests", rate: { requests: { limit: 1, remaining: 0 } } },
    counted: true,
  },
  {
    when: "the key's tokens of this minute are used up",
    before: (customer) => customer.hold({ tpm: 60, bound_tokens: 50 }),
    op: { tpm: 60, bound_tokens: 50 },
    outcome: { outcome: "rate_limited", limit: "tokens", rate: { tokens: { limit: 60 } } },
    counted: true,
  },
  {
    when: "as many requests are in flight as the key may have",
    before: (customer) => customer.hold(),
    op: { concurrent: 1 },
    outcome: { outcome: "rate_limited", limit: "concurrency", retry_after_ms: 1000 },
    counted: true,
  },
  {
    when: "the key's budget has too little left, open holds counted",
    key: { budget: DAY_BUDGET },
    before: async (customer) => {
      await customer.settle(await customer.hold());
      await customer.hold({ hold_micro: micro(150) });
    },
    outcome: { outcome: "budget_exceeded", window: "day", remaining_micro: 60n },
    counted: true,
  },
];

function refusalTest(database: () => TestDatabase, { when, key, before, op, outcome, counted }: Refusal): void {
  test(`is refused when ${when}, and changes nothing but the count`, async () => {
    const customer = await newCustomer(database(), 1000, key);
    await before?.(customer);
    const { accounts } = database().store;
    const counts = async () => (await accounts.usageWindows(customer.account.id)).daily;
    const [wallet, usage] = [await customer.wallet(), await counts()];

    const result = await customer.admit(op);
    expect(result).toMatchObject(outcome);
    expect(await customer.wallet()).toEqual(wallet);
    expect(await counts()).toEqual({ ...usage, request_count: usage.request_count + (counted ? 1 : 0) });
    expect(await accounts.findRequest(null, result.request_id)).toBeNull();
  });
}

function admittedTests(database: () => TestDatabase): void {
  test("moves its hold from the balance, and the request is held", async () => {
    const customer = await newCustomer(database(), 1000);
    const request_id = await customer.hold({ hold_micro: micro(1000), client_request_id: "mine", stream: true });
    expect(await customer.wallet()).toEqual({ balance: 0, held: 1000 });
    expect(await database().store.accounts.findRequest(customer.account.id, request_id)).toMatchObject({
      id: request_id,
      client_request_id: "mine",
      stream: true,
      status: "held",
      usage: null,
      hold_micro: 1000n,
      charge_micro: 0n,
      attempts: [],
      ended_ms: null,
    });
  });

  test("of one request id happens once: a second one is an error, not a second hold", async () => {
    const customer = await newCustomer(database(), 1000);
    const request_id = await customer.hold();
    expect(await rejectionOf(customer.admit({ request_id }))).toBeInstanceOf(Error);
    expect(await customer.wallet()).toEqual({ balance: 900, held: 100 });
  });
}

function batchTests(database: () => TestDatabase): void {
  test("that is refused does not sink its neighbours in the batch", async () => {
    const customer = await newCustomer(database(), 250);
    const other = await newCustomer(database(), 100);
    const ops = [80, 200, 90, 80].map((amount) => customer.admitOp({ hold_micro: micro(amount) }));
    const results = await database().store.ledger.commit([...ops, other.admitOp(), other.admitOp()]);
    expect(results.map(({ outcome }) => outcome)).toEqual([
      "admitted",
      "insufficient_balance",
      "admitted",
      "admitted",
      "admitted",
      "insufficient_balance",
    ]);
    expect(await customer.wallet()).toEqual({ balance: 0, held: 250 });
    expect(await other.wallet()).toEqual({ balance: 0, held: 100 });
  });

  test("sees what those before it in the batch gave back", async () => {
    const customer = await newCustomer(database(), 100);
    const request_id = await customer.hold();
    const results = await database().store.ledger.commit([
      customer.admitOp(),
      settleOp(request_id, { charge_micro: micro(10) }),
      customer.admitOp({ hold_micro: micro(90) }),
    ]);
    expect(results.map(({ outcome }) => outcome)).toEqual(["insufficient_balance", "settled", "admitted"]);
    expect(await customer.wallet()).toEqual({ balance: 0, held: 90 });
  });

  test("of 500 at once on a wallet for 10 lets exactly 10 in", async () => {
    const customer = await newCustomer(database(), 1000);
    const calls = Array.from({ length: 500 }, () => customer.admit());
    const admitted = (await Promise.all(calls)).filter(({ outcome }) => outcome === "admitted");
    expect(admitted).toHaveLength(10);
    expect(await customer.wallet()).toEqual({ balance: 0, held: 1000 });
  });
}

function refusalOf({ account, key }: Customer, rpm: number | null) {
  return { op: "count-refusal", account_id: account.id, key_id: key.id, model: null, rpm } as const;
}

function rateTests(database: () => TestDatabase): void {
  test("tells what is left of the limits", async () => {
    const customer = await newCustomer(database(), 1000);
    const { rate } = (await customer.admit({ rpm: 10, tpm: 1000 })) as { rate: object };
    expect(rate).toEqual({
      requests: { limit: 10, remaining: 9, reset_ms: 6000 },
      tokens: { limit: 1000, remaining: 950, reset_ms: 3000 },
    });
  });

  const refused: readonly (readonly [what: string, refuse: (customer: Customer) => Promise<unknown>])[] = [
    ["too little money", (customer) => customer.admit({ rpm: 3, hold_micro: micro(1_000_000) })],
    ["too many requests in flight", (customer) => customer.admit({ rpm: 3, concurrent: 0 })],
    ["a fault before the admission", (customer) => customer.commit(refusalOf(customer, 3))],
  ];
  for (const [what, refuse] of refused) {
    test(`counts requests that were refused for ${what}, within a batch and from one to the next`, async () => {
      const customer = await newCustomer(database(), 1000);
      await Promise.all([refuse(customer), refuse(customer)]);
      expect(await customer.admit({ rpm: 3 })).toMatchObject({
        outcome: "admitted",
        rate: { requests: { limit: 3, remaining: 0 } },
      });
      expect(await customer.admit({ rpm: 3 })).toMatchObject({ outcome: "rate_limited", limit: "requests" });
    });
  }

  test("a refusal without a rate, or of a key that is not the account's, takes nothing", async () => {
    const [customer, other] = [await newCustomer(database(), 1000), await newCustomer(database(), 1000)];
    await customer.commit(refusalOf(customer, null), { ...refusalOf(customer, 3), account_id: other.account.id });
    expect(await customer.admit({ rpm: 3 })).toMatchObject({ rate: { requests: { remaining: 2 } } });
  });

  test("counts the tokens that were used, once the request has settled", async () => {
    const customer = await newCustomer(database(), 1000);
    const used = {
      input_tokens: 7,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      output_tokens: 3,
      reasoning_tokens: 0,
    };
    const limits = { tpm: 1_000_000, bound_tokens: 600_000 };
    const first = await customer.hold(limits);
    expect(await customer.admit(limits)).toMatchObject({ outcome: "rate_limited" });
    // Within the minute: what time has given back by then is not given back twice.
    await customer.settle(first, { usage: used });
    expect(await customer.admit(limits)).toMatchObject({ outcome: "admitted" });
  });

  test("finds room for a request in flight when another ends", async () => {
    const customer = await newCustomer(database(), 1000);
    const first = await customer.hold({ concurrent: 1 });
    await customer.void(first);
    expect(await customer.admit({ concurrent: 1 })).toMatchObject({ outcome: "admitted" });
  });
}

function budgetTests(database: () => TestDatabase): void {
  test("has the whole budget again in a new window, and what was charged before counts in a longer one", async () => {
    const customer = await newCustomer(database(), 1000, { budget: DAY_BUDGET });
    const { execute } = database();
    await customer.settle(await customer.hold({ hold_micro: micro(200) }), { charge_micro: micro(200) });
    expect(await customer.admit()).toMatchObject({ outcome: "budget_exceeded", remaining_micro: 50n });
    // A day passes.
    const yesterday = "spent_start_day = spent_start_day - 1";
    await execute(`UPDATE key_state SET ${yesterday} WHERE key_id = '${customer.key.id}'`);
    await execute(`UPDATE usage_days SET day = day - 1 WHERE key_id = '${customer.key.id}'`);
    expect(await customer.admit({ hold_micro: micro(250) })).toMatchObject({ outcome: "admitted" });

    await execute(`UPDATE usage_days SET day = day + 1 WHERE key_id = '${customer.key.id}'`);
    await customer.changeKey({ budget: { amount_micro: micro(500), window: "month" } });
    expect(await customer.admit()).toMatchObject({ outcome: "budget_exceeded", window: "month", remaining_micro: 50n });
  });
}
