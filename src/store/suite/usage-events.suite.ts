import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Claim } from "../../core/deliveries/deliveries.ts";
import type { UsageCut, UsageEvent, UsagePortion } from "../../core/deliveries/usage-events.ts";
import { newId } from "../../core/ids.ts";
import { micro } from "../../core/money/money.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { type Customer, newCustomer, type TestDatabase } from "./books.ts";

type Ways = Pick<UsageCut, "is_by_account" | "most_events">;

const LEASE_MS = 60_000;
const BY_ACCOUNT: Ways = { is_by_account: true, most_events: 3 };
const FOR_ALL: Ways = { is_by_account: false, most_events: 4 };

/** Usage events (docs/rulings.md 234): what targets get is what the ledger has. */
export function usageEventsSuite(database: () => TestDatabase, histories: number): void {
  describe("usage events", () => {
    propertyTest(database, histories);
    shapeTests(database);
    portionTests(database);
  });
}

/** A target, and all that it was told: also what was told twice. */
class Listener {
  readonly id = newId("tgt");
  readonly told: UsageEvent[] = [];
  readonly #database: () => TestDatabase;
  readonly #ways: Ways;

  constructor(database: () => TestDatabase, ways: Ways) {
    this.#database = database;
    this.#ways = ways;
  }

  get #store() {
    return this.#database().store.deliveries;
  }

  async begin(): Promise<void> {
    await this.#store.beginUsage(this.id);
  }

  async cut(limit = 3): Promise<number> {
    const channel = this.#ways.is_by_account ? "webhook" : "s3";
    let made = 0;
    // What was charged is written to the embedded database's tables within seconds, and at once before this.
    await this.#store.listTargets();
    for (let after_id = ""; ; ) {
      const accounts = await this.#store.findUnsentUsage(this.id, after_id, limit);
      const about = { target_id: this.id, channel, accounts, has_others: false, every_ms: 0 } as const;
      if (accounts.length > 0) made += await this.#store.cutUsage({ ...about, ...this.#ways });
      if (accounts.length < limit) return made;
      after_id = accounts.at(-1) ?? "";
    }
  }

  /** Takes what is due; where it dies, it has taken it as well. Says whether there was something. */
  async take(ending: "takes" | "fails" | "dies"): Promise<boolean> {
    const over = { over: "usage", lease_ms: ending === "dies" ? 0 : LEASE_MS, targets: [this.id] } as const;
    const { delivery } = await this.#store.claimDelivery(over);
    if (delivery === null) return false;
    const { parts } = JSON.parse(delivery.body ?? "") as UsagePortion;
    this.told.push(...(await this.#store.readUsage(parts)));
    if (ending === "takes") await this.#store.endDelivery(delivery, { status: 204, reason: null });
    if (ending === "fails") await this.#store.delayDelivery(delivery, 0, { status: 503, reason: "busy" });
    return true;
  }

  /** Until nothing is left: what was put down within this millisecond is due in the next. */
  async takeAll(): Promise<void> {
    for (let idle = 0; idle < 2; idle += 1) {
      while ((await this.take("takes")) || (await this.cut()) > 0) idle = 0;
      await Bun.sleep(2);
    }
  }

  /** What was told of an account, each once and in the order in which it first came. */
  of({ account }: Customer): UsageEvent[] {
    const seen = new Set<number>();
    return this.told.filter((event) => {
      if (event.account !== account.id || seen.has(event.cursor)) return false;
      return seen.add(event.cursor);
    });
  }
}

const which = fc.nat({ max: 2 });
const ending = fc.constantFrom("takes", "takes", "fails", "dies");
const STEP = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("charge" as const), which, amount: fc.nat({ max: 60 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("credit" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("correct" as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("late" as const), which, amount: fc.nat({ max: 60 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("cut" as const) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("take" as const), ending }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const) }) },
);
type Step = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never;

function propertyTest(database: () => TestDatabase, histories: number): void {
  test("any history is told in the ledger's order, without a gap, and adds up to what the ledger charged", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: 40 }), async (steps) => {
        const listeners = [new Listener(database, BY_ACCOUNT), new Listener(database, FOR_ALL)];
        for (const listener of listeners) await listener.begin();
        const customers = [await newCustomer(database(), 5000), await newCustomer(database(), 5000)];
        customers.push(await newCustomer(database(), 40));
        for (const step of steps) await take(step, customers, listeners);
        for (const listener of listeners) await listener.takeAll();
        for (const customer of customers) {
          const charged = await chargedOf(customer);
          for (const listener of listeners) {
            const told = listener.of(customer);
            expect(told.map(({ cursor }) => cursor)).toEqual(told.map((_, at) => at + 1));
            expect(told.map(({ charge_micro }) => charge_micro)).toEqual(charged);
          }
        }
      }),
      { numRuns: Math.ceil(histories / 2), endOnFailure: true },
    );
  }, 120_000);
}

