import { describe, expect, test } from "bun:test";
import type { AuditReport } from "../../core/ledger/books-audit.ts";
import { micro } from "../../core/money/money.ts";
import type { AppliedRule } from "../../core/people/limit-rules.ts";
import { type Customer, newCustomer, problemsOf, settleOp, type TestDatabase } from "./books.ts";

/** The number of histories in a round of audits beside traffic. */
const HISTORIES_A_ROUND = 12;

/** The audit finds the faults that the database itself cannot refuse, and nothing in books that are right. */
export function auditSuite(database: () => TestDatabase, histories: number): void {
  describe("the audit of the books", () => {
    damageTests(database);
    sliceTests(database);
    liveTests(database, Math.ceil(histories / HISTORIES_A_ROUND));
  });
}

/** The last of it goes through all accounts and mends what other suites have left in their usage, before the whole is audited. */
export function rebuildSuite(database: () => TestDatabase): void {
  describe("a rebuild of usage", () => rebuildTests(database));
}

interface ChangedDatabase {
  readonly store: Pick<TestDatabase["store"], "kind">;
  readonly execute: TestDatabase["execute"];
}

/** Changes rows past the triggers that protect them, as an operator with the database's password could. */
export async function pastTheLaws({ store, execute }: ChangedDatabase, statements: readonly string[]): Promise<void> {
  if (store.kind === "postgres") {
    const tables = ["entries", "requests"];
    for (const table of tables) await execute(`ALTER TABLE ${table} DISABLE TRIGGER ALL`);
    for (const statement of statements) await execute(statement);
    for (const table of tables) await execute(`ALTER TABLE ${table} ENABLE TRIGGER ALL`);
    return;
  }
  const found = await execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'");
  const triggers = found as { name: string; sql: string }[];
  const script = [
    ...triggers.map(({ name }) => `DROP TRIGGER ${name}`),
    ...statements,
    ...triggers.map(({ sql }) => sql),
  ];
  await execute(`BEGIN IMMEDIATE; ${script.join("; ")}; COMMIT`);
}

const BUDGET = { amount_micro: micro(1_000_000), window: "month" } as const;
/** Rules of limits. A list is of one account. */
const newRules = (): readonly AppliedRule[] => [
  { rule: "account model *", value: "", rpm: null, tpm: null, concurrent: null, budget: BUDGET },
  { rule: "account tag customer", value: "b", rpm: null, tpm: null, concurrent: null, budget: BUDGET },
];

async function auditOf(customer: Customer, since_ms?: number): Promise<AuditReport> {
  const only = { account_id: customer.account.id };
  return await customer.database.store.audit(since_ms === undefined ? only : { ...only, since_ms });
}

