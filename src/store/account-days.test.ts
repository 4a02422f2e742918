import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { freshDatabase } from "../../proofs/support/postgres.ts";
import { newId } from "../core/ids.ts";
import type { AdmitOp } from "../core/ledger/ledger.ts";
import { micro } from "../core/money/money.ts";
import { type BudgetWindow, type KeyRecord, NO_LIMITS } from "../core/people/principal.ts";
import { setAccountLimits } from "./accounts/account-limits.ts";
import { createAccount, setTimeZone } from "./accounts/accounts.ts";
import { budgetUses } from "./accounts/budget-use.ts";
import { addEntry } from "./accounts/entries.ts";
import { createKey, findKey, updateKey } from "./accounts/keys.ts";
import { createProject } from "./accounts/projects.ts";
import { audit } from "./audit/audit.ts";
import { newKey, PRICE, settleOp } from "./suite/books.ts";
import { type MovedBooks, movedPostgres, movedSqlite } from "./suite/moved-books.ts";

/** Budgets renew in the days of the account's time zone (docs/rulings.md 179). */

const HOLDERS = ["key", "project", "account"] as const;
type Holder = (typeof HOLDERS)[number];

for (const [name, open] of [
  ["on SQLite", movedSqlite],
  ["on PostgreSQL", async () => movedPostgres(await freshDatabase())],
] as const)
  describe(`${name}, the days of an account`, () => daysTests(open));

class Spender {
  readonly books: MovedBooks;
  readonly account_id = newId("acct");
  key: KeyRecord | null = null;

  constructor(books: MovedBooks) {
    this.books = books;
  }

  /** An account in a zone of which one holder has a budget of 100. */
  async begin(holder: Holder, window: BudgetWindow, time_zone: string | null): Promise<void> {
    const { books, account_id: id } = this;
    const budget = { amount_micro: micro(100), window };
    await books.run(() => createAccount({ id, email: `${id}@example.com`, name: "" }));
    const credit = { account_id: id, kind: "credit", amount_micro: micro(10_000), note: "", actor: "test" } as const;
    await books.run(() => addEntry(credit));
    const project_id = newId("proj");
    const limits = { ...NO_LIMITS, ...(holder === "project" && { budget }) };
    await books.run(() => createProject({ id: project_id, account_id: id, name: "team", limits }));
    this.key = await books.run(() => createKey(newKey(id, { project_id, ...(holder === "key" && { budget }) })));
    if (holder === "account") await books.run(() => setAccountLimits(id, { ...NO_LIMITS, budget }));
    await this.moveTo(time_zone);
  }

  async moveTo(time_zone: string | null): Promise<void> {
    await this.books.run(() => setTimeZone(this.account_id, time_zone));
    await this.readKey();
  }

  async readKey(): Promise<void> {
    this.key = await this.books.run(() => findKey(this.key?.id ?? ""));
  }

