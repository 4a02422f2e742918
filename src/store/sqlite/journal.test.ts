import { Database } from "bun:sqlite";
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../../core/ids.ts";
import type { AdmitOp, LedgerOp } from "../../core/ledger/ledger.ts";
import { micro } from "../../core/money/money.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import type { BookResult } from "../../ledger/books/decide.ts";
import { priceText } from "../../ledger/books/row-json.ts";
import { createAccount } from "../accounts/accounts.ts";
import { setAutoTopUp } from "../accounts/auto-top-ups.ts";
import { addEntry } from "../accounts/entries.ts";
import { createKey } from "../accounts/keys.ts";
import { audit } from "../audit/audit.ts";
import { closeIncident, openIncidents } from "../recovery/incidents.ts";
import { newKey, OUTCOME, PRICE, settleOp } from "../suite/books.ts";
import { BatchPacker, BatchUnpacker, type PackedBatch } from "./pack-op.ts";
import { SqliteBooks } from "./sqlite-books.ts";

const folder = await mkdtemp(join(tmpdir(), "camino-journal-"));
afterAll(() => rmSync(folder, { recursive: true }));

const NOON_MS = Date.UTC(2026, 6, 1, 12);
const DAY_MS = 86_400_000;

let now_ms = NOON_MS;
const clock = { now_ms: () => now_ms, monotonic_ms: () => now_ms };
let path = "";
let books: SqliteBooks;
let key: KeyRecord;
let send: (ops: readonly LedgerOp[]) => readonly BookResult[];

beforeEach(() => {
  now_ms = NOON_MS;
  path = join(folder, `${newId("node")}.db`);
  books = SqliteBooks.openWriter(path, { clock });
  key = customerOf(books);
  send = sender(books);
});

function customerOf(of: SqliteBooks): KeyRecord {
  const account_id = newId("acct");
  of.run(createAccount({ id: account_id, email: `${account_id}@example.com`, name: "Test" }));
  of.run(addEntry({ account_id, kind: "credit", amount_micro: micro(100_000), note: "", actor: "test" }));
  return of.run(createKey(newKey(account_id, {})));
}

/** Commits as the main thread has it done: batches travel as texts. */
function sender(to: SqliteBooks): typeof send {
  const packer = new BatchPacker();
  const unpacker = new BatchUnpacker();
  return (ops) => {
    const batch = JSON.stringify(packer.pack(ops));
    const unpacked = unpacker.unpack(JSON.parse(batch) as PackedBatch);
    return to.commit({ ops: unpacked, for_journal: { texts: JSON.stringify(unpacker.used), batch } }).results;
  };
}

function admitOp(fields: Partial<AdmitOp> = {}): AdmitOp {
  return {
    op: "admit",
    request_id: newId("req"),
    client_request_id: null,
    account_id: key.account_id,
    key_id: key.id,
    key_version: key.version,
    endpoint: "chat.completions",
    stream: false,
    requested_model: "swift",
    model: "acme/swift",
    price: PRICE,
    hold_micro: micro(100),
    bound_tokens: 50,
    rpm: null,
    tpm: null,
    concurrent: null,
    budget: null,
    node_id: "node_test",
    ttl_ms: 60_000,
    idempotency: null,
    ...fields,
  };
}

function read<Row>(sql: string, of = path): Row[] {
  using connection = new Database(of, { readonly: true });
  return connection.query<Row, []>(sql).all();
}