const DAMAGES = [
  {
    what: "a charge, its entry and all sums that were changed alike",
    damage: [
      "UPDATE entries SET amount_micro = -30, posted_after_micro = 970 WHERE request_id = 'REQUEST'",
      "UPDATE requests SET charge_micro = 30 WHERE id = 'REQUEST'",
      "UPDATE accounts SET balance_micro = 970, posted_micro = 970 WHERE id = 'ACCOUNT'",
      "UPDATE usage_days SET cost_micro = 30 WHERE account_id = 'ACCOUNT'",
    ],
    finds: { check: "price", found: "30", expected: "40" },
  },
  {
    what: "an entry that was changed together with the balance",
    damage: [
      "UPDATE entries SET posted_after_micro = 961 WHERE request_id = 'REQUEST'",
      "UPDATE accounts SET balance_micro = 961, posted_micro = 961 WHERE id = 'ACCOUNT'",
    ],
    finds: { check: "chain", found: "1000", expected: "1001" },
  },
  {
    what: "a receipt that is gone",
    damage: ["DELETE FROM requests WHERE id = 'REQUEST'", "DELETE FROM usage_days WHERE account_id = 'ACCOUNT'"],
    finds: { check: "request", found: "-40", expected: "0" },
  },
  {
    what: "a charge that its receipt does not tell",
    damage: ["UPDATE requests SET charge_micro = 0, operator_loss_micro = 40 WHERE id = 'REQUEST'"],
    finds: { check: "charge", found: "0", expected: "40" },
    and: ["usage"],
  },
  {
    what: "a receipt that names another entry as its charge",
    damage: ["UPDATE requests SET charge_seq = 1 WHERE id = 'REQUEST'"],
    finds: { check: "request", found: "-40", expected: "0" },
    and: ["charge"],
  },
  {
    what: "a price that is missing",
    damage: ["UPDATE requests SET price_no = 999999 WHERE id = 'REQUEST'"],
    finds: { check: "price", found: "40", expected: "unknown" },
  },
  {
    what: "a usage that is another than the one that was charged",
    damage: ["UPDATE requests SET output_tokens = 16 WHERE id = 'REQUEST'"],
    finds: { check: "price", found: "40", expected: "42" },
    and: ["usage"],
  },
  {
    what: "a day that nobody counted",
    damage: ["DELETE FROM usage_days WHERE account_id = 'ACCOUNT'"],
    finds: { check: "usage", found: "nothing" },
  },
  {
    what: "a number of entries that is not theirs",
    damage: ["UPDATE accounts SET entry_count = 3 WHERE id = 'ACCOUNT'"],
    finds: { check: "balance", found: "3", expected: "2" },
    and: ["chain"],
  },
] as const;

function damageTests(database: () => TestDatabase): void {
  for (const { what, damage, finds, ...more } of DAMAGES) {
    test(`finds ${what}`, async () => {
      const customer = await newCustomer(database(), 1000);
      const request_id = await customer.hold();
      await customer.settle(request_id);
      expect((await auditOf(customer)).findings).toEqual([]);
      const named = (sql: string) => sql.replaceAll("REQUEST", request_id).replaceAll("ACCOUNT", customer.account.id);
      await pastTheLaws(database(), damage.map(named));
      const { findings, problems } = await auditOf(customer);
      expect(findings.map(({ check }) => check).toSorted()).toEqual(
        [finds.check, ...("and" in more ? more.and : [])].toSorted(),
      );
      const [found] = findings.filter(({ check }) => check === finds.check);
      expect(found).toMatchObject({ ...finds, place: { account_id: customer.account.id } });
      expect(problems[0]).toContain(customer.account.id);
      await mend(customer, request_id);
    });
  }
}