/** What the ledger has of requests, oldest first. */
async function chargedOf({ database, account }: Customer): Promise<bigint[]> {
  const entries = await database.store.accounts.listEntries(account.id, 1000);
  const of_requests = entries.filter(
    ({ kind, actor }) => kind === "charge" || (kind === "correction" && actor === "gateway"),
  );
  return of_requests.toReversed().map(({ amount_micro }) => -amount_micro);
}

async function take(step: Step, customers: readonly Customer[], listeners: readonly Listener[]): Promise<void> {
  const customer = customers["which" in step ? step.which : 0] as Customer;
  const { store } = customer.database;
  switch (step.do) {
    case "charge": {
      const { request_id, outcome } = await customer.admit();
      if (outcome === "admitted") await customer.settle(request_id, { charge_micro: micro(step.amount) });
      return;
    }
    case "credit":
      return await customer.credit(5);
    case "correct": {
      const entry = { account_id: customer.account.id, kind: "correction", amount_micro: micro(-1) } as const;
      if ((await customer.wallet()).balance > 0) await store.accounts.addEntry({ ...entry, note: "", actor: "test" });
      return;
    }
    case "late":
      if ((await customer.wallet()).balance >= 100) await endLate(customer, step.amount);
      return;
    case "cut":
      for (const listener of listeners) await listener.cut();
      return;
    case "take":
      for (const listener of listeners) await listener.take(step.ending as "takes");
      return;
    case "crash":
      return await customer.database.crash();
  }
}

/** A request that a recovery charges with 15, and whose own end says another amount. */
async function endLate(customer: Customer, amount: number): Promise<string> {
  const { database } = customer;
  const request_id = await customer.hold();
  await customer.progress(request_id, 15, { input_tokens: 10, output_tokens: 5 });
  await database.execute(`UPDATE requests SET deadline_ms = 1 WHERE id = '${request_id}'`);
  await database.store.ledger.sweep(database.node_id);
  await customer.settle(request_id, { usage: { ...NO_USAGE, input_tokens: 9 }, charge_micro: micro(amount) });
  return request_id;
}

