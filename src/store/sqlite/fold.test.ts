import { Database } from "bun:sqlite";
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../../core/ids.ts";
import type { AdmitOp, LedgerOp } from "../../core/ledger/ledger.ts";
import { micro } from "../../core/money/money.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import { createAccount } from "../accounts/accounts.ts";
import { addEntry } from "../accounts/entries.ts";
import { createKey } from "../accounts/keys.ts";
import { audit } from "../audit/audit.ts";
import { AT } from "../schema/traffic-columns.ts";
import { newKey, OUTCOME, PRICE, settleOp } from "../suite/books.ts";
import { readTrafficSlice } from "../traffic/read-slice.ts";
import { writeTrafficSlice } from "../traffic/write-slice.ts";
import { openSqliteBooks } from "./open-sqlite-books.ts";
import { BatchPacker, BatchUnpacker, type PackedBatch } from "./pack-op.ts";
import { SqliteBooks } from "./sqlite-books.ts";

/** Accounts are written one by one: in steps, with batches in between, and a process may die after each of them. */

const folder = await mkdtemp(join(tmpdir(), "camino-fold-"));
afterAll(() => rmSync(folder, { recursive: true }));

const ACCOUNTS = 40;
const DAY_MS = 86_400_000;
const NOON_MS = Date.UTC(2026, 6, 1, 12);

let now_ms = NOON_MS;
const clock = { now_ms: () => now_ms, monotonic_ms: () => now_ms };
let path = "";
let books: SqliteBooks;
let keys: KeyRecord[];
let packer: BatchPacker;
let unpacker: BatchUnpacker;

beforeEach(() => {
  now_ms = NOON_MS;
  path = join(folder, `${newId("node")}.db`);
  open();
  keys = Array.from({ length: ACCOUNTS }, (_, at) => {
    const account_id = newId("acct");
    books.run(createAccount({ id: account_id, email: `${account_id}@example.com`, name: "Test" }));
    books.run(addEntry({ account_id, kind: "credit", amount_micro: micro(100_000), note: "", actor: "test" }));
    const budget = at % 4 === 0 ? { amount_micro: micro(90_000), window: "day" as const } : null;
    return books.run(createKey(newKey(account_id, { budget })));
  });
});

function open(): void {
  books = SqliteBooks.openWriter(path, { clock });
  packer = new BatchPacker();
  unpacker = new BatchUnpacker();
}

/** Goes on with a new process; the old one does nothing more. */
function die(): void {
  open();
}

function send(ops: readonly LedgerOp[]) {
  const batch = JSON.stringify(packer.pack(ops));
  const unpacked = unpacker.unpack(JSON.parse(batch) as PackedBatch);
  return books.commit({ ops: unpacked, for_journal: { texts: JSON.stringify(unpacker.used), batch } }).results;
}

function admitOp(key: KeyRecord, fields: Partial<AdmitOp> = {}): AdmitOp {
  return {
    ...{ op: "admit", request_id: newId("req"), client_request_id: null, account_id: key.account_id, key_id: key.id },
    ...{ key_version: key.version, endpoint: "chat.completions", stream: false, requested_model: "swift" },
    ...{ model: "acme/swift", price: PRICE, hold_micro: micro(100), bound_tokens: 50, rpm: null, tpm: null },
    ...{ concurrent: null, budget: key.budget, node_id: "node_test", ttl_ms: 3 * DAY_MS, idempotency: null },
    ...fields,
  };
}

/** A call of each key, whose admission and end are two batches. */
function callAll(of: readonly KeyRecord[] = keys): void {
  const admits = of.map((key) => admitOp(key));
  send(admits);
  send(admits.map(({ request_id }) => settleOp(request_id, { charge_micro: micro(10) })));
}

