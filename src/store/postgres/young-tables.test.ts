import { expect, test } from "bun:test";
import { SQL } from "bun";
import { freshDatabase, untilSessionsEnded } from "../../../proofs/support/postgres.ts";
import { newId } from "../../core/ids.ts";
import { micro } from "../../core/money/money.ts";
import { openStore } from "../open-store.ts";
import { monthOf } from "../schema/request-partitions.ts";
import { newCustomer, settleOp } from "../suite/books.ts";

/**
 * In a young table, an index of the account looks to PostgreSQL as good as the one of the id. A settlement that went by it would read all
 * requests of its account, and a plan that was made so stays for the life of the connection.
 */
test("settling many requests of one account looks up each by its id, however the plans were made", async () => {
  const url = await freshDatabase();
  const node_id = newId("node");
  const store = await openStore({ url, node_id });
  await store.upkeep.makeMonths(Date.now() - 300 * 86_400_000);
  const raw = new SQL(url, { max: 1 });
  const started = monthOf(Date.now()).name;
  const execute = async (sql: string): Promise<readonly unknown[]> => await raw.unsafe(sql);
  const customer = await newCustomer({ store, node_id, execute, crash: never, close: never }, 1_000_000);
  const settled = async (count: number): Promise<void> => {
    const ops = Array.from({ length: count }, () => customer.admitOp({ hold_micro: micro(40) }));
    await customer.commit(...ops);
    await customer.commit(...ops.map(({ request_id }) => settleOp(request_id)));
    // They have ended already, and are looked up among those.
    await customer.commit(...ops.slice(0, 4).map(({ request_id }) => settleOp(request_id)));
  };
  // The plans of a connection are made by its first commits, on tables that are empty or nearly so.
  for (let commit = 0; commit < 12; commit += 1) await settled(4);
  await settled(500);
  await store.close();
  await untilSessionsEnded(raw);
  const read = await raw.unsafe<{ name: string; entries: string }[]>(
    `SELECT indexrelname AS name, idx_tup_read AS entries FROM pg_stat_user_indexes
      WHERE relname ~ '^requests_(early|other|[0-9_]+)$' AND idx_tup_read > 0`,
  );
  // Of the parts by month that of the requests is looked into, and no other, by the laws of the books neither.
  const scanned = await raw.unsafe<{ part: string }[]>(
    `SELECT DISTINCT relname AS part FROM pg_stat_user_indexes WHERE relname ~ '^requests_[0-9]' AND idx_scan > 0`,
  );
  await raw.close();
  const used = [started, monthOf(Date.now()).name];
  expect(scanned.length).toBeGreaterThan(0);
  expect(scanned.map(({ part }) => part).filter((part) => !used.includes(part))).toEqual([]);
  expect(read.length).toBeGreaterThan(0);
  expect(read.filter(({ name }) => !name.endsWith("_id_key"))).toEqual([]);
}, 60_000);

async function never(): Promise<void> {
  throw new Error("not asked for");
}
