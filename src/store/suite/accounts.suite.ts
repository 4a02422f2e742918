import { describe, expect, test } from "bun:test";
import { newId } from "../../core/ids.ts";
import { MAX_MICRO, micro } from "../../core/money/money.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { newCustomer, rejectionOf, type TestDatabase } from "./books.ts";

export function accountsSuite(database: () => TestDatabase): void {
  describe("accounts", () => accountTests(database));
  describe("entries", () => {
    entryTests(database);
    bookingTests(database);
  });
}

function accountTests(database: () => TestDatabase): void {
  test("are found by id and by e-mail, whatever its case", async () => {
    const { accounts } = database().store;
    const id = newId("acct");
    const email = `Ann.${id}@Example.com`;
    const made = await accounts.createAccount({ id, email, name: "Ann" });
    expect(made).toMatchObject({ id, email, name: "Ann", status: "active", balance_micro: 0n, held_micro: 0n });
    expect(await accounts.findAccount(id)).toEqual(made);
    expect(await accounts.findAccount(email.toUpperCase())).toEqual(made);
    expect(await accounts.listAccounts()).toContainEqual(made);
    expect(await accounts.findAccount("nobody@example.com")).toBeNull();
  });

  test("do not share an e-mail", async () => {
    const { accounts } = database().store;
    const id = newId("acct");
    await accounts.createAccount({ id, email: `${id}@example.com`, name: "" });
    const again = accounts.createAccount({ id: newId("acct"), email: `${id.toUpperCase()}@example.com`, name: "" });
    expect(await rejectionOf(again)).toBeInstanceOf(StoreConflict);
  });

  test("are renamed, and found by the new e-mail alone, which nobody else may have", async () => {
    const { accounts } = database().store;
    const [id, other] = [newId("acct"), newId("acct")];
    for (const each of [id, other]) await accounts.createAccount({ id: each, email: `${each}@example.com`, name: "" });
    expect(await accounts.renameAccount(id, { name: "Globex" })).toMatchObject({
      name: "Globex",
      email: `${id}@example.com`,
    });
    const email = `Boss.${id}@Example.com`;
    expect(await accounts.renameAccount(id, { email })).toMatchObject({ id, name: "Globex", email });
    expect(await accounts.findAccount(email.toLowerCase())).toMatchObject({ id });
    expect(await accounts.findAccount(`${id}@example.com`)).toBeNull();
    const taken = accounts.renameAccount(other, { email: email.toUpperCase() });
    expect(await rejectionOf(taken)).toBeInstanceOf(StoreConflict);
    // Another case of one's own e-mail is no conflict.
    expect(await accounts.renameAccount(id, { email: email.toLowerCase() })).toMatchObject({
      email: email.toLowerCase(),
    });
    expect(await accounts.renameAccount("acct_nobody", { name: "x" })).toBeNull();
  });

  test("that are disabled refuse what was resolved before, and take it again when enabled", async () => {
    const customer = await newCustomer(database(), 1000);
    const { accounts } = database().store;
    expect(await accounts.setAccountStatus(customer.account.id, "disabled")).toMatchObject({ status: "disabled" });
    expect(await customer.admit()).toMatchObject({ outcome: "stale_key" });
    const seen = await accounts.findKey(customer.key.id);
    expect(seen).toMatchObject({ account_status: "disabled", version: customer.key.version + 1 });
    await accounts.setAccountStatus(customer.account.id, "active");
    customer.key = (await accounts.findKey(customer.key.id)) ?? customer.key;
    expect(await customer.admit()).toMatchObject({ outcome: "admitted" });
    expect(await accounts.setAccountStatus("acct_nobody", "active")).toBeNull();
  });
}

