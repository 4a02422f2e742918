import { describe, expect, test } from "bun:test";
import type { StoredAnswer } from "../../core/ledger/ledger.ts";
import { micro } from "../../core/money/money.ts";
import { newCustomer, settleOp, type TestDatabase } from "./books.ts";

const SAME = { idempotency: { key: "retry me", fingerprint: "aa" } };
const OTHER_BODY = { idempotency: { key: "retry me", fingerprint: "bb" } };
const ANSWER: StoredAnswer = {
  status: 200,
  content_type: "application/json",
  headers: { "x-camino-ignored": "seed" },
  body: new Uint8Array([0, 123, 255, 10]),
};

export function idempotencySuite(database: () => TestDatabase): void {
  describe("a repeat with the same idempotency key", () => {
    answerTests(database);
    endTests(database);
    scopeTests(database);
  });
}

function answerTests(database: () => TestDatabase): void {
  test("gets the stored answer, byte for byte, and costs nothing", async () => {
    const customer = await newCustomer(database(), 100);
    const request_id = await customer.hold(SAME);
    await customer.settle(request_id, { answer: ANSWER, charge_micro: micro(100) });
    const repeat = await customer.admit(SAME);
    if (repeat.outcome !== "replay") throw new Error(`expected a replay, not ${repeat.outcome}`);
    expect(repeat.answer).toEqual({ ...ANSWER, body: expect.any(Uint8Array) });
    expect([...repeat.answer.body]).toEqual([...ANSWER.body]);
    expect(await customer.wallet()).toEqual({ balance: 0, held: 0 });
    const { daily } = await database().store.accounts.usageWindows(customer.account.id);
    expect(daily).toMatchObject({ cost_micro: 100n, request_count: 2, success_count: 2 });
  });

  test("shows what was charged, however much of the cost that was", async () => {
    const body = Buffer.from('{"usage":{"cost":"?"},"id":"ü"}');
    const written: StoredAnswer = { ...ANSWER, body, cost_place: { start: 17, end: 20 } };
    for (const [cost_micro, shown] of [
      [40, "0.00004"],
      [0, "0"],
      [250, "0.0001"],
    ] as const) {
      const customer = await newCustomer(database(), 100);
      const request_id = await customer.hold(SAME);
      await customer.settle(request_id, { answer: written, charge_micro: micro(cost_micro) });
      const repeat = await customer.admit(SAME);
      if (repeat.outcome !== "replay") throw new Error(`expected a replay, not ${repeat.outcome}`);
      const said = Buffer.from(repeat.answer.body).toString();
      expect(said).toBe(`{"usage":{"cost":${shown}},"id":"ü"}`);
      expect(repeat.answer).not.toHaveProperty("cost_place");
    }
  });

  test("takes one of the key's requests per minute, and waits for it where there is none", async () => {
    const customer = await newCustomer(database(), 100);
    await customer.settle(await customer.hold({ ...SAME, rpm: 2 }), { answer: ANSWER });
    expect(await customer.admit({ ...SAME, rpm: 2 })).toMatchObject({ outcome: "replay" });
    expect(await customer.admit({ ...SAME, rpm: 2 })).toMatchObject({ outcome: "rate_limited", limit: "requests" });
  });

  test("is known by its key alone, while it runs and once it is answered", async () => {
    const customer = await newCustomer(database(), 100);
    const other = await newCustomer(database(), 100);
    const { accounts } = database().store;
    const knows = (account_id: string) => accounts.hasIdempotencyKey(account_id, "retry me");
    expect(await knows(customer.account.id)).toBeFalse();
    const request_id = await customer.hold(SAME);
    expect(await knows(customer.account.id)).toBeTrue();
    await customer.settle(request_id, { answer: ANSWER });
    expect([await knows(customer.account.id), await knows(other.account.id)]).toEqual([true, false]);
  });

  test("is refused while the first one runs, also within one batch", async () => {
    const customer = await newCustomer(database(), 1000);
    const results = await customer.commit(customer.admitOp(SAME), customer.admitOp(SAME));
    expect(results.map(({ outcome }) => outcome)).toEqual(["admitted", "idempotency_in_progress"]);
    expect(await customer.admit(SAME)).toMatchObject({ outcome: "idempotency_in_progress" });
    expect(await customer.wallet()).toEqual({ balance: 900, held: 100 });
  });

  test("but another body is refused, running or answered", async () => {
    const customer = await newCustomer(database(), 1000);
    const request_id = await customer.hold(SAME);
    const refused = { outcome: "idempotency_key_reused", reason: "other_body" };
    expect(await customer.admit(OTHER_BODY)).toMatchObject(refused);
    await customer.settle(request_id, { answer: ANSWER });
    expect(await customer.admit(OTHER_BODY)).toMatchObject(refused);
  });

  test("needs an active key", async () => {
    const customer = await newCustomer(database(), 1000);
    await customer.settle(await customer.hold(SAME), { answer: ANSWER });
    await database().store.accounts.setKeyStatus(customer.key.id, "disabled");
    expect(await customer.admit(SAME)).toMatchObject({ outcome: "stale_key" });
  });
}