function count(table: string, of = path): number {
  return read<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`, of)[0]?.rows ?? -1;
}

/** The numbers of shared texts depend on the order in which a database met them. */
function textOf(name: string): string {
  return `(SELECT text FROM texts WHERE no = ${name}_no) AS ${name}`;
}

function rowOf(request_id: string, of = path): object | undefined {
  return read<object>(
    `SELECT status, ${textOf("model")}, requested_model, ${textOf("endpoint")}, ${textOf("price")}, hold_micro, extended_micro,
      charge_micro, operator_loss_micro, upstream_cost_micro, usage_extra, input_tokens, created_ms, ended_ms, deadline_ms
      FROM requests WHERE id = '${request_id}'`,
    of,
  )[0];
}

describe("the journal", () => {
  test("has what a batch decided, until it is written to its tables", () => {
    const [settled, held] = [admitOp(), admitOp()];
    expect(send([settled, held])).toMatchObject([{ outcome: "admitted" }, { outcome: "admitted" }]);
    expect(send([settleOp(settled.request_id)])).toMatchObject([{ outcome: "settled", charge_micro: 40n }]);
    expect(send([settleOp(settled.request_id)])).toMatchObject([{ outcome: "already_ended", status: "settled" }]);
    expect([count("journal"), count("requests"), count("usage_days")]).toEqual([3, 0, 0]);
    books.fold();
    expect([count("journal"), count("requests"), count("usage_days")]).toEqual([0, 2, 1]);
    expect(rowOf(settled.request_id)).toMatchObject({ status: "settled", charge_micro: 40, ended_ms: NOON_MS });
    expect(rowOf(held.request_id)).toMatchObject({ status: "held", hold_micro: 100, ended_ms: null });
    expect(books.run(audit()).problems).toEqual([]);
  });

  test("is written before anything else is done", () => {
    const held = admitOp();
    send([held]);
    books.run(
      addEntry({ account_id: key.account_id, kind: "credit", amount_micro: micro(1), note: "", actor: "test" }),
    );
    expect([count("journal"), count("requests")]).toEqual([0, 1]);
    expect(send([settleOp(held.request_id)])).toMatchObject([{ outcome: "settled" }]);
    books.close();
    expect(rowOf(held.request_id)).toMatchObject({ status: "settled" });
  });

  test("does not grow without end", () => {
    for (let batch = 0; batch < 200; batch += 1) {
      const ops = Array.from({ length: 10 }, () => admitOp({ hold_micro: micro(1) }));
      send(ops);
      send(ops.map((op) => settleOp(op.request_id, { charge_micro: micro(1) })));
      expect(count("journal")).toBeLessThan(110);
    }
    books.fold();
    expect(count("entries")).toBe(2001);
    expect(books.run(audit()).problems).toEqual([]);
  });

  test("keeps apart what was used on two sides of midnight, and when each ended", () => {
    const [early, late] = [admitOp(), admitOp()];
    send([early, late]);
    send([settleOp(early.request_id)]);
    now_ms += DAY_MS;
    send([settleOp(late.request_id)]);
    books.fold();
    expect(read("SELECT cost_micro, day FROM usage_days ORDER BY day")).toEqual([
      { cost_micro: 40, day: NOON_MS / DAY_MS - 0.5 },
      { cost_micro: 40, day: NOON_MS / DAY_MS + 0.5 },
    ]);
    expect(read("SELECT created_ms FROM entries WHERE kind = 'charge' ORDER BY seq")).toEqual([
      { created_ms: NOON_MS },
      { created_ms: NOON_MS + DAY_MS },
    ]);
    expect(rowOf(late.request_id)).toMatchObject({ created_ms: NOON_MS, ended_ms: NOON_MS + DAY_MS });
    expect(books.run(audit()).problems).toEqual([]);
  });

  describe("is not used for", () => {
    const cases: readonly { what: string; prepare?: () => void; ops: () => LedgerOp[] }[] = [
      { what: "an admission with an idempotency key", ops: () => [withKey()] },
      {
        what: "the end of one that had such a key",
        prepare: () => send([withKey()]),
        ops: () => [settleOp(read<{ id: string }>("SELECT id FROM requests")[0]?.id ?? "")],
      },
      {
        what: "an account that is topped up by itself",
        prepare: () => {
          const amounts = { threshold_micro: micro(1), amount_micro: micro(5), month_limit_micro: micro(9) };
          books.run(setAutoTopUp({ account_id: key.account_id, ...amounts, updated_by: "test" }));
        },
        ops: () => [admitOp()],
      },
      {
        what: "a budget whose window has just begun",
        ops: () => [admitOp({ budget: { amount_micro: micro(500), window: "day" } })],
      },
    ];
    for (const { what, prepare, ops } of cases) {
      test(what, () => {
        const waiting = admitOp();
        prepare?.();
        const sent = ops();
        if (what !== "an account that is topped up by itself") send([waiting]);
        send(sent);
        expect(count("journal")).toBe(0);
        expect(books.isWaiting).toBe(false);
        expect(books.run(audit()).problems).toEqual([]);
      });
    }

    function withKey(): AdmitOp {
      return admitOp({ idempotency: { key: "k", fingerprint: "f" } });
    }
  });
});

describe("a writer that finds a journal", () => {
  const extended = (request_id: string): LedgerOp => ({ op: "extend", request_id, add_micro: micro(7) });

  test("writes it as its predecessor would have, to the millisecond", () => {
    const [settled, redirected, voided, decided, held] = [admitOp(), admitOp(), admitOp(), admitOp(), admitOp()];
    send([settled, redirected, voided]);
    now_ms += 10;
    send([decided, held, extended(held.request_id), extended(settled.request_id)]);
    now_ms += 10;
    const price = { ...PRICE, version: "p2" };
    send([
      settleOp(settled.request_id),
      settleOp(redirected.request_id, { model: "acme/other", price }),
      { op: "void", request_id: voided.request_id, operator_loss_micro: micro(3), outcome: OUTCOME },
      settleOp(decided.request_id, { outcome: { ...OUTCOME, upstream_cost_micro: micro(11) } }),
      { ...settleOp(held.request_id), op: "progress", ttl_ms: 90_000 },
    ]);
    now_ms += 10;
    const copy = `${path}-copy`;
    using left = new Database(path);
    left.run("VACUUM INTO ?", [copy]);
    expect([count("journal", copy), count("requests", copy)]).toEqual([3, 0]);
    now_ms += DAY_MS;
    SqliteBooks.openWriter(copy, { clock }).close();
    books.fold();
    expect(count("journal", copy)).toBe(0);
    for (const { request_id } of [settled, redirected, voided, decided, held]) {
      expect(rowOf(request_id, copy)).toEqual(rowOf(request_id) as object);
    }
    expect(rowOf(settled.request_id)).toMatchObject({ status: "settled", extended_micro: 7, charge_micro: 40 });
    expect(rowOf(redirected.request_id)).toMatchObject({ model: "acme/other", price: priceText(price) });
    expect(rowOf(voided.request_id)).toMatchObject({ status: "voided", operator_loss_micro: 3, input_tokens: null });
    expect(rowOf(decided.request_id)).toMatchObject({ status: "settled", upstream_cost_micro: 11 });
    expect(rowOf(held.request_id)).toMatchObject({ status: "held", hold_micro: 107, deadline_ms: NOON_MS + 90_020 });
  });

  test("puts aside what the tables refuse, writes the rest, and the audit tells of it", () => {
    const [first, second, third] = [admitOp(), admitOp(), admitOp()];
    send([first]);
    send([second]);
    send([third]);
    // A mistake of ours could leave this: the second row is there already.
    using elsewhere = new Database(path);
    elsewhere.run("PRAGMA foreign_keys = ON");
    elsewhere.run(
      `INSERT INTO requests (id, account_id, key_id, endpoint_no, model_no, price_no, status, node_id, created_ms,
        deadline_ms, ended_ms, hold_micro, bound_tokens) VALUES (?, ?, ?, 1, 1, 1, 'voided', '', 0, 0, 0, 0, 0)`,
      [second.request_id, key.account_id, key.id],
    );
    expect(send([settleOp(third.request_id)])).toMatchObject([{ outcome: "settled" }]);
    books.fold();
    expect(rowOf(first.request_id)).toMatchObject({ status: "held" });
    expect(rowOf(third.request_id)).toMatchObject({ status: "settled" });
    expect([count("journal"), count("journal_refused")]).toEqual([0, 1]);
    const problems = books.run(audit()).problems.filter((problem) => problem.includes("incident"));
    expect(problems).toEqual([expect.stringContaining("incident 1: put_aside of 2026-07-01T12:00:00.000Z is open")]);
    expect(problems).toEqual([expect.stringMatching(/requests\.id.* It was acknowledged as admitted\./)]);
  });

  test("keeps the parts and calls of a usage", () => {
    const extra = { parts: { input_audio: 4 }, calls: { web_search: 2 } };
    const admit = admitOp();
    send([admit]);
    send([settleOp(admit.request_id, { usage: { ...NO_USAGE, input_tokens: 9, extra } })]);
    books.close();
    books = SqliteBooks.openWriter(path, { clock });
    const row = rowOf(admit.request_id) as { usage_extra: string };
    expect(JSON.parse(row.usage_extra)).toEqual(extra);
  });

  test("of a newer program does not start, and says what to do", () => {
    send([admitOp()]);
    using elsewhere = new Database(path);
    elsewhere.run("UPDATE journal SET format = 99");
    expect(() => SqliteBooks.openWriter(path)).toThrow("entries of format 99, and this version of Camino knows 1.");
    expect(count("journal")).toBe(1);
  });

  test("decides anew on what another connection has changed meanwhile", () => {
    const held = admitOp();
    send([held]);
    using elsewhere = new Database(path);
    elsewhere.run("UPDATE accounts SET name = 'Changed' WHERE id = ?", [key.account_id]);
    expect(send([settleOp(held.request_id)])).toMatchObject([{ outcome: "settled", charge_micro: 40n }]);
    books.fold();
    expect(read("SELECT name, held_micro FROM accounts")).toEqual([{ name: "Changed", held_micro: 0 }]);
    expect(books.run(audit()).problems).toEqual([]);
  });
});

describe("a replay that decides otherwise than was acknowledged", () => {
  let told: string[];

  /** Opens the file as the next process does after a crash, while somebody has changed it. */
  function crashAfter(change: string): void {
    const copy = `${path}-crashed`;
    using left = new Database(path);
    left.run("VACUUM INTO ?", [copy]);
    using crashed = new Database(copy);
    for (const statement of change.split(";")) crashed.run(statement);
    told = [];
    books.close();
    path = copy;
    books = SqliteBooks.openWriter(path, { clock, notify: ({ level, message }) => told.push(`${level}: ${message}`) });
  }

  const problems = (): readonly string[] => books.run(audit()).problems.filter((each) => !each.includes("unproven"));

  test("keeps a charge whose key was disabled meanwhile, says so, and the audit tells until the incident is closed", () => {
    const [settled, held, extended] = [admitOp(), admitOp(), admitOp()];
    send([settled, held, extended]);
    send([settleOp(settled.request_id), { op: "extend", request_id: extended.request_id, add_micro: micro(7) }]);
    crashAfter("UPDATE keys SET status = 'disabled', version = version + 1");
    expect(rowOf(settled.request_id)).toMatchObject({ status: "settled", charge_micro: 40, ended_ms: NOON_MS });
    expect(rowOf(held.request_id)).toMatchObject({ status: "held", hold_micro: 100 });
    expect(rowOf(extended.request_id)).toMatchObject({ status: "held", hold_micro: 107 });
    const lead = "it was acknowledged as admitted, and the rows as they are now lead to stale_key";
    expect(told.filter((line) => line.startsWith("error: operation"))).toEqual(
      [0, 1, 2].map(
        (at) =>
          `error: operation ${at} of batch ${firstSeq()} of the journal: ${lead}; what was acknowledged was written`,
      ),
    );
    expect(problems()).toHaveLength(3);
    for (const { id } of books.run(openIncidents(10))) {
      expect(books.run(closeIncident(id, "test", "looked at"))).toBe(true);
      expect(books.run(closeIncident(id, "test", "again"))).toBe(false);
    }
    expect(books.run(audit()).problems).toEqual([]);
  });

  test("keeps a refusal: no hold appears that nobody was told of", () => {
    const refused = admitOp({ hold_micro: micro(100_001) });
    expect(send([admitOp(), refused])).toMatchObject([{ outcome: "admitted" }, { outcome: "insufficient_balance" }]);
    crashAfter("UPDATE accounts SET balance_micro = balance_micro + 5000, posted_micro = posted_micro + 5000");
    expect(rowOf(refused.request_id)).toBeUndefined();
    expect(read("SELECT sum(refused_count) AS refused FROM usage_days")).toEqual([{ refused: 1 }]);
    expect(problems().filter((each) => each.includes("replay_differs"))).toHaveLength(1);
  });

  test("puts aside alone what the balance no longer covers, and writes the rest of its batch", () => {
    const [large, small] = [admitOp({ hold_micro: micro(90_000) }), admitOp({ hold_micro: micro(40) })];
    send([large, small]);
    send([settleOp(small.request_id), settleOp(large.request_id, { charge_micro: micro(80_000) })]);
    crashAfter(`UPDATE accounts SET balance_micro = 50, posted_micro = 50, entry_count = 2;
      INSERT INTO entries (account_id, seq, kind, amount_micro, posted_after_micro, note, actor, created_ms)
        SELECT id, 2, 'correction', -99950, 50, '', 'test', 0 FROM accounts`);
    expect(rowOf(large.request_id)).toBeUndefined();
    expect(rowOf(small.request_id)).toMatchObject({ status: "settled", charge_micro: 40 });
    expect(read("SELECT batch, outcome FROM journal_refused")).toHaveLength(2);
    expect(problems().filter((each) => each.includes("put_aside"))).toEqual([
      expect.stringContaining("the balance is 50 and the hold 90000 micro units"),
      expect.stringContaining("It was acknowledged as settled with a charge of 80000 and a loss of 0 micro units."),
    ]);
  });

  test("puts aside a batch whose text is not what was written", () => {
    const [first, second] = [admitOp(), admitOp()];
    send([first]);
    send([second]);
    crashAfter(
      `UPDATE journal SET batch = replace(batch, ',100,', ',900,') WHERE seq = (SELECT min(seq) FROM journal)`,
    );
    expect(rowOf(first.request_id)).toBeUndefined();
    expect(rowOf(second.request_id)).toMatchObject({ status: "held", hold_micro: 100 });
    expect(problems()).toEqual([expect.stringContaining("it is not what was written")]);
  });

  test("tells of a batch that is gone", () => {
    send([admitOp()]);
    send([admitOp()]);
    const third = admitOp();
    send([third]);
    crashAfter("DELETE FROM journal WHERE seq = (SELECT min(seq) + 1 FROM journal)");
    expect(rowOf(third.request_id)).toMatchObject({ status: "held" });
    expect(problems()).toEqual([
      expect.stringMatching(/log_lost .*Batches before number \d+ of the journal are missing/),
    ]);
  });

  function firstSeq(): number {
    return Number(told.join(" ").match(/operation 0 of batch (\d+)/)?.[1]);
  }
});

test("a batch that cannot be appended leaves nothing behind, and what waited is still there", () => {
  const held = admitOp();
  send([held]);
  using elsewhere = new Database(path);
  elsewhere.run("CREATE TRIGGER refuse BEFORE INSERT ON journal BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
  const refused = admitOp();
  expect(() => send([refused])).toThrow("the disk is full");
  elsewhere.run("DROP TRIGGER refuse");
  expect(send([settleOp(refused.request_id), settleOp(held.request_id)])).toMatchObject([
    { outcome: "unknown_request" },
    { outcome: "settled" },
  ]);
  expect(books.run(audit()).problems).toEqual([]);
});