function shapeTests(database: () => TestDatabase): void {
  test("say whose they are, what was used and what it cost, and a late end what it adds", async () => {
    const listener = new Listener(database, FOR_ALL);
    await listener.begin();
    const customer = await newCustomer(database(), 1000);
    const tagged = await customer.hold({ tags: '{"team":"a"}' });
    await customer.settle(tagged, { charge_micro: micro(40) });
    const late = await endLate(customer, 22);
    await listener.takeAll();
    const about = { account: customer.account.id, key: customer.key.id, project: null, model: "acme/swift" };
    const usage = { ...NO_USAGE, input_tokens: 10, output_tokens: 15 };
    expect(listener.of(customer)).toMatchObject([
      {
        ...about,
        cursor: 1,
        kind: "charge",
        request_id: tagged,
        tags: { team: "a" },
        charge_micro: 40n,
        usage,
        endpoint: "chat.completions",
      },
      { ...about, cursor: 2, kind: "charge", request_id: late, charge_micro: 15n, usage: { output_tokens: 5 } },
      { ...about, cursor: 3, kind: "correction", request_id: late, charge_micro: 7n, usage: { input_tokens: 9 } },
    ]);
    expect(listener.told.every(({ settled_ms }) => Math.abs(settled_ms - Date.now()) < 60_000)).toBe(true);
  });

  test("begin for a target when it is made known, with the numbers that other targets have", async () => {
    const first = new Listener(database, BY_ACCOUNT);
    await first.begin();
    const customer = await newCustomer(database(), 1000);
    const charge = async () => await customer.settle(await customer.hold());
    await charge();
    await customer.credit(10);
    await charge();
    const second = new Listener(database, FOR_ALL);
    await second.begin();
    await customer.credit(10);
    await charge();
    await second.begin();
    for (const listener of [first, second]) await listener.takeAll();
    expect(first.of(customer).map(({ cursor }) => cursor)).toEqual([1, 2, 3]);
    expect(second.of(customer)).toEqual(first.of(customer).slice(2));
    expect(second.told.filter(({ account }) => account !== customer.account.id)).toEqual([]);
  });
}

function portionTests(database: () => TestDatabase): void {
  const charged = async (): Promise<Customer> => {
    const customer = await newCustomer(database(), 1000);
    await customer.settle(await customer.hold());
    return customer;
  };

  test("of an account wait for those before them, and for no other account's", async () => {
    const listener = new Listener(database, BY_ACCOUNT);
    await listener.begin();
    const [one, other] = [await charged(), await charged()];
    expect(await listener.cut()).toBe(2);
    await one.settle(await one.hold());
    expect(await listener.cut()).toBe(0);
    await listener.take("takes");
    await listener.take("takes");
    expect(await listener.cut()).toBe(1);
    await listener.takeAll();
    expect([one, other].map((each) => listener.of(each).length)).toEqual([2, 1]);
  });

  test("are put down once where several nodes look at the same time, and claimed once", async () => {
    const listener = new Listener(database, FOR_ALL);
    await listener.begin();
    const customer = await charged();
    const made = await Promise.all([listener.cut(), listener.cut(), listener.cut()]);
    expect(made.reduce((sum, each) => sum + each)).toBe(1);
    await Promise.all([listener.take("takes"), listener.take("takes")]);
    expect(listener.told.map(({ account, cursor }) => ({ account, cursor }))).toEqual([
      { account: customer.account.id, cursor: 1 },
    ]);
  });

  test("are deliveries of the gateway, which wait for as long as it takes and are sent again when somebody asks", async () => {
    const { deliveries } = database().store;
    const listener = new Listener(database, FOR_ALL);
    await listener.begin();
    await charged();
    await listener.cut();
    const claim = { over: "usage", lease_ms: LEASE_MS, targets: [listener.id] } as const;
    const { delivery } = await deliveries.claimDelivery(claim);
    expect(await deliveries.delayDelivery(delivery as Claim, 400 * 86_400_000, { status: 503, reason: "busy" })).toBe(
      true,
    );
    const find = async () => await deliveries.findDelivery(delivery?.id ?? "");
    expect(await find()).toMatchObject({ state: "waiting", type: "usage.settled", channel: "s3", account_id: null });
    const [listed] = await deliveries.listDeliveries({ account_id: null, limit: 1 });
    expect(listed?.id).toBe(delivery?.id ?? "");
    expect(await deliveries.resendDelivery(delivery?.id ?? "", 1000)).toBe(true);
    expect(await listener.take("takes")).toBe(true);
    expect(await find()).toMatchObject({ state: "delivered", status: 204 });
    const before = listener.told.length;
    expect(await deliveries.resendDelivery(delivery?.id ?? "", 60_000)).toBe(true);
    await listener.take("takes");
    expect(listener.told.slice(before)).toEqual(listener.told.slice(0, before));
    while ((await deliveries.dropDeliveries(0, Date.now() + LEASE_MS)) > 0);
    expect(await find()).toBeNull();
  });
}