function endTests(database: () => TestDatabase): void {
  test("is refused when the answer was not kept", async () => {
    const customer = await newCustomer(database(), 1000);
    await customer.settle(await customer.hold(SAME));
    const refused = { outcome: "idempotency_key_reused", reason: "answer_not_kept" };
    expect(await customer.admit(SAME)).toMatchObject(refused);
  });

  test("runs anew after a void, also in the batch that voids", async () => {
    const customer = await newCustomer(database(), 1000);
    await customer.void(await customer.hold(SAME));
    const request_id = await customer.hold(SAME);
    const outcome = { attempts: [], error: null, queue_ms: 0, first_byte_ms: null, duration_ms: 0 };
    const results = await database().store.ledger.commit([
      { op: "void", request_id, outcome, operator_loss_micro: micro(0) },
      customer.admitOp(SAME),
    ]);
    expect(results.map((result) => result.outcome)).toEqual(["voided", "admitted"]);
    expect(await customer.admit(SAME)).toMatchObject({ outcome: "idempotency_in_progress" });
  });

  test("is remembered when the request ends in the batch that admits it", async () => {
    const customer = await newCustomer(database(), 1000);
    const admit = customer.admitOp(SAME);
    await database().store.ledger.commit([admit, settleOp(admit.request_id, { answer: ANSWER })]);
    expect(await customer.admit(SAME)).toMatchObject({ outcome: "replay", request_id: admit.request_id });
  });

  test("runs anew after a day, and a sweep clears what is older", async () => {
    const customer = await newCustomer(database(), 1000);
    const { store, execute, node_id } = database();
    const expire = () => execute(`UPDATE idempotency SET expires_ms = 1 WHERE account_id = '${customer.account.id}'`);
    await customer.settle(await customer.hold(SAME), { answer: ANSWER });
    await expire();
    const second = await customer.hold(SAME);
    await customer.settle(second, { answer: { ...ANSWER, status: 201 } });
    expect(await customer.admit(SAME)).toMatchObject({
      outcome: "replay",
      request_id: second,
      answer: { status: 201 },
    });
    await expire();
    await store.ledger.sweep(node_id);
    expect(await execute(`SELECT key FROM idempotency WHERE account_id = '${customer.account.id}'`)).toEqual([]);
    expect(await customer.admit(OTHER_BODY)).toMatchObject({ outcome: "admitted" });
  });
}

function scopeTests(database: () => TestDatabase): void {
  test("of another account is another request", async () => {
    const [one, two] = [await newCustomer(database(), 1000), await newCustomer(database(), 1000)];
    await one.hold(SAME);
    expect(await two.admit(SAME)).toMatchObject({ outcome: "admitted" });
  });

  test("that was refused before is not remembered", async () => {
    const customer = await newCustomer(database(), 50);
    expect(await customer.admit(SAME)).toMatchObject({ outcome: "insufficient_balance" });
    await customer.credit(50);
    expect(await customer.admit(OTHER_BODY)).toMatchObject({ outcome: "admitted" });
  });
}