function sliceTests(database: () => TestDatabase): void {
  test("finds what a key has spent of its budget counted wrongly", async () => {
    const customer = await newCustomer(database(), 1000, { budget: { amount_micro: micro(500), window: "day" } });
    await customer.settle(await customer.hold());
    expect((await auditOf(customer)).problems).toEqual([]);
    const set = (spent: number) =>
      database().execute(`UPDATE key_state SET spent_micro = ${spent} WHERE key_id = '${customer.key.id}'`);
    await set(39);
    const { findings } = await auditOf(customer);
    expect(findings).toMatchObject([{ check: "key", place: { key_id: customer.key.id }, found: "39", expected: "40" }]);
    await set(40);
  });

  test("finds what is spent under a rule of limits counted wrongly, which a rebuild mends", async () => {
    const customer = await newCustomer(database(), 1000);
    const rules = newRules();
    await customer.settle(await customer.hold());
    for (let calls = 0; calls < 2; calls += 1) await customer.settle(await customer.hold({ rules }));
    await customer.hold({ rules });
    expect((await auditOf(customer)).problems).toEqual([]);
    const { id } = customer.account;
    await database().execute(`UPDATE limit_counts SET spent_micro = 79 WHERE account_id = '${id}' AND value = 'b'`);
    const { findings } = await auditOf(customer);
    expect(findings).toMatchObject([{ check: "key", place: { account_id: id }, found: "79", expected: "80" }]);
    expect(findings[0]?.problem).toContain("'account tag customer (b)'");
    await database().store.rebuildUsage({ account_id: id, after: null, for_ms: 10_000 });
    expect((await auditOf(customer)).problems).toEqual([]);
  });

  test("goes through more entries and requests than a slice has, and finds what is wrong amid them", async () => {
    const customer = await newCustomer(database(), 100_000);
    const ops = Array.from({ length: 1203 }, () => customer.admitOp({ hold_micro: micro(40) }));
    await customer.commit(...ops);
    await customer.commit(...ops.map(({ request_id }) => settleOp(request_id)));
    const report = await auditOf(customer);
    expect(report.problems).toEqual([]);
    expect(report).toMatchObject({ accounts: 1, entries: 1204, requests: 1203, days: 1 });
    const wrong = ops[700]?.request_id ?? "";
    const damage = (tokens: number) => [`UPDATE requests SET cache_read_tokens = ${tokens} WHERE id = '${wrong}'`];
    await pastTheLaws(database(), damage(1));
    const { findings } = await auditOf(customer);
    expect(findings.find(({ check }) => check === "price")?.place.request_id).toBe(wrong);
    await pastTheLaws(database(), damage(0));
    expect((await auditOf(customer, Date.now() + 60_000)).requests).toBe(0);
  });

  test("tells what requests used at vendors, by day and the vendor's model", async () => {
    const customer = await newCustomer(database(), 1000);
    const attempt = { vendor: "acme", upstream_model: "swift-1", status: 200, error: null } as const;
    const outcome = {
      ...{ attempts: [{ ...attempt, first_byte_ms: 1, duration_ms: 2 }], error: null },
      ...{ queue_ms: 1, first_byte_ms: 20, duration_ms: 30 },
    };
    for (let count = 0; count < 3; count += 1) await customer.settle(await customer.hold(), { outcome });
    await customer.void(await customer.hold());
    const today = Math.floor(Date.now() / 86_400_000);
    const uses: object[] = [];
    const vendor_use = { first_day: today - 1, last_day: today + 1, add: (use: object) => uses.push(use) };
    await database().store.audit({ account_id: customer.account.id, vendor_use });
    expect(uses).toMatchObject([
      {
        vendor: "acme",
        upstream_model: "swift-1",
        requests: 3,
        input_tokens: 30,
        output_tokens: 45,
        priced_micro: 120n,
      },
    ]);
  });
}

/** Gives a damaged account a fresh, sound state, so that later audits of the whole database find nothing here. */
async function mend(customer: Customer, request_id: string): Promise<void> {
  const { database, account } = customer;
  await pastTheLaws(database, [
    `DELETE FROM usage_days WHERE account_id = '${account.id}'`,
    `DELETE FROM requests WHERE id = '${request_id}'`,
    `DELETE FROM entries WHERE account_id = '${account.id}'`,
    `UPDATE accounts SET balance_micro = 0, posted_micro = 0, entry_count = 0 WHERE id = '${account.id}'`,
  ]);
  expect((await auditOf(customer)).problems).toEqual([]);
}

