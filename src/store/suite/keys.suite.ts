import { describe, expect, test } from "bun:test";
import { newId } from "../../core/ids.ts";
import { micro } from "../../core/money/money.ts";
import type { ListQuery } from "../../core/people/list-query.ts";
import { NO_LIMITS } from "../../core/people/principal.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { newCustomer, newKey, rejectionOf, type TestDatabase } from "./books.ts";

export function keysSuite(database: () => TestDatabase): void {
  describe("keys", () => {
    recordTests(database);
    changeTests(database);
    rollTests(database);
    searchTests(database);
    ownSettingTests(database);
  });
}

function rollTests(database: () => TestDatabase): void {
  const roll = (overlap_ms: number) => ({ hash: newId("key"), hint: "wxyz", overlap_ms });

  test("get a new secret, and the old one is valid as long as it was asked for", async () => {
    const { accounts } = database().store;
    const customer = await newCustomer(database(), 1000);
    const { id, version } = customer.key;
    const made = newKey(customer.account.id);
    await accounts.createKey(made);
    const next = roll(60_000);
    const rolled = await accounts.rollKey(made.id, next);
    expect(rolled).toMatchObject({ id: made.id, hint: "wxyz", version: 2, expires_ms: null });
    expect(await accounts.findKeyByHash(next.hash)).toEqual(rolled);
    const by_old = await accounts.findKeyByHash(made.hash);
    expect(by_old).toMatchObject({ id: made.id, version: 2 });
    expect(by_old?.expires_ms).toBe(rolled?.old_secret_until_ms ?? 0);
    await database().execute(`UPDATE keys SET old_until_ms = old_until_ms - 60000 WHERE id = '${made.id}'`);
    expect(await accounts.findKeyByHash(made.hash)).toBeNull();
    expect(await accounts.findKeyByHash(next.hash)).not.toBeNull();
    expect(await accounts.findKey(id)).toMatchObject({ version });
  });

  test("without an overlap lose the old secret at once; of several rolls the last two secrets are valid at most", async () => {
    const { accounts } = database().store;
    const customer = await newCustomer(database(), 0);
    const made = newKey(customer.account.id);
    await accounts.createKey(made);
    const [one, two, three] = [roll(60_000), roll(60_000), roll(0)];
    const valid = async () => {
      const secrets = [made.hash, one.hash, two.hash, three.hash];
      return (await Promise.all(secrets.map((hash) => accounts.findKeyByHash(hash)))).map((found) => found !== null);
    };
    await accounts.rollKey(made.id, one);
    expect(await valid()).toEqual([true, true, false, false]);
    await accounts.rollKey(made.id, two);
    expect(await valid()).toEqual([false, true, true, false]);
    await accounts.rollKey(made.id, three);
    expect(await valid()).toEqual([false, false, false, true]);
    expect(await rejectionOf(accounts.rollKey(made.id, three))).toBeInstanceOf(StoreConflict);
    await accounts.deleteKey(made.id);
    expect(await valid()).toEqual([false, false, false, false]);
  });

  test("admit nothing with a record from before the roll, and do with one from after it, by either secret", async () => {
    const { accounts } = database().store;
    const customer = await newCustomer(database(), 10_000);
    const next = roll(60_000);
    const rolled = await accounts.rollKey(customer.key.id, next);
    expect(await rejectionOf(customer.hold())).not.toBeNull();
    customer.key = rolled ?? customer.key;
    await customer.settle(await customer.hold());
    customer.key = (await accounts.findKeyByHash(next.hash)) ?? customer.key;
    await customer.settle(await customer.hold());
  });

  test("that are revoked, or the playground's, or nobody's, are not rolled", async () => {
    const { accounts } = database().store;
    const customer = await newCustomer(database(), 0);
    await accounts.setKeyStatus(customer.key.id, "revoked");
    expect(await rejectionOf(accounts.rollKey(customer.key.id, roll(0)))).toBeInstanceOf(StoreConflict);
    const played = { id: newId("key"), account_id: customer.account.id, user_id: newId("user"), hash: newId("key") };
    await accounts.renewPlaygroundKey({ ...played, hint: "x", expires_ms: Date.now() + 60_000 });
    expect(await rejectionOf(accounts.rollKey(played.id, roll(0)))).toBeInstanceOf(StoreConflict);
    expect(await accounts.rollKey("key_none", roll(0))).toBeNull();
  });
}

