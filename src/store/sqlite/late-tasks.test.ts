import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../../core/ids.ts";
import type { AdmitOp } from "../../core/ledger/ledger.ts";
import { micro } from "../../core/money/money.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import type { AccountRecord } from "../../core/store/ports.ts";
import { newKey, PRICE, settleOp } from "../suite/books.ts";
import { openSqlite } from "./open-sqlite.ts";

/** While many decisions wait to be written, a task that reads the tables waits for a fold: it keeps its turn, and sees all that was there when it was asked. */

const folder = await mkdtemp(join(tmpdir(), "camino-late-"));
afterAll(() => rmSync(folder, { recursive: true }));

const ACCOUNTS = 300;
const CALLS = 6;

function admitOf({ account_id, id, version }: KeyRecord): AdmitOp {
  return {
    ...{ op: "admit", request_id: newId("req"), client_request_id: null, account_id, key_id: id, key_version: version },
    ...{ endpoint: "chat.completions", stream: false, requested_model: "swift", model: "acme/swift", price: PRICE },
    ...{ hold_micro: micro(100), bound_tokens: 50, rpm: null, tpm: null, concurrent: null, budget: null },
    ...{ node_id: "node_test", ttl_ms: 60_000, idempotency: null },
  };
}

test("reports, changes and a stop that come while thousands of rows wait see all of them, and batches go on", async () => {
  const path = join(folder, "camino.db");
  const store = await openSqlite(path);
  const keys = await Promise.all(
    Array.from({ length: ACCOUNTS }, async () => {
      const account_id = newId("acct");
      await store.accounts.createAccount({ id: account_id, email: `${account_id}@example.com`, name: "Test" });
      const credit = { kind: "credit", amount_micro: micro(100_000), note: "", actor: "test" } as const;
      await store.accounts.addEntry({ account_id, ...credit });
      return await store.accounts.createKey(newKey(account_id));
    }),
  );
  const callAll = async () => {
    const admits = keys.map(admitOf);
    await store.ledger.commit(admits);
    await store.ledger.commit(admits.map(({ request_id }) => settleOp(request_id)));
  };
  for (let call = 0; call < CALLS; call += 1) await callAll();
  const [first, last] = [keys[0]?.account_id ?? "", keys.at(-1)?.account_id ?? ""];
  const answers = Promise.all([
    store.accounts.findAccount(first),
    store.accounts.addEntry({ account_id: last, kind: "credit", amount_micro: micro(5), note: "", actor: "test" }),
    store.accounts.findAccount(last),
    store.ledger.sweep("node_test"),
    callAll(),
  ]);
  const [seen, , credited] = await answers;
  const spent = BigInt(40 * CALLS);
  const postedOf = (account: AccountRecord | null) => (account ? account.balance_micro + account.held_micro : 0n);
  expect(postedOf(seen)).toBeLessThanOrEqual(100_000n - spent);
  expect(postedOf(credited)).toBeGreaterThanOrEqual(100_005n - spent - 40n);
  for (let call = 0; call < CALLS; call += 1) await callAll();
  const last_credit = store.accounts.addEntry({
    ...{ account_id: first, kind: "credit", amount_micro: micro(7), note: "", actor: "test" },
  });
  await store.close();
  await last_credit;

  const again = await openSqlite(path);
  const report = await again.audit();
  expect(report.problems).toEqual([]);
  expect(postedOf(await again.accounts.findAccount(first))).toBe(100_007n - 40n * BigInt(2 * CALLS + 1));
  await again.close();
}, 30_000);

type Beside = (store: Awaited<ReturnType<typeof openSqlite>>, admit: AdmitOp) => Promise<unknown>;

const TARGET = newId("tgt");
const told = { kind: "alert", channel: "webhook", type: "balance.low", body: "{}", asked_from: null } as const;
const claim = { over: "http", lease_ms: 60_000, busy: [] } as const;

/** What is written beside the books, each with what it leaves in a table. */
const BESIDE: readonly (readonly [what: string, seen: string, write: Beside])[] = [
  [
    ...(["what was said", "SELECT count(*) FROM contents"] as const),
    async (store, { account_id, request_id, key_id }) => {
      const about = { model: "acme/swift", endpoint: "chat.completions", status: 200, tags: null, user_key: null };
      const entries = [{ request_id, at_ms: 1, bytes: 6, key_id, ...about }];
      const segment = { account_id, segment_id: request_id, content: Buffer.from("sealed"), entries };
      await store.responses.putContents([segment]);
      expect(await store.responses.listContents({ account_id, limit: 1 })).toHaveLength(1);
    },
  ],
  [
    ...(["a stored response", "SELECT count(*) FROM stored_responses"] as const),
    async (store, { account_id }) => {
      const parts = { input: Buffer.from("i"), output: Buffer.from("o"), rest: Buffer.from("r") };
      const keys = { response_key: "first", parent_key: null, item_keys: [], used_keys: [] };
      await store.responses.put([{ account_id, ...keys, parts, keep_ms: 60_000 }], 1_000_000);
      expect(await store.responses.find(account_id, ["first"], ["output"])).toHaveLength(1);
    },
  ],
  [
    ...(["a delivery that is claimed and ends", "SELECT count(*) FROM deliveries WHERE state = 'delivered'"] as const),
    async ({ deliveries }) => {
      const { delivery } = await deliveries.claimDelivery(claim);
      if (delivery !== null) await deliveries.endDelivery(delivery, { status: 204, reason: null });
    },
  ],
  [
    ...(["an alert that is decided", "SELECT count(*) FROM alerts"] as const),
    async ({ deliveries }, { account_id }) => {
      expect(await deliveries.claimAlertLook(1)).toBe(true);
      const found = { type: "balance.low", subject: account_id, account_id, level: 1, data: "{}" };
      const listeners = [{ target_id: TARGET, channel: "webhook", types: null }] as const;
      const findings = [{ ...found, holds: "yes" as const }];
      expect(await deliveries.lookAtAlerts({ account_id, findings, is_whole: true, listeners })).toBe(1);
    },
  ],
];

/** What waits is written three seconds after it came: a machine that is slower than that has seen nothing. */
const IN_TIME_MS = 2000;

/** What is in the file right after a decision and a write beside it; null where that took too long. */
async function seenAfter(seen: string, write: Beside): Promise<unknown> {
  const path = join(folder, `${newId("node")}.db`);
  const store = await openSqlite(path);
  const account_id = newId("acct");
  await store.accounts.createAccount({ id: account_id, email: "said@example.com", name: "Test" });
  await store.accounts.addEntry({ account_id, kind: "credit", amount_micro: micro(100), note: "", actor: "test" });
  await store.deliveries.addDelivery({ id: newId("dlv"), ...told, recipient: TARGET, account_id, ttl_ms: 60_000 });
  const admit = admitOf(await store.accounts.createKey(newKey(account_id)));
  const began_ms = performance.now();
  await store.ledger.commit([admit]);
  await write(store, admit);
  using file = new Database(path, { readonly: true });
  const found = file.query(`SELECT (${seen}) AS written, (SELECT count(*) FROM requests) AS decided`).get();
  const is_in_time = performance.now() - began_ms < IN_TIME_MS;
  await store.close();
  expect(file.query("SELECT count(*) AS decided FROM requests").get()).toEqual({ decided: 1 });
  return is_in_time ? found : null;
}

test.each(BESIDE)(
  "%s is written while decisions go on waiting",
  async (_, seen, write) => {
    let found: unknown = null;
    while (found === null) found = await seenAfter(seen, write);
    expect(found).toEqual({ written: 1, decided: 0 });
  },
  60_000,
);
