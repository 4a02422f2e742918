import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { StoredAnswer } from "../../core/ledger/ledger.ts";
import { micro } from "../../core/money/money.ts";
import { type Customer, newCustomer, problemsOf, settleOp, type TestDatabase } from "./books.ts";

const SAME = { idempotency: { key: "k", fingerprint: "f" } };
const OTHER_BODY = { idempotency: { key: "k", fingerprint: "g" } };

/** An idempotency key whose request a recovery has ended (docs/rulings.md 61, 146). */
export function keyAfterRecoverySuite(database: () => TestDatabase, histories: number): void {
  describe("the idempotency key of a request that a recovery voided", () => {
    orderTests(database);
    bodyTests(database);
    lawTest(database, histories);
  });
}

function answerOf(text: string): StoredAnswer {
  return { status: 200, content_type: "text/plain", headers: {}, body: new TextEncoder().encode(text) };
}

/** Ends the open hold of a request as its node's death would. */
async function recover(database: TestDatabase, request_id: string): Promise<void> {
  await database.execute(`UPDATE requests SET deadline_ms = 1 WHERE id = '${request_id}' AND status = 'held'`);
  await database.store.ledger.sweep(database.node_id);
}

/** A request with a key whose node died before anything was recorded of it. */
async function recovered(database: TestDatabase): Promise<{ customer: Customer; first: string }> {
  const customer = await newCustomer(database, 1000);
  const first = await customer.hold(SAME);
  await recover(database, first);
  return { customer, first };
}

async function chargeOf(database: TestDatabase, request_id: string): Promise<[charge: number, loss: number]> {
  const found = await database.store.accounts.findRequest(null, request_id);
  return [Number(found?.charge_micro), Number(found?.operator_loss_micro)];
}

function orderTests(database: () => TestDatabase): void {
  test("belongs to its late end where nobody has asked again: a repeat gets that answer", async () => {
    const { customer, first } = await recovered(database());
    expect(await customer.settle(first, { answer: answerOf("late") })).toMatchObject({ charge_micro: 40n, late: true });
    const replayed = await customer.admit(SAME);
    expect(replayed).toMatchObject({ outcome: "replay", request_id: first });
    expect("answer" in replayed && new TextDecoder().decode(replayed.answer.body)).toBe("late");
    expect(await customer.wallet()).toEqual({ balance: 960, held: 0 });
  });

  test("shows what came of its recovery and of its late end", async () => {
    const { customer, first } = await recovered(database());
    const marked = { ...answerOf("cost: ?."), cost_place: { start: 6, end: 7 } };
    await customer.settle(first, { answer: marked, charge_micro: micro(70) });
    const replayed = await customer.admit(SAME);
    expect("answer" in replayed && new TextDecoder().decode(replayed.answer.body)).toBe("cost: 0.00007.");
    expect(await chargeOf(database(), first)).toEqual([70, 0]);
  });

  test("is free again after a late void", async () => {
    const { customer, first } = await recovered(database());
    await customer.void(first);
    expect(await customer.admit(OTHER_BODY)).toMatchObject({ outcome: "admitted" });
  });

  test("is taken over by a repeat, once, which alone is charged and replayed", async () => {
    const { customer, first } = await recovered(database());
    const second = await customer.hold(SAME);
    expect(await customer.admit(SAME)).toMatchObject({ outcome: "idempotency_in_progress" });
    const late = await customer.settle(first, { answer: answerOf("late") });
    expect(late).toEqual({ outcome: "settled", charge_micro: micro(0), operator_loss_micro: micro(40), late: true });
    await customer.settle(second, { answer: answerOf("anew"), charge_micro: micro(30) });
    expect(await customer.admit(SAME)).toMatchObject({ outcome: "replay", request_id: second });
    expect(await chargeOf(database(), first)).toEqual([0, 40]);
    expect(await customer.wallet()).toEqual({ balance: 970, held: 0 });
  });

  test("charges no late end after a repeat that has failed: the next repeat is charged", async () => {
    const { customer, first } = await recovered(database());
    await customer.void(await customer.hold(SAME));
    await customer.settle(first, { answer: answerOf("late") });
    await customer.settle(await customer.hold(SAME), { charge_micro: micro(30) });
    expect(await customer.wallet()).toEqual({ balance: 970, held: 0 });
    expect(await problemsOf(customer)).toEqual([]);
  });

  test("is decided within one batch as in several", async () => {
    const { customer, first } = await recovered(database());
    const repeat = customer.admitOp(SAME);
    const results = await database().store.ledger.commit([repeat, settleOp(first)]);
    expect(results).toMatchObject([{ outcome: "admitted" }, { outcome: "settled", charge_micro: 0n }]);
  });
}

function bodyTests(database: () => TestDatabase): void {
  test("is refused for another body, as while the first request ran", async () => {
    const { customer } = await recovered(database());
    const refused = { outcome: "idempotency_key_reused", reason: "other_body" };
    expect(await customer.admit(OTHER_BODY)).toMatchObject(refused);
  });

  test("stays with the first request where the repeat is not admitted", async () => {
    const { customer, first } = await recovered(database());
    expect(await customer.admit({ ...SAME, hold_micro: micro(5000) })).toMatchObject({
      outcome: "insufficient_balance",
    });
    expect(await customer.settle(first)).toMatchObject({ charge_micro: 40n });
  });
}

const which = fc.nat({ max: 2 });
const STEP = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("ask" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("progress" as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("recover" as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("settle" as const), which, is_kept: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("void" as const), which }) },
);
type Step = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never;

function lawTest(database: () => TestDatabase, histories: number): void {
  test("is charged once at most, whatever the order of recoveries, repeats and late ends", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 3, maxLength: 12 }), async (steps) => {
        const customer = await newCustomer(database(), 10_000);
        const requests: string[] = [];
        for (const step of steps) {
          await take(step, customer, requests);
          const charges = await Promise.all(requests.map((id) => chargeOf(database(), id)));
          expect(charges.filter(([charge]) => charge > 0).length).toBeLessThanOrEqual(1);
        }
        expect(await problemsOf(customer)).toEqual([]);
      }),
      { numRuns: histories, endOnFailure: true },
    );
  }, 120_000);
}

async function take(step: Step, customer: Customer, requests: string[]): Promise<void> {
  if (step.do === "ask") {
    const { outcome, request_id } = await customer.admit(SAME);
    if (outcome === "admitted") requests.push(request_id);
    return;
  }
  const request_id = requests[step.which];
  if (request_id === undefined) return;
  if (step.do === "progress") await customer.progress(request_id, 15, { input_tokens: 10, output_tokens: 5 });
  else if (step.do === "recover") await recover(customer.database, request_id);
  else if (step.do === "void") await customer.void(request_id);
  else await customer.settle(request_id, { answer: step.is_kept ? answerOf(request_id) : null });
}