function count(table: string, where = "true"): number {
  using connection = new Database(path, { readonly: true });
  const found = connection.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${table} WHERE ${where}`).get();
  return found?.rows ?? -1;
}

function problems(): readonly string[] {
  return books.run(audit()).problems;
}

/** One charge for each call: none is lost, and none is written twice. */
function expectCalls(calls: number): void {
  expect(problems()).toEqual([]);
  expect(count("entries", "kind = 'charge'")).toBe(calls);
  expect(count("requests", "status = 'settled'")).toBe(calls);
  using connection = new Database(path, { readonly: true });
  const [sums] = connection
    .query<{ ended: number; spent: number }, []>(
      "SELECT sum(ended_count) AS ended, sum(cost_micro) AS spent FROM usage_days",
    )
    .all();
  expect(sums).toEqual({ ended: calls, spent: 10 * calls });
}

describe("a round", () => {
  test("writes some accounts at a time, each whole, in the order of their ids", () => {
    // The first call of a key with a budget sums its window up, and is written at once.
    callAll();
    books.fold();
    callAll();
    callAll();
    books.beginFold();
    let before = 0;
    while (books.hasStep) {
      books.foldStep(20);
      using connection = new Database(path, { readonly: true });
      const charged = connection
        .query<{ id: string; charges: number; requests: number }, []>(
          `SELECT id, (SELECT count(*) FROM entries WHERE account_id = a.id AND kind = 'charge') AS charges,
            (SELECT count(*) FROM requests WHERE account_id = a.id AND status = 'settled') AS requests
            FROM accounts AS a ORDER BY id`,
        )
        .all();
      for (const { charges } of charged) expect([1, 3]).toContain(charges);
      for (const { charges, requests } of charged) expect(requests).toBe(charges);
      const done = charged.filter(({ charges }) => charges === 3).length;
      // The written accounts are the first of them.
      expect(charged.slice(0, done).every(({ charges }) => charges === 3)).toBe(true);
      expect(done - before).toBeLessThan(8);
      before = done;
    }
    expect(count("journal")).toBe(0);
    expectCalls(3 * ACCOUNTS);
  });

  test("leaves what comes meanwhile to the next one", () => {
    callAll();
    books.fold();
    callAll();
    books.beginFold();
    books.foldStep(1);
    callAll();
    while (books.isInRound) books.foldStep(20);
    expect(count("journal")).toBeGreaterThan(0);
    books.fold();
    expect(count("journal")).toBe(0);
    expectCalls(3 * ACCOUNTS);
  });
});

test("what waits is counted from beside, without what the rows of its accounts have already", async () => {
  callAll();
  books.fold();
  const beside = openSqliteBooks(path);
  expect(await beside?.waiting()).toEqual({ operations: 0, charged_micro: micro(0) });
  callAll();
  // Admissions and ends. The audit sees whole tables without any of them.
  expect(await beside?.waiting()).toEqual({ operations: 2 * ACCOUNTS, charged_micro: micro(10 * ACCOUNTS) });
  expect(await beside?.audit()).toMatchObject({ problems: [], requests: ACCOUNTS });
  books.beginFold();
  books.foldStep(20);
  const written = count("entries", "kind = 'charge'") - ACCOUNTS;
  expect(written).toBeGreaterThan(0);
  const left = ACCOUNTS - written;
  expect(left).toBeGreaterThan(0);
  expect(await beside?.waiting()).toEqual({ operations: 2 * left, charged_micro: micro(10 * left) });
  books.fold();
  expect(await beside?.waiting()).toEqual({ operations: 0, charged_micro: micro(0) });
  expect(await beside?.audit()).toMatchObject({ problems: [], requests: 2 * ACCOUNTS });
  await beside?.close();
});

test("a batch that cannot be read counts as one that waits", async () => {
  send([admitOp(keys[1] as KeyRecord)]);
  using connection = new Database(path);
  connection.run("UPDATE journal SET batch = 'nothing'");
  const beside = openSqliteBooks(path);
  expect(await beside?.waiting()).toEqual({ operations: 1, charged_micro: micro(0) });
  await beside?.close();
});

test("a process that dies after any step is followed by one that has each call once", () => {
  let calls = 0;
  for (let round = 0; round < 6; round += 1) {
    callAll();
    calls += ACCOUNTS;
    books.beginFold();
    for (let step = 0; step <= round; step += 1) {
      books.foldStep(25);
      const some = keys.filter((_, at) => at % 3 === step % 3);
      callAll(some);
      calls += some.length;
      // Some of its requests end only after the next start.
      const held = some.map((key) => admitOp(key));
      send(held);
      die();
      send(held.map(({ request_id }) => settleOp(request_id, { charge_micro: micro(10) })));
      calls += held.length;
      books.beginFold();
    }
    now_ms += DAY_MS / 2;
  }
  books.fold();
  expectCalls(calls);
});

test("a batch that cannot wait writes its own accounts, and the others go on waiting", () => {
  callAll();
  books.fold();
  callAll();
  const [key, other] = [keys[1] as KeyRecord, keys[2] as KeyRecord];
  const idempotency = { key: "once", fingerprint: "same" };
  send([admitOp(key, { idempotency, request_id: "req_once" })]);
  expect(count("idempotency")).toBe(1);
  expect(count("requests", `account_id = '${key.account_id}'`)).toBe(3);
  expect(count("requests", `account_id = '${other.account_id}'`)).toBe(1);
  die();
  expect(send([admitOp(key, { idempotency })])).toMatchObject([{ outcome: "idempotency_in_progress" }]);
  send([settleOp("req_once", { charge_micro: micro(10) })]);
  books.fold();
  expectCalls(2 * ACCOUNTS + 1);
});

test.each<[string, (request_id: string) => LedgerOp, Record<string, unknown>]>([
  ["settled", (id) => settleOp(id, { charge_micro: micro(10) }), { status: "settled", charge_micro: 10 }],
  [
    "voided",
    (request_id) => ({ op: "void", request_id, operator_loss_micro: micro(0), outcome: OUTCOME }),
    { status: "voided" },
  ],
  ["extended", (request_id) => ({ op: "extend", request_id, add_micro: micro(50) }), { hold_micro: 150 }],
])("a waiting request is %s by a batch that cannot wait, and a process dies after it", (_, endOf, expected) => {
  callAll();
  books.fold();
  const [key, other] = [keys[1] as KeyRecord, keys[2] as KeyRecord];
  const waiting = [admitOp(key), admitOp(other)];
  send(waiting);
  const { request_id } = waiting[0] as AdmitOp;
  send([endOf(request_id), admitOp(keys[3] as KeyRecord, { idempotency: { key: "once", fingerprint: "same" } })]);
  expect(count("requests", `account_id = '${other.account_id}'`)).toBe(1);
  die();
  books.fold();
  using connection = new Database(path, { readonly: true });
  expect(connection.query("SELECT * FROM requests WHERE id = ?").get(request_id)).toMatchObject(expected);
  expect(problems()).toEqual([]);
});

test("an ended request that waits counts as ended for a batch that sums a window up", () => {
  callAll();
  books.fold();
  const limited = keys[0] as KeyRecord;
  const call = admitOp(limited);
  send([call]);
  const end = settleOp(call.request_id, { charge_micro: micro(10) });
  send([end]);
  now_ms += DAY_MS;
  expect(send([end, admitOp(limited)])).toMatchObject([{ outcome: "already_ended" }, { outcome: "admitted" }]);
});

test("usage of two days waits side by side", () => {
  callAll();
  books.fold();
  now_ms = NOON_MS + DAY_MS / 2 - 1;
  const held = keys.map((key) => admitOp(key));
  send(held);
  callAll(keys.slice(1, 4));
  now_ms += 2;
  send(held.map(({ request_id }) => settleOp(request_id, { charge_micro: micro(10) })));
  callAll(keys.slice(1, 4));
  books.fold();
  expectCalls(2 * ACCOUNTS + 6);
  expect(count("usage_days")).toBe(2 * ACCOUNTS);
});

test("the journal loses its beginning, as far as all accounts have it, and the chain stays whole", () => {
  callAll();
  books.fold();
  const key = keys[1] as KeyRecord;
  for (let call = 0; call < 150; call += 1) callAll([key]);
  books.beginFold();
  books.foldStep(1);
  expect(books.isInRound).toBe(true);
  expect(count("journal")).toBe(200);
  callAll([keys[2] as KeyRecord]);
  while (books.isInRound) books.foldStep();
  expect(count("journal")).toBe(2);
  die();
  expect(count("incidents")).toBe(0);
  expectCalls(ACCOUNTS + 151);
});

test("an account with many rows does not wait for the others", () => {
  callAll();
  books.fold();
  callAll([keys[2] as KeyRecord]);
  const busy = keys[1] as KeyRecord;
  for (let call = 0; call < 40; call += 1) {
    const admits = Array.from({ length: 10 }, () => admitOp(busy));
    send(admits);
    send(admits.map(({ request_id }) => settleOp(request_id, { charge_micro: micro(10) })));
    if (books.hasStep) books.foldStep();
  }
  expect(count("requests", `account_id = '${busy.account_id}'`)).toBeGreaterThan(300);
  expect(count("requests", `account_id = '${keys[2]?.account_id}'`)).toBe(1);
  books.fold();
  expectCalls(ACCOUNTS + 401);
});

describe("a work beside the books", () => {
  test("leaves what waits waiting, sees what is written, and keeps what the working set knows", () => {
    callAll();
    books.fold();
    callAll();
    const asked = { limit: 1000, prices_json: "{}", written_only: true };
    const slice = books.runBeside(readTrafficSlice(asked), "with the next commit");
    const counted = slice.cells.reduce((sum, { counts }) => sum + (counts[AT.requests] ?? 0), 0);
    // Waiting decisions are not counted, and the slice does not claim to be complete.
    expect([counted, slice.has_more, slice.counted_ms]).toEqual([ACCOUNTS, false, NOON_MS]);
    now_ms += 1000;
    expect(books.runBeside(writeTrafficSlice(slice), "with the next commit")).toBe(true);
    expect([books.waitingRows > 0, count("journal")]).toEqual([true, 2]);
    expect(count("traffic_hours", "requests > 0")).toBeGreaterThan(0);
    callAll();
    die();
    expect(count("traffic_hours", "requests > 0")).toBeGreaterThan(0);
    expectCalls(3 * ACCOUNTS);
    const rest = books.run(readTrafficSlice({ ...asked, written_only: false }));
    expect(rest.cells.reduce((sum, { counts }) => sum + (counts[AT.requests] ?? 0), 0)).toBe(2 * ACCOUNTS);
  });
});