function entryTests(database: () => TestDatabase): void {
  test("add up, each with the sum so far, and are listed newest first", async () => {
    const customer = await newCustomer(database(), 1000);
    const { accounts } = database().store;
    const account_id = customer.account.id;
    const entry = { account_id, kind: "correction", amount_micro: micro(-300), note: "typo", actor: "ann" } as const;
    const made = await accounts.addEntry(entry);
    expect(made).toMatchObject({ ...entry, posted_after_micro: 700n, request_id: null });
    const request_id = await customer.hold();
    await customer.settle(request_id);

    const listed = await accounts.listEntries(account_id, 10);
    expect(
      listed.map(({ kind, amount_micro, posted_after_micro }) => [kind, amount_micro, posted_after_micro]),
    ).toEqual([
      ["charge", micro(-40), micro(660)],
      ["correction", micro(-300), micro(700)],
      ["credit", micro(1000), micro(1000)],
    ]);
    expect(listed[0]).toMatchObject({ request_id, actor: "gateway" });
    expect(new Set(listed.map(({ id }) => id)).size).toBe(3);
    expect(await accounts.listEntries(account_id, 1)).toEqual(listed.slice(0, 1));
    expect(await accounts.listEntries(account_id, 10, { before_id: listed[0]?.id ?? "" })).toEqual(listed.slice(1));
    expect(await accounts.listEntries(account_id, 10, { before_ms: 0 })).toEqual([]);
  });

  const refused = [
    { what: "of nothing", kind: "credit", amount: 0n, says: /nothing/ },
    { what: "that credits a negative amount", kind: "credit", amount: -1n, says: /positive/ },
    { what: "that takes more than the balance", kind: "correction", amount: -901n, says: /negative/ },
    { what: "beyond what an account can hold", kind: "credit", amount: MAX_MICRO, says: /larger/ },
  ] as const;
  for (const { what, kind, amount, says } of refused) {
    test(`${what} are refused and change nothing`, async () => {
      const customer = await newCustomer(database(), 1000);
      await customer.hold();
      const { accounts } = database().store;
      const entry = { account_id: customer.account.id, kind, amount_micro: micro(amount), note: "", actor: "" };
      const rejection = await rejectionOf(accounts.addEntry(entry));
      expect(rejection).toBeInstanceOf(StoreConflict);
      expect(String(rejection)).toMatch(says);
      expect(await customer.wallet()).toEqual({ balance: 900, held: 100 });
      expect(await accounts.listEntries(customer.account.id, 10)).toHaveLength(1);
    });
  }
}

function bookingTests(database: () => TestDatabase): void {
  test("with an id are booked once, also when they are sent at the same time", async () => {
    const customer = await newCustomer(database(), 1000);
    const { accounts } = database().store;
    const booking_id = newId("key");
    const entry = {
      account_id: customer.account.id,
      kind: "credit",
      amount_micro: micro(25),
      note: "a",
      actor: "ann",
    } as const;
    const made = await Promise.all(
      [1, 2, 3].map((turn) => accounts.addEntry({ ...entry, booking_id, note: `try ${turn}` })),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await customer.wallet()).toEqual({ balance: 1025, held: 0 });
    const other = await newCustomer(database(), 0);
    const changed = [
      { amount_micro: micro(26) },
      { kind: "correction" as const },
      { account_id: other.account.id },
      { kind: "correction" as const, corrects: made[0]?.id ?? "" },
    ];
    for (const fields of changed) {
      const rejection = await rejectionOf(accounts.addEntry({ ...entry, booking_id, ...fields }));
      expect(rejection).toBeInstanceOf(StoreConflict);
      expect(String(rejection)).toContain("another booking");
    }
    expect(await customer.wallet()).toEqual({ balance: 1025, held: 0 });
    expect(await other.wallet()).toEqual({ balance: 0, held: 0 });
    const note = {
      actor: { kind: "admin-token", id: null, name: "admin-token" },
      action: "credit.add",
      address: null,
    } as const;
    await database()
      .store.audited(note)
      .addEntry({ ...entry, booking_id });
    const logged = await database().store.users.listAuditEntries({ account_id: customer.account.id, limit: 10 });
    expect(logged).toEqual([]);
  });

  test("that correct name the entry that they correct", async () => {
    const customer = await newCustomer(database(), 1000);
    const { accounts } = database().store;
    const [credit] = await accounts.listEntries(customer.account.id, 1);
    const entry = { account_id: customer.account.id, amount_micro: micro(-5), note: "", actor: "ann" };
    const correction = { ...entry, kind: "correction", corrects: credit?.id ?? "" } as const;
    expect(await accounts.addEntry(correction)).toMatchObject({ kind: "correction", corrects: credit?.id ?? "" });
    expect((await accounts.listEntries(customer.account.id, 1))[0]?.corrects).toBe(credit?.id ?? "");
    expect(credit?.corrects).toBeNull();
    const other = await newCustomer(database(), 1000);
    const [elsewhere] = await accounts.listEntries(other.account.id, 1);
    for (const corrects of [elsewhere?.id ?? "", `${credit?.id}0`, "ent_", ""]) {
      const rejection = await rejectionOf(accounts.addEntry({ ...correction, corrects }));
      expect(String(rejection)).toContain("There is no entry");
    }
    const credited = accounts.addEntry({ ...correction, kind: "credit", amount_micro: micro(5) });
    expect(String(await rejectionOf(credited))).toContain("use a correction");
    expect((await database().store.audit({ account_id: customer.account.id })).problems).toEqual([]);
  });

  test("need an account", async () => {
    const entry = { account_id: "acct_nobody", kind: "credit", amount_micro: micro(1), note: "", actor: "" } as const;
    expect(await rejectionOf(database().store.accounts.addEntry(entry))).toBeInstanceOf(StoreConflict);
  });
}