function liveTests(database: () => TestDatabase, rounds: number): void {
  test("raises no false alarm while calls are admitted, extended, settled, voided and credited", async () => {
    const budget = { amount_micro: micro(900_000), window: "day" } as const;
    const customers = await Promise.all([1, 2, 3].map(() => newCustomer(database(), 1_000_000, { budget })));
    let running = true;
    const rules = new Map(customers.map((customer) => [customer, newRules()]));
    const call = async (customer: Customer, turn: number): Promise<void> => {
      const ruled = turn % 2 === 0 ? { rules: rules.get(customer) ?? null } : {};
      const request_id = await customer.hold({ hold_micro: micro(50), ...ruled });
      if (turn % 5 === 0) await customer.extend(request_id, 20);
      if (turn % 7 === 0) await customer.credit(10);
      if (turn % 3 === 0) await customer.void(request_id);
      else await customer.settle(request_id, { charge_micro: micro(turn % 60) });
    };
    const traffic = customers.map(async (customer) => {
      for (let turn = 0; running; turn += 1) {
        await Promise.all(Array.from({ length: 8 }, (_, more) => call(customer, turn + more)));
        // A store in memory would write faster than the audit reads.
        await Bun.sleep(2);
      }
    });
    const problems: string[] = [];
    let slices = 0;
    for (let round = 0; round < rounds; round += 1) {
      for (const { account } of customers) {
        const watched = { onProgress: () => (slices += 1), pause: () => Bun.sleep(1) };
        const report = await database().store.audit({ account_id: account.id, ...watched });
        problems.push(...report.problems);
      }
    }
    running = false;
    await Promise.all(traffic);
    expect(problems).toEqual([]);
    expect(slices).toBeGreaterThan(10);
    for (const customer of customers) expect(await problemsOf(customer)).toEqual([]);
  }, 120_000);
}

function rebuildTests(database: () => TestDatabase): void {
  test("counts days and keys anew, tells what it changed, and touches nothing else", async () => {
    const budget = { amount_micro: micro(500), window: "month" } as const;
    const customer = await newCustomer(database(), 1000, { budget });
    const { id } = customer.account;
    await customer.settle(await customer.hold());
    await customer.hold();
    await database().execute(`UPDATE usage_days SET cost_micro = 1, refused_count = 3 WHERE account_id = '${id}'`);
    await database().execute(
      `UPDATE key_state SET spent_micro = 7, open_count = 9 WHERE key_id = '${customer.key.id}'`,
    );
    const before = await customer.wallet();
    const part = await database().store.rebuildUsage({ account_id: id, after: null, for_ms: 10_000 });
    expect(part).toMatchObject({ accounts: 1, next: null });
    expect(part.changed).toMatchObject([
      {
        key_id: customer.key.id,
        model: "acme/swift",
        was: expect.stringMatching(/^1 charged/),
        is: expect.stringMatching(/^40 charged/),
      },
      { key_id: customer.key.id, model: null, was: "9 open, 100 held, 7 spent", is: "1 open, 100 held, 40 spent" },
    ]);
    expect((await auditOf(customer)).problems).toEqual([]);
    expect(await customer.wallet()).toEqual(before);
    const [day] = await database().execute(`SELECT refused_count FROM usage_days WHERE account_id = '${id}'`);
    expect(Number((day as { refused_count: unknown }).refused_count)).toBe(3);
    const again = await database().store.rebuildUsage({ account_id: id, after: null, for_ms: 10_000 });
    expect(again.changed).toEqual([]);
    // The writer keeps the rebuilt state of the key: the budget goes on from it.
    expect(await customer.admit({ hold_micro: micro(361) })).toMatchObject({ outcome: "budget_exceeded" });
    expect(await customer.admit({ hold_micro: micro(360) })).toMatchObject({ outcome: "admitted" });
  });

  test("goes on where an earlier part had no more time, through all accounts", async () => {
    const customers = await Promise.all([1, 2, 3].map(() => newCustomer(database(), 1000)));
    for (const customer of customers) await customer.settle(await customer.hold());
    const ids = customers.map(({ account }) => `'${account.id}'`).join(", ");
    await database().execute(`UPDATE usage_days SET cost_micro = cost_micro + 1 WHERE account_id IN (${ids})`);
    let parts = 0;
    let changed = 0;
    for (let after: string | null = null; ; parts += 1) {
      const part: Awaited<ReturnType<TestDatabase["store"]["rebuildUsage"]>> = await database().store.rebuildUsage({
        ...{ account_id: null, after, for_ms: 20 },
      });
      changed += part.changed.length;
      after = part.next;
      if (after === null) break;
    }
    expect(parts).toBeGreaterThan(0);
    expect(changed).toBeGreaterThanOrEqual(3);
    for (const customer of customers) expect(await problemsOf(customer)).toEqual([]);
  }, 60_000);
}
