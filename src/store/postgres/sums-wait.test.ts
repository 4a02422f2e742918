import { expect, test } from "bun:test";
import { SQL } from "bun";
import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { MS_PER_DAY } from "../../core/clock.ts";
import { newId } from "../../core/ids.ts";
import type { SummedSpan } from "../../core/operations/upkeep.ts";
import { openStore } from "../open-store.ts";
import { newCustomer } from "../suite/books.ts";

/**
 * A transaction that began before a day was closed may not see that it is closed: its writes into the day raise no revision. So the day is not
 * summed up before all such transactions are over (docs/design/reports.md).
 */
test("a day is summed up when no transaction is open any more that may write into it without a word", async () => {
  const url = await freshDatabase();
  const node_id = newId("node");
  const store = await openStore({ url, node_id });
  const [raw, late] = [new SQL(url, { max: 1 }), new SQL(url, { max: 1 })];
  const execute = async (sql: string): Promise<readonly unknown[]> => await raw.unsafe(sql);
  const { account, key } = await newCustomer({ store, node_id, execute, crash: never, close: never }, 0);
  const day = Math.floor(Date.now() / MS_PER_DAY) - 3;
  const used = (model: string, cost: number): string =>
    `INSERT INTO usage_days (account_id, day, key_id, model, cost_micro, ended_count) VALUES ('${account.id}', ${day}, '${key.id}', '${model}', ${cost}, 1)`;
  const revisionOfDay = async (): Promise<number> => {
    const [found] = await execute(`SELECT revision FROM closed_days WHERE kind = 'usage' AND day = ${day}`);
    return Number((found as { revision: unknown } | undefined)?.revision);
  };
  const spent = async (): Promise<number> => {
    const reports = await store.accounts.usageReport({ account_id: null, since: null, until: null, by: "account" });
    return reports.reduce((sum, { cost_micro }) => sum + Number(cost_micro), 0);
  };
  const span: SummedSpan = { kind: "usage", size: 1, first_day: day };
  await execute(used("a/early", 5));
  // Its changes are seen when it commits, and it sees no closed day.
  const open = await late.reserve();
  await open.unsafe("BEGIN");
  await open.unsafe(used("a/late", 7));
  expect(await store.upkeep.closeDays()).toContainEqual(span);
  for (let look = 0; look < 2; look += 1) {
    expect(await store.upkeep.makeSums(span)).toBe(false);
    expect(await store.upkeep.closeDays()).toContainEqual(span);
    expect(await spent()).toBe(5);
  }
  await open.unsafe("COMMIT");
  // No revision says so: sums that had been made meanwhile would be taken for true.
  expect(await revisionOfDay()).toBe(0);
  expect(await spent()).toBe(12);

  // A transaction that begins now sees the closed day, so nobody has to wait for it.
  await open.unsafe("BEGIN");
  await open.unsafe("SELECT 1");
  while (await store.upkeep.makeSums(span));
  expect(await store.upkeep.closeDays()).not.toContainEqual(span);
  expect(await spent()).toBe(12);
  await open.unsafe(used("a/seen", 11));
  await open.unsafe("COMMIT");
  expect(await revisionOfDay()).toBe(1);
  expect(await spent()).toBe(23);
  open.release();
  await Promise.all([store.close(), raw.close(), late.close()]);
}, 60_000);

async function never(): Promise<void> {
  throw new Error("not asked for");
}