function searchTests(database: () => TestDatabase): void {
  test("and accounts are found by words, a page at a time, each once", async () => {
    const { accounts } = database().store;
    const customer = await newCustomer(database(), 0);
    const mark = newId("key").slice(4, 16).toLowerCase();
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const key = newKey(customer.account.id, { name: `Robot ${mark} ${count}` });
      await accounts.createKey(key);
      made.push(key.id);
    }
    const seen: string[] = [];
    for (let before_id: string | undefined; ; ) {
      const query = { search: `${mark} ROBOT`, limit: 2, ...(before_id === undefined ? {} : { before_id }) };
      const page = await accounts.searchKeys(null, query);
      seen.push(...page.map(({ id }) => id));
      before_id = page.at(-1)?.id;
      if (page.length < 2) break;
    }
    expect(seen.toSorted()).toEqual(made.toSorted());
    expect(await accounts.searchKeys("acct_none", { search: mark, limit: 9 })).toEqual([]);
    expect(await accounts.searchKeys(null, { search: mark, status: "revoked", limit: 9 })).toEqual([]);
    const found = await accounts.searchAccounts({ search: customer.account.id, limit: 9, status: "active" });
    expect(found.map(({ id }) => id)).toEqual([customer.account.id]);
    expect(await accounts.searchAccounts({ search: customer.account.id, limit: 9, status: "disabled" })).toEqual([]);
  });

  test("are found by their state: a key whose time is over is expired, not active", async () => {
    const { accounts } = database().store;
    const { account } = await newCustomer(database(), 0);
    const over = await accounts.createKey(newKey(account.id, { name: "over", expires_ms: 1 }));
    const stopped = await accounts.createKey(newKey(account.id, { name: "stopped", expires_ms: 1 }));
    await accounts.setKeyStatus(stopped.id, "disabled");
    const idsOf = async (status: string): Promise<string[]> =>
      (await accounts.searchKeys(account.id, { status, limit: 9 })).map(({ id }) => id);
    expect(await idsOf("expired")).toEqual([over.id]);
    expect(await idsOf("active")).not.toContain(over.id);
    expect(await idsOf("active")).toHaveLength(1);
    expect(await idsOf("disabled")).toEqual([stopped.id]);
  });

  test("an unused key works, and neither it nor its making was within 90 days", async () => {
    const { accounts } = database().store;
    const { account } = await newCustomer(database(), 0);
    const old = await accounts.createKey(newKey(account.id, { name: "old" }));
    const used = await accounts.createKey(newKey(account.id, { name: "used" }));
    const stopped = await accounts.createKey(newKey(account.id, { name: "stopped" }));
    await accounts.setKeyStatus(stopped.id, "disabled");
    const days_ago = (days: number) => Date.now() - days * 86_400_000;
    for (const { id } of [old, used, stopped])
      await database().execute(`UPDATE keys SET created_ms = ${days_ago(200)} WHERE id = '${id}'`);
    await database().execute(`UPDATE key_state SET last_used_ms = ${days_ago(91)} WHERE key_id = '${old.id}'`);
    await database().execute(`UPDATE key_state SET last_used_ms = ${days_ago(89)} WHERE key_id = '${used.id}'`);
    const found = await accounts.searchKeys(account.id, { status: "unused", limit: 9 });
    expect(found.map(({ id }) => id)).toEqual([old.id]);
  });

  test("and their accounts' spend of the month are counted for the accounts that are asked for", async () => {
    const { accounts } = database().store;
    const one = await newCustomer(database(), 1_000_000);
    const other = await newCustomer(database(), 0);
    const before = await accounts.sumAccounts();
    await accounts.createKey(newKey(one.account.id));
    await one.settle(await one.hold(), { charge_micro: micro(40) });
    const uses = await accounts.accountUses([other.account.id, "acct_none", one.account.id, one.account.id]);
    expect(uses).toEqual([
      { account_id: other.account.id, month_micro: micro(0), active_keys: 1 },
      { account_id: one.account.id, month_micro: micro(40), active_keys: 2 },
    ]);
    expect(await accounts.accountUses([])).toEqual([]);
    const after = await accounts.sumAccounts();
    expect(after).toMatchObject({ accounts: before.accounts, disabled: before.disabled });
    expect(after.balance_micro).toBe(micro(before.balance_micro - 40n));
  });
}

