import { describe, expect, test } from "bun:test";
import { micro } from "../../core/money/money.ts";
import { newCustomer, rejectionOf, type TestDatabase } from "./books.ts";

/** Rows that the database itself refuses, and the faults that the audit finds where the database cannot refuse. */
export function lawsSuite(database: () => TestDatabase): void {
  describe("the database refuses", () => {
    for (const { what, sql } of FORBIDDEN) {
      test(what, async () => {
        const customer = await newCustomer(database(), 1000);
        const request_id = await customer.hold();
        await customer.settle(request_id);
        const names = { ACCOUNT: customer.account.id, KEY: customer.key.id, REQUEST: request_id };
        const statement = sql.replace(/ACCOUNT|KEY|REQUEST/g, (name) => names[name as keyof typeof names]);
        expect(await rejectionOf(database().execute(statement))).toBeInstanceOf(Error);
        expect(await customer.wallet()).toEqual({ balance: 960, held: 0 });
      });
    }
  });
  describe("the audit", () => auditTests(database));
}

const ENTRY =
  "INSERT INTO entries (account_id, seq, kind, amount_micro, posted_after_micro, request_id, note, actor, created_ms) VALUES";

const FORBIDDEN: readonly { readonly what: string; readonly sql: string }[] = [
  {
    what: "a negative balance",
    sql: "UPDATE accounts SET balance_micro = -1, posted_micro = -1 WHERE id = 'ACCOUNT'",
  },
  {
    what: "a negative hold",
    sql: "UPDATE accounts SET balance_micro = 961, held_micro = -1 WHERE id = 'ACCOUNT'",
  },
  {
    what: "a balance that its entries do not add up to",
    sql: "UPDATE accounts SET balance_micro = 961 WHERE id = 'ACCOUNT'",
  },
  {
    what: "a changed entry",
    sql: "UPDATE entries SET note = 'x' WHERE account_id = 'ACCOUNT'",
  },
  {
    what: "a removed entry",
    sql: "DELETE FROM entries WHERE account_id = 'ACCOUNT'",
  },
  {
    what: "a second charge for a request",
    sql: `${ENTRY} ('ACCOUNT', 3, 'charge', -1, 959, 'REQUEST', '', '', 0)`,
  },
  {
    what: "a second charge for a request, made by an actor",
    sql: `${ENTRY} ('ACCOUNT', 3, 'charge', -1, 959, 'REQUEST', '', 'gateway', 0)`,
  },
  {
    what: "a charge for a request that does not exist",
    sql: `${ENTRY} ('ACCOUNT', 3, 'charge', -1, 959, 'req_none', '', '', 0)`,
  },
  {
    what: "an entry whose sum does not follow the one before",
    sql: `${ENTRY} ('ACCOUNT', 3, 'credit', 1, 960, NULL, '', '', 0)`,
  },
  {
    what: "an entry that leaves a gap",
    sql: `${ENTRY} ('ACCOUNT', 4, 'credit', 1, 961, NULL, '', '', 0)`,
  },
  {
    what: "a charge that adds money",
    sql: `${ENTRY} ('ACCOUNT', 3, 'charge', 1, 961, 'req_other', '', '', 0)`,
  },
  {
    what: "a second end of a request",
    sql: "UPDATE requests SET status = 'voided', charge_micro = 0 WHERE id = 'REQUEST'",
  },
  {
    what: "an open request count below none",
    sql: "UPDATE key_state SET open_count = -1 WHERE key_id = 'KEY'",
  },
  {
    what: "two requests of one id",
    sql: `INSERT INTO requests (id, account_id, key_id, endpoint_no, model_no, price_no, status, node_id,
      created_ms, deadline_ms, hold_micro) VALUES ('REQUEST', 'ACCOUNT', 'KEY', 1, 1, 1, 'held', '', 0, 0, 0)`,
  },
];

function auditTests(database: () => TestDatabase): void {
  test("finds nothing in sound books, open holds included", async () => {
    const customer = await newCustomer(database(), 1000);
    await customer.hold();
    await customer.settle(await customer.hold());
    const { accounts, problems } = await database().store.audit();
    expect(problems).toEqual([]);
    expect(accounts).toBeGreaterThan(0);
  });

  test("finds all damage at once, says where each is, and nothing once it is repaired", async () => {
    const { store, execute } = database();
    const named = new Map<string, (sql: string) => string>();
    for (const { what, damage } of DAMAGES) {
      const customer = await newCustomer(database(), 1000);
      await customer.settle(await customer.hold(), { charge_micro: micro(10) });
      named.set(what, (sql) => sql.replace("KEY", customer.key.id).replace("ACCOUNT", customer.account.id));
      await execute(named.get(what)?.(damage) ?? "");
    }
    const { problems } = await store.audit();
    expect(problems).toHaveLength(DAMAGES.length);
    for (const { what, place, says } of DAMAGES) {
      const found = problems.filter((problem) => problem.includes(named.get(what)?.(place) ?? ""));
      expect(found).toEqual([expect.stringMatching(says)]);
    }
    for (const { what, repair } of DAMAGES) await execute(named.get(what)?.(repair) ?? "");
    expect((await store.audit()).problems).toEqual([]);
  });
}

const DAMAGES = [
  {
    what: "a day's usage",
    damage: "UPDATE usage_days SET cost_micro = 11 WHERE key_id = 'KEY'",
    repair: "UPDATE usage_days SET cost_micro = 10 WHERE key_id = 'KEY'",
    place: "KEY",
    says: /usage/,
  },
  {
    what: "a key's open requests",
    damage: "UPDATE key_state SET open_count = 5 WHERE key_id = 'KEY'",
    repair: "UPDATE key_state SET open_count = 0 WHERE key_id = 'KEY'",
    place: "KEY",
    says: /open/,
  },
  {
    what: "an account's hold",
    damage: "UPDATE accounts SET held_micro = 1, balance_micro = 989 WHERE id = 'ACCOUNT'",
    repair: "UPDATE accounts SET held_micro = 0, balance_micro = 990 WHERE id = 'ACCOUNT'",
    place: "ACCOUNT",
    says: /held/,
  },
  {
    what: "an account's sum",
    damage: "UPDATE accounts SET posted_micro = 991, balance_micro = 991 WHERE id = 'ACCOUNT'",
    repair: "UPDATE accounts SET posted_micro = 990, balance_micro = 990 WHERE id = 'ACCOUNT'",
    place: "ACCOUNT",
    says: /sum of the entries/,
  },
] as const;
