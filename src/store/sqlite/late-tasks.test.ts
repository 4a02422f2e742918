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

test("what was said is written and read while decisions go on waiting", async () => {
  const path = join(folder, "contents.db");
  const store = await openSqlite(path);
  const account_id = newId("acct");
  await store.accounts.createAccount({ id: account_id, email: "said@example.com", name: "Test" });
  await store.accounts.addEntry({ account_id, kind: "credit", amount_micro: micro(100), note: "", actor: "test" });
  const key = await store.accounts.createKey(newKey(account_id));
  const admit = admitOf(key);
  await store.ledger.commit([admit]);
  const said = {
    key_id: key.id,
    model: "acme/swift",
    endpoint: "chat.completions",
    status: 200,
    tags: null,
    user_key: null,
  };
  const { request_id } = admit;
  const entries = [{ request_id, at_ms: 1, bytes: 6, ...said }];
  await store.responses.putContents([{ account_id, segment_id: request_id, content: Buffer.from("sealed"), entries }]);
  using file = new Database(path, { readonly: true });
  expect(
    file.query("SELECT (SELECT count(*) FROM contents) AS said, (SELECT count(*) FROM requests) AS decided").get(),
  ).toEqual({
    said: 1,
    decided: 0,
  });
  expect(await store.responses.listContents({ account_id, limit: 1 })).toHaveLength(1);
  await store.close();
  expect(file.query("SELECT count(*) AS decided FROM requests").get()).toEqual({ decided: 1 });
});