function ownSettingTests(database: () => TestDatabase): void {
  test("are found by what is their own: aliases, any limit or one of them; by their account's e-mail where it is asked for", async () => {
    const { accounts } = database().store;
    const { account } = await newCustomer(database(), 0);
    const before = await accounts.countLimits();
    const [plain, named, rated, dated, confined] = [
      await accounts.createKey(newKey(account.id, { name: "plain" })),
      await accounts.createKey(newKey(account.id, { name: "named", prefix_aliases: [{ prefix: "g", model: "a/b" }] })),
      await accounts.createKey(newKey(account.id, { name: "rated", rpm: 5, aliases: [{ name: "f", model: "a/b" }] })),
      await accounts.createKey(newKey(account.id, { name: "dated", expires_ms: 9_000_000_000_000 })),
      await accounts.createKey(newKey(account.id, { name: "confined", models: ["a/*"] })),
    ];
    const idsOf = async (query: Partial<ListQuery>): Promise<string[]> =>
      (await accounts.searchKeys(account.id, { limit: 9, ...query })).map(({ id }) => id).toSorted();
    const sorted = (...keys: readonly { readonly id: string }[]): string[] => keys.map(({ id }) => id).toSorted();
    expect(await idsOf({ own: "aliases" })).toEqual(sorted(named, rated));
    expect(await idsOf({ own: "limits" })).toEqual(sorted(rated, dated, confined));
    expect(await idsOf({ own: "rpm" })).toEqual([rated.id]);
    expect(await idsOf({ own: "expires_at" })).toEqual([dated.id]);
    expect(await idsOf({ own: "models" })).toEqual([confined.id]);
    for (const own of ["tpm", "concurrent", "budget"] as const) expect(await idsOf({ own })).toEqual([]);
    expect(await idsOf({ search: account.email })).toEqual([]);
    expect(await idsOf({ search: `PLAIN ${account.email}`, by_email: true })).toEqual([plain.id]);
    await accounts.setKeyStatus(rated.id, "revoked");
    expect(await idsOf({ own: "rpm" })).toEqual([]);
    expect(await idsOf({ own: "limits" })).toEqual(sorted(dated, confined));
    expect(await idsOf({ own: "aliases" })).toEqual(sorted(named, rated));
    await accounts.deleteKey(dated.id);
    await accounts.setAccountLimits(account.id, { ...NO_LIMITS, tpm: 7 });
    const after = await accounts.countLimits();
    expect(after).toEqual({
      keys: before.keys + 4,
      limited_keys: before.limited_keys + 1,
      accounts: before.accounts,
      limited_accounts: before.limited_accounts + 1,
    });
    const limited = async (own: ListQuery["own"]): Promise<number> =>
      (await accounts.searchAccounts({ search: account.id, limit: 9, ...(own && { own }) })).length;
    expect(await Promise.all([limited("limits"), limited("tpm"), limited("rpm"), limited("expires_at")])).toEqual([
      1, 1, 0, 0,
    ]);
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