  /** The amount that the budget has left, as a refusal of far too much says. */
  async left(): Promise<number> {
    const [result] = await this.books.commit([this.#admit(5000)]);
    return result?.outcome === "budget_exceeded" ? Number(result.remaining_micro) : Number.NaN;
  }

  async spend(amount: number): Promise<void> {
    const op = this.#admit(amount);
    expect(await this.books.commit([op])).toMatchObject([{ outcome: "admitted" }]);
    await this.books.commit([settleOp(op.request_id, { charge_micro: micro(amount) })]);
  }

  async problems(): Promise<readonly string[]> {
    const found = await this.books.run(() => audit());
    return found.findings.map(({ problem }) => problem);
  }

  #admit(amount: number): AdmitOp {
    const { key } = this;
    if (key === null) throw new Error("there is no key");
    return {
      ...{ op: "admit", request_id: newId("req"), client_request_id: null, account_id: key.account_id },
      ...{ key_id: key.id, key_version: key.version, endpoint: "chat.completions", stream: false },
      ...{ requested_model: "acme/swift", model: "acme/swift", price: PRICE, hold_micro: micro(amount) },
      ...{ bound_tokens: 1, rpm: null, tpm: null, concurrent: null, budget: key.budget },
      ...{ node_id: "node_1", ttl_ms: 3_600_000, idempotency: null },
    };
  }
}

/** Times in order, each with what is spent at it and what the budget has left before that. */
type Story = readonly (readonly [time: string, left: number, spent: number])[];

const STORIES: Readonly<Record<string, readonly [zone: string | null, window: BudgetWindow, Story]>> = {
  "a day of 23 hours, as clocks go forward": [
    "Europe/Berlin",
    "day",
    [
      ["2026-03-28T22:59:59Z", 100, 30],
      ["2026-03-28T23:00:00Z", 100, 40],
      ["2026-03-29T21:59:59Z", 60, 10],
      ["2026-03-29T22:00:00Z", 100, 0],
    ],
  ],
  "a day of 25 hours, as clocks go back": [
    "America/New_York",
    "day",
    [
      ["2026-11-01T03:59:59Z", 100, 30],
      ["2026-11-01T04:00:00Z", 100, 40],
      ["2026-11-02T04:59:59Z", 60, 60],
      ["2026-11-02T05:00:00Z", 100, 0],
    ],
  ],
  "a week, on its Monday": [
    "Asia/Kathmandu",
    "week",
    [
      ["2026-11-29T18:14:59Z", 100, 20],
      ["2026-11-29T18:15:00Z", 100, 5],
      ["2026-12-06T18:14:59Z", 95, 5],
      ["2026-12-06T18:15:00Z", 100, 0],
    ],
  ],
  "a month, on its first": [
    "America/Los_Angeles",
    "month",
    [
      ["2026-11-01T06:59:59Z", 100, 20],
      ["2026-11-01T07:00:00Z", 100, 20],
      ["2026-12-01T07:59:59Z", 80, 20],
      ["2026-12-01T08:00:00Z", 100, 0],
    ],
  ],
  "a month of UTC, where nobody has said otherwise": [
    null,
    "month",
    [
      ["2026-11-30T23:59:59Z", 100, 20],
      ["2026-12-01T00:00:00Z", 100, 20],
      ["2026-12-31T23:59:59Z", 80, 0],
    ],
  ],
};

function daysTests(open: () => Promise<MovedBooks>): void {
  let books: MovedBooks;
  beforeAll(async () => {
    books = await open();
  });
  afterAll(() => books.close());

  for (const [name, [time_zone, window, story]] of Object.entries(STORIES))
    test.each(HOLDERS)(`are ${name}, for the budget of a %s`, async (holder) => {
      const spender = new Spender(books);
      const [first] = story;
      await books.moveTo(first?.[0] ?? "");
      await spender.begin(holder, window, time_zone);
      for (const [time, left, spent] of story) {
        await books.moveTo(time);
        expect([time, await spender.left()]).toEqual([time, left]);
        if (spent > 0) await spender.spend(spent);
        books.crash();
        expect([time, await spender.left()]).toEqual([time, left - spent]);
        expect(await spender.problems()).toEqual([]);
      }
    });

  test.each(HOLDERS)("are counted anew of a %s where the zone or the window changes", async (holder) => {
    const spender = new Spender(books);
    await books.moveTo("2026-11-27T20:00:00Z");
    await spender.begin(holder, "day", null);
    await spender.spend(30);
    await books.moveTo("2026-11-27T23:30:00Z");
    await spender.spend(5);
    await books.moveTo("2026-11-28T01:00:00Z");
    await spender.spend(10);
    expect(await spender.left()).toBe(90);
    // In Berlin it has been Saturday since 23:00.
    await spender.moveTo("Europe/Berlin");
    expect(await spender.left()).toBe(85);
    // In New York it is Friday, 20:00.
    await spender.moveTo("America/New_York");
    expect(await spender.left()).toBe(55);
    await spender.moveTo(null);
    expect(await spender.left()).toBe(90);
    expect(await spender.problems()).toEqual([]);
  });

  test("of a budget that a key gets later count what was spent before it", async () => {
    const spender = new Spender(books);
    await books.moveTo("2026-11-27T22:00:00Z");
    await spender.begin("account", "once", "Europe/Berlin");
    await spender.spend(7);
    await books.moveTo("2026-11-27T23:10:00Z");
    await spender.spend(11);
    await books.moveTo("2026-11-28T09:00:00Z");
    await spender.spend(13);
    const id = spender.key?.id ?? "";
    await books.run(() => updateKey(id, { budget: { amount_micro: micro(50), window: "day" } }));
    await spender.readKey();
    expect(await spender.left()).toBe(26);
    await books.run(() => updateKey(id, { budget: { amount_micro: micro(50), window: "month" } }));
    await spender.readKey();
    expect(await spender.left()).toBe(19);
  });

  test("are named where a budget is shown, with the time at which they end", async () => {
    const spender = new Spender(books);
    await spender.begin("key", "day", "Europe/Berlin");
    const [use] = await books.run(() => budgetUses(spender.account_id));
    expect(use?.renews?.time_zone).toBe("Europe/Berlin");
    expect(use?.renews?.at).toMatch(/T00:00:00\+0[12]:00$/);
    expect(Date.parse(`${use?.since}T00:00:00Z`)).toBeLessThan(Date.parse(use?.renews?.at ?? ""));
  });
}
