import { expect, test } from "bun:test";
import fc from "fast-check";
import { micro } from "../../core/money/money.ts";
import { type Customer, newCustomer, type TestDatabase } from "./books.ts";

/** Random histories of one account against a model of a few lines: the books must agree after every step. */
export function modelSuite(database: () => TestDatabase, histories: number): void {
  test("any history leaves the books as the model says", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { maxLength: 30 }), async (steps) => {
        const customer = await newCustomer(database(), 500);
        const model = new Model(500);
        for (const step of steps) {
          await take(step, customer, model);
          expect(await customer.wallet()).toEqual({ balance: model.balance, held: model.held });
        }
        const { accounts } = database().store;
        const entries = await accounts.listEntries(customer.account.id, 1000);
        const posted = entries.reduce((sum, { amount_micro }) => sum + Number(amount_micro), 0);
        expect(posted).toBe(model.balance + model.held);
      }),
      { numRuns: histories, endOnFailure: true },
    );
    expect((await database().store.audit()).problems).toEqual([]);
  }, 120_000);
}

const amount = fc.integer({ min: 0, max: 400 });
const which = fc.nat({ max: 5 });
const STEP = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant("credit" as const), amount: fc.integer({ min: 1, max: 400 }) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("admit" as const), amount }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("extend" as const), which, amount }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("progress" as const), which, amount }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("settle" as const), which, amount }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("void" as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("expire" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const) }) },
);
type Step = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never;

interface ModelRequest {
  id: string;
  hold: number;
  progress: number | null;
  open: boolean;
  charged: number;
  /** Whether a recovery ended it and its own end has not come: that end is booked then. */
  recovered: boolean;
}

/** The expected books. Ended requests stay in the list, so that they are ended again. */
class Model {
  balance: number;
  readonly requests: ModelRequest[] = [];

  constructor(balance: number) {
    this.balance = balance;
  }

  get held(): number {
    return this.requests.reduce((sum, { open, hold }) => sum + (open ? hold : 0), 0);
  }

  end(request: ModelRequest, cost: number): void {
    if (!request.open) return;
    request.open = false;
    request.charged = Math.min(cost, request.hold);
    this.balance += request.hold - request.charged;
  }

  recover(request: ModelRequest, cost: number): void {
    request.recovered ||= request.open;
    this.end(request, cost);
  }

  endLate(request: ModelRequest, cost: number): void {
    if (!request.recovered) return;
    request.recovered = false;
    const difference = Math.min(Math.min(cost, request.hold) - request.charged, this.balance);
    request.charged += difference;
    this.balance -= difference;
  }
}

async function take(step: Step, customer: Customer, model: Model): Promise<void> {
  const request = "which" in step ? model.requests[step.which % Math.max(1, model.requests.length)] : undefined;
  switch (step.do) {
    case "credit":
      await customer.credit(step.amount);
      model.balance += step.amount;
      return;
    case "admit":
      return admit(customer, model, step.amount);
    case "crash":
      await customer.database.crash();
      // Money that is given back comes first.
      for (const each of model.requests) if (each.progress === null) model.recover(each, 0);
      for (const each of model.requests) model.recover(each, each.progress ?? 0);
      return;
    case "extend":
    case "progress":
    case "settle":
    case "void":
    case "expire":
      if (request) await goOn(step, request, customer, model);
  }
}

async function admit(customer: Customer, model: Model, hold: number): Promise<void> {
  const { outcome, request_id: id } = await customer.admit({ hold_micro: micro(hold) });
  expect(outcome).toBe(hold <= model.balance ? "admitted" : "insufficient_balance");
  if (outcome !== "admitted") return;
  model.balance -= hold;
  model.requests.push({ id, hold, progress: null, open: true, charged: 0, recovered: false });
}

async function goOn(
  step: Extract<Step, { which: number }>,
  request: ModelRequest,
  customer: Customer,
  model: Model,
): Promise<void> {
  const { execute, store, node_id } = customer.database;
  switch (step.do) {
    case "extend": {
      const result = await customer.extend(request.id, step.amount);
      const added = request.open ? Math.min(step.amount, model.balance) : 0;
      expect(result).toEqual(added > 0 ? { outcome: "extended", added_micro: micro(added) } : { outcome: "refused" });
      model.balance -= added;
      request.hold += added;
      return;
    }
    case "progress":
      await customer.progress(request.id, step.amount);
      if (request.open) request.progress = step.amount;
      return;
    case "settle": {
      const result = await customer.settle(request.id, { charge_micro: micro(step.amount) });
      expect(result?.outcome).toBe(request.open || request.recovered ? "settled" : "already_ended");
      model.endLate(request, step.amount);
      model.end(request, step.amount);
      return;
    }
    case "void":
      expect((await customer.void(request.id))?.outcome).toBe(
        request.open || request.recovered ? "voided" : "already_ended",
      );
      model.endLate(request, 0);
      model.end(request, 0);
      return;
    case "expire":
      if (!request.open) return;
      await execute(`UPDATE requests SET deadline_ms = 1 WHERE id = '${request.id}'`);
      await store.ledger.sweep(node_id);
      model.recover(request, request.progress ?? 0);
  }
}
