import { describe, expect, test } from "bun:test";
import { MS_PER_DAY } from "../../core/clock.ts";
import { newId } from "../../core/ids.ts";
import { micro } from "../../core/money/money.ts";
import { pastTheLaws } from "./audit.suite.ts";
import { newCustomer, type TestDatabase } from "./books.ts";

const AGE_DAYS = 60;

export function upkeepSuite(database: () => TestDatabase): void {
  describe("chores", () => choreTests(database));
  test("what nodes spend at vendors is summed up by the day, and forgotten when it is old", () =>
    spendingTest(database()));
  describe("old requests", () => oldTests(database));
}

async function spendingTest({ store: { upkeep } }: TestDatabase): Promise<void> {
  const day = Math.floor(Date.now() / MS_PER_DAY);
  const spent = (spent_micro: bigint, credential = "", of = day) => ({
    day: of,
    vendor: "acme",
    credential,
    spent_micro,
  });
  await Promise.all([
    upkeep.shareVendorSpending([spent(400n), spent(3n, "key-1")]),
    upkeep.shareVendorSpending([spent(2n)]),
  ]);
  await upkeep.shareVendorSpending([spent(9n, "", day - 30)]);
  const { spending, nodes } = await upkeep.shareVendorSpending([]);
  expect(nodes).toBeGreaterThanOrEqual(0);
  expect(spending.toSorted((one, other) => (one.credential < other.credential ? -1 : 1))).toEqual(
    [spent(402n), spent(3n, "key-1")].map((each) => ({ ...each, spent_micro: micro(each.spent_micro) })),
  );
}

