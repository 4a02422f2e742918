import { describe, expect, test } from "bun:test";
import { micro } from "../../core/money.ts";
import { StoreConflict } from "../../core/ports.ts";
import { newCustomer, newKey, rejectionOf, type TestDatabase } from "./books.ts";

export function keysSuite(database: () => TestDatabase): void {
  describe("keys", () => {
    recordTests(database);
    changeTests(database);
  });
}

function recordTests(database: () => TestDatabase): void {
  test("come back as they were made", async () => {
    const { accounts } = database().store;
    const customer = await newCustomer(database(), 0);
    const made = newKey(customer.account.id, {
      aliases: [{ name: "fast", model: "acme/swift" }],
      prefix_aliases: [{ prefix: "gpt-", model: "acme/swift" }],
      models: ["acme/*"],
      rpm: 10,
      tpm: 20,
      concurrent: 3,
      budget: { amount_micro: micro(5_000_000), window: "month" },
      expires_ms: 4_000_000_000_000,
    });
    const { hash, ...visible } = made;
    const record = await accounts.createKey(made);
    expect(record).toMatchObject({ ...visible, status: "active", account_status: "active", last_used_ms: null });
    expect(await accounts.findKey(made.id)).toEqual(record);
    expect(await accounts.findKeyByHash(hash)).toEqual(record);
    const listed = await accounts.listKeys(customer.account.id);
    expect(listed).toHaveLength(2);
    for (const each of [customer.key, record]) expect(listed).toContainEqual(each);
    expect(await accounts.listKeys(null)).toContainEqual(record);
    expect(await accounts.findKeyByHash("0000")).toBeNull();
  });

  test("need an account", async () => {
    const making = database().store.accounts.createKey(newKey("acct_nobody"));
    expect(await rejectionOf(making)).toBeInstanceOf(StoreConflict);
  });

  test("with a taken id or secret are refused, also when many come at once", async () => {
    const { accounts } = database().store;
    const customer = await newCustomer(database(), 0);
    const made = newKey(customer.account.id);
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => accounts.createKey(made)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const others = [made, { ...made, id: newKey(customer.account.id).id }];
    for (const other of others) expect(await rejectionOf(accounts.createKey(other))).toBeInstanceOf(StoreConflict);
    await accounts.deleteKey(made.id);
    expect(await rejectionOf(accounts.createKey(made))).toBeInstanceOf(StoreConflict);
  });

  test("tell when they were last used", async () => {
    const customer = await newCustomer(database(), 1000);
    await customer.hold();
    const used = await database().store.accounts.findKey(customer.key.id);
    expect(used?.last_used_ms).toBeGreaterThanOrEqual(customer.key.created_ms);
    expect(used?.version).toBe(customer.key.version);
  });
}

function changeTests(database: () => TestDatabase): void {
  test("change only in what is given, and every change makes a new version", async () => {
    const { accounts } = database().store;
    const customer = await newCustomer(database(), 0, { rpm: 5, name: "first" });
    const changed = await accounts.updateKey(customer.key.id, { name: "second", rpm: null });
    expect(changed).toEqual({ ...customer.key, name: "second", rpm: null, version: customer.key.version + 1 });
    const disabled = await accounts.setKeyStatus(customer.key.id, "disabled");
    expect(disabled).toMatchObject({ status: "disabled", version: customer.key.version + 2 });
    expect(await accounts.updateKey("key_none", { name: "x" })).toBeNull();
    expect(await accounts.setKeyStatus("key_none", "active")).toBeNull();
  });

  test("that were revoked stay revoked", async () => {
    const { accounts } = database().store;
    const { key } = await newCustomer(database(), 0);
    await accounts.setKeyStatus(key.id, "revoked");
    for (const status of ["active", "disabled"] as const) {
      expect(await rejectionOf(accounts.setKeyStatus(key.id, status))).toBeInstanceOf(StoreConflict);
    }
    expect(await accounts.findKey(key.id)).toMatchObject({ status: "revoked" });
  });

  test("that were deleted do not exist, while their requests stay and still settle", async () => {
    const { accounts } = database().store;
    const customer = await newCustomer(database(), 1000);
    const request_id = await customer.hold();
    expect(await accounts.deleteKey(customer.key.id)).toBe(true);
    expect(await accounts.deleteKey(customer.key.id)).toBe(false);
    expect(await accounts.findKey(customer.key.id)).toBeNull();
    expect(await accounts.listKeys(customer.account.id)).toEqual([]);
    expect(await accounts.updateKey(customer.key.id, { name: "x" })).toBeNull();
    expect(await customer.admit()).toMatchObject({ outcome: "stale_key" });
    expect(await customer.settle(request_id)).toMatchObject({ outcome: "settled", charge_micro: 40n });
    expect(await accounts.findRequest(customer.account.id, request_id)).toMatchObject({ key_id: customer.key.id });
    expect(await customer.wallet()).toEqual({ balance: 960, held: 0 });
  });
}
