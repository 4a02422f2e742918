import { expect, test } from "bun:test";
import { SQL } from "bun";
import { freshDatabase, untilSessionsEnded } from "../../../proofs/support/postgres.ts";
import { newId } from "../../core/ids.ts";
import { micro } from "../../core/money/money.ts";
import { openStore } from "../open-store.ts";
import { type Customer, newCustomer, settleOp } from "../suite/books.ts";

interface Changes {
  readonly inserted: number;
  readonly updated: number;
  readonly in_place: number;
  readonly dead: number;
}

const ROUNDS = 120;
const CALLS = 12;

test("rows that a batch changes stay in their page, and ended requests are inserted once", async () => {
  const url = await freshDatabase();
  const node_id = newId("node");
  const store = await openStore({ url, node_id });
  const raw = new SQL(url, { max: 1 });
  const database = { store, node_id, execute: (text: string) => raw.unsafe(text), crash: never, close: never };
  const customers = await Promise.all(Array.from({ length: 30 }, () => newCustomer(database, 10_000_000)));
  for (const customer of customers.slice(0, 10)) {
    const { account } = customer;
    const limits = { rpm: 1_000_000, tpm: null, concurrent: 1_000_000, models: null, budget: null };
    await store.accounts.setAccountLimits(account.id, limits);
    customer.key = (await store.accounts.findKey(customer.key.id)) ?? customer.key;
    const rule = { threshold_micro: micro(9_999_000), amount_micro: micro(10_000_000), updated_by: "test" };
    await store.accounts.setAutoTopUp({ account_id: account.id, ...rule, month_limit_micro: micro(10 ** 12) });
  }
  for (const customer of customers.slice(10, 20)) {
    const limits = { rpm: 1_000_000, tpm: null, concurrent: null, models: null, budget: null };
    const project = { id: newId("proj"), account_id: customer.account.id, name: "team", limits };
    await store.accounts.createProject(project);
    await customer.changeKey({ project_id: project.id });
  }
  for (let round = 0; round < ROUNDS; round += 1) await callSome(customers, round);
  await store.ledger.sweep(node_id);
  await store.close();
  await untilSessionsEnded(raw);

  const found = await raw.unsafe(`SELECT relname AS name, n_tup_ins::int AS inserted, n_tup_upd::int AS updated,
    n_tup_hot_upd::int AS in_place, n_dead_tup::int AS dead FROM pg_stat_user_tables`);
  const tables = new Map<string, Changes>(found.map((each: Changes & { name: string }) => [each.name, each]));
  for (const name of [
    "accounts",
    "key_state",
    "usage_days",
    "account_limits",
    "projects",
    "usage_projects",
    "auto_top_ups",
    "requests_held",
    "idempotency",
  ]) {
    const { updated = 0, in_place = 0 } = tables.get(name) ?? {};
    expect({ name, updated: updated > 0 }).toEqual({ name, updated: true });
    expect({ name, share: in_place / updated }).toEqual({ name, share: expect.closeTo(1, 1) });
  }
  const calls = ROUNDS * CALLS;
  // The part of this month; of two, if it ends just now.
  expect(sumOf([...tables].filter(([name]) => /^requests_\d/.test(name)).map(([, changes]) => changes))).toMatchObject({
    inserted: calls,
    updated: 0,
    dead: 0,
  });
  expect(tables.get("entries")).toMatchObject({ updated: 0, dead: 0 });
  // The session made its plans when the tables were empty, and still reads as few rows for each call, triggers included.
  const [read] = await raw.unsafe(`SELECT sum(seq_tup_read + idx_tup_read)::int AS rows FROM pg_stat_user_tables
    JOIN (SELECT relid, sum(idx_tup_read) AS idx_tup_read FROM pg_stat_user_indexes GROUP BY relid) AS i USING (relid)`);
  expect(read.rows / calls).toBeLessThan(40);
  await raw.close();
}, 60_000);

/** Calls of some customers at once: one that is extended, one that records its progress, one whose answer is kept. */
async function callSome(customers: readonly Customer[], round: number): Promise<void> {
  const [
    {
      database: { store },
    },
  ] = customers as [Customer];
  const admits = Array.from({ length: CALLS }, (_, at) => {
    const customer = customers[(round * 7 + at) % customers.length] as Customer;
    const idempotency = at === 0 ? { key: newId("req"), fingerprint: "f" } : null;
    return customer.admitOp({ idempotency, hold_micro: micro(1000) });
  });
  await store.ledger.commit(admits);
  const [first, second, third] = admits.map(({ request_id }) => request_id) as [string, string, string];
  const progress = { ...settleOp(third), op: "progress" as const, ttl_ms: 60_000 };
  await store.ledger.commit([{ op: "extend", request_id: second, add_micro: micro(5) }, progress]);
  const body = new Uint8Array(3000).fill(97);
  const answer = { status: 200, content_type: "application/json", headers: {}, body };
  await store.ledger.commit(
    admits.map(({ request_id }) => settleOp(request_id, request_id === first ? { answer } : {})),
  );
}

function sumOf(changes: readonly Changes[]): Changes {
  const sum = (name: keyof Changes): number => changes.reduce((total, each) => total + each[name], 0);
  return { inserted: sum("inserted"), updated: sum("updated"), in_place: sum("in_place"), dead: sum("dead") };
}

async function never(): Promise<void> {
  throw new Error("not asked for");
}