function choreTests(database: () => TestDatabase): void {
  test("are done by one node at a time, when they are due", async () => {
    const { upkeep } = database().store;
    const later = Date.now() + 60_000;
    await upkeep.openChore("audit", "node_1");
    await upkeep.openChore("audit", "node_2");
    expect(await upkeep.readChore("audit")).toMatchObject({ node_id: "node_1", result: null });
    expect(await upkeep.claimChore("audit", "node_1", Date.now() - 60_000)).toBe(false);
    const claims = await Promise.all(["node_1", "node_2"].map((node) => upkeep.claimChore("audit", node, later)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    const [doer, other] = claims[0] ? ["node_1", "node_2"] : ["node_2", "node_1"];
    expect(await upkeep.readChore("audit")).toMatchObject({ node_id: doer, ended_ms: null });
    expect(await upkeep.beatChore("audit", doer)).toBe(true);
    expect(await upkeep.beatChore("audit", other)).toBe(false);
    await upkeep.endChore("audit", other, "no");
    await upkeep.endChore("audit", doer, "done");
    expect(await upkeep.readChore("audit")).toMatchObject({ node_id: doer, result: "done" });
    expect(await upkeep.beatChore("audit", doer)).toBe(false);
  });

  test("are taken over from a node that died over them, which is told when it wakes", async () => {
    const { upkeep } = database().store;
    const later = Date.now() + 120_000;
    await upkeep.openChore("retention", "node_1");
    expect(await upkeep.claimChore("retention", "node_1", later)).toBe(true);
    expect(await upkeep.claimChore("retention", "node_2", later)).toBe(false);
    await database().execute("UPDATE chores SET beat_ms = beat_ms - 61000 WHERE name = 'retention'");
    expect(await upkeep.claimChore("retention", "node_2", later)).toBe(true);
    expect(await upkeep.beatChore("retention", "node_1")).toBe(false);
    await upkeep.endChore("retention", "node_2", "done");
  });
}

/** A request's id of an earlier year: ids begin with the time, by which PostgreSQL finds the oldest. */
function oldId(): string {
  return newId("req").replace(/^req_../, "req_0U");
}

/** A customer's request that ended long ago, with all that was booked of it. */
async function age(database: TestDatabase, account_id: string): Promise<void> {
  const by_ms = AGE_DAYS * MS_PER_DAY;
  await pastTheLaws(database, [
    // Before the suite's other requests, which are of today.
    `UPDATE requests SET seq = -seq, created_ms = created_ms - ${by_ms}, ended_ms = ended_ms - ${by_ms}
      WHERE account_id = '${account_id}'`,
    `UPDATE entries SET created_ms = created_ms - ${by_ms} WHERE account_id = '${account_id}'`,
    `UPDATE usage_days SET day = day - ${AGE_DAYS} WHERE account_id = '${account_id}'`,
  ]);
}

function oldTests(database: () => TestDatabase): void {
  test("goes with its receipt; entries and days' usage stay, held requests too, and the books stay right", async () => {
    const customer = await newCustomer(database(), 1000);
    const { accounts, upkeep, audit } = database().store;
    const account_id = customer.account.id;
    const charged = await customer.hold({ request_id: oldId() });
    await customer.settle(charged);
    const voided = await customer.hold({ request_id: oldId() });
    await customer.void(voided);
    const held = await customer.hold({ request_id: oldId() });
    await age(database(), account_id);
    const fresh = await customer.hold();
    await customer.settle(fresh);

    const kept_since_ms = Math.floor(Date.now() / MS_PER_DAY - 30) * MS_PER_DAY;
    while ((await upkeep.dropRequests(kept_since_ms)) > 0);
    expect(await accounts.findRequest(account_id, charged)).toBeNull();
    expect(await accounts.findRequest(account_id, voided)).toBeNull();
    expect(await accounts.findRequest(account_id, held)).toMatchObject({ status: "held" });
    expect(await accounts.findRequest(account_id, fresh)).toMatchObject({ status: "settled" });
    expect(await accounts.findCharge(charged)).toMatchObject({ request_id: charged, amount_micro: -40n });
    const usage = await accounts.usageReport({ account_id, since: null, until: null, by: "day" });
    expect(usage.map(({ cost_micro }) => Number(cost_micro))).toEqual([40, 40]);

    const only = { account_id };
    expect(await audit(only)).toMatchObject({ problems: [], kept_since_ms, requests: 2 });
    const day = `account_id = '${account_id}' AND day < ${Math.floor(kept_since_ms / MS_PER_DAY)}`;
    await database().execute(`UPDATE usage_days SET cost_micro = 41 WHERE ${day}`);
    expect((await audit(only)).findings).toMatchObject([{ check: "usage", found: "41", expected: "40" }]);
    await database().execute(`UPDATE usage_days SET cost_micro = 40 WHERE ${day}`);
    const rebuilt = await database().store.rebuildUsage({ account_id, after: null, for_ms: 10_000 });
    expect(rebuilt.changed).toEqual([]);
    await customer.settle(held);
    expect((await audit(only)).problems).toEqual([]);
  });

  test("among kept answers is forgotten when all are larger than allowed; a repeat is not charged again", async () => {
    const customer = await newCustomer(database(), 1000);
    const { upkeep } = database().store;
    const body = new Uint8Array(10_000);
    const answer = { status: 200, content_type: "application/json", headers: {}, body };
    const keys = [newId("key"), newId("key")];
    for (const key of keys) {
      await customer.settle(await customer.hold({ idempotency: { key, fingerprint: "f" } }), { answer });
    }
    const repeat = (key = "") => customer.admit({ idempotency: { key, fingerprint: "f" } });
    expect(await upkeep.dropAnswers(2 ** 40)).toBe(0);
    expect(await repeat(keys[0])).toMatchObject({ outcome: "replay" });
    while ((await upkeep.dropAnswers(10_000)) > 0);
    expect(await repeat(keys[0])).toMatchObject({ outcome: "idempotency_key_reused", reason: "answer_not_kept" });
    expect(await repeat(keys[1])).toMatchObject({ outcome: "replay" });
    while ((await upkeep.dropAnswers(0)) > 0);
    expect(await repeat(keys[1])).toMatchObject({ outcome: "idempotency_key_reused" });
    expect(await customer.wallet()).toEqual({ balance: 920, held: 0 });
  });
}
