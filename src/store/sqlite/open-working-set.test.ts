import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { runs } from "../../../proofs/support/runs.ts";
import { newId } from "../../core/ids.ts";
import type { AdmitOp, LedgerOp, SettleOp } from "../../core/ledger/ledger.ts";
import { micro } from "../../core/money/money.ts";
import type { AppliedRule } from "../../core/people/limit-rules.ts";
import { NO_LIMITS } from "../../core/people/principal.ts";
import { setAccountLimits } from "../accounts/account-limits.ts";
import { createAccount, setAccountStatus } from "../accounts/accounts.ts";
import { removeAutoTopUp, setAutoTopUp } from "../accounts/auto-top-ups.ts";
import { addEntry } from "../accounts/entries.ts";
import { createKey, setKeyStatus, updateKey } from "../accounts/keys.ts";
import { createProject } from "../accounts/projects.ts";
import { audit } from "../audit/audit.ts";
import {
  ACCOUNT_COLUMNS,
  ACCOUNT_LIMIT_COLUMNS,
  type AccountRow,
  accountLimitState,
  accountState,
  KEY_COLUMNS,
  KEY_STATE_COLUMNS,
  type KeyRow,
  type KeyStateRow,
  keyState,
  PROJECT_COLUMNS,
  type ProjectRow,
  projectState,
  REQUEST_STATE_COLUMNS,
  type RequestStateRow,
  requestState,
} from "../batch/read-rows.ts";
import { recoverUnowned } from "../recovery/recover.ts";
import { newKey, OUTCOME, PRICE, settleOp } from "../suite/books.ts";
import { wholeRows } from "../suite/whole-rows.ts";
import type { Batch } from "./commit-on-working-set.ts";
import { BatchPacker, BatchUnpacker, type PackedBatch } from "./pack-op.ts";
import { SqliteBooks } from "./sqlite-books.ts";

/**
 * What the writer has in memory between batches, and what its journal has, are what the books say, after whatever happened in
 * between: other works of the writer, other connections, batches that fail, a process that dies.
 */

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-working-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const which = fc.nat({ max: 7 });
const amount = fc.integer({ min: 0, max: 300 });
const OP = fc.oneof(
  { weight: 6, arbitrary: fc.record({ op: fc.constant("admit" as const), which, amount }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("extend" as const), which, amount }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("progress" as const), which, amount }) },
  { weight: 5, arbitrary: fc.record({ op: fc.constant("settle" as const), which, amount }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("void" as const), which, amount }) },
);
const STEP = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: fc.constant("batch" as const), ops: fc.array(OP, { maxLength: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("failing batch" as const), which, amount }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("credit" as const), which, amount }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("credit elsewhere" as const), which, amount }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("disable key elsewhere" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("key" as const), which, amount }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("status" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rule" as const), which, amount }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("limits" as const), which, amount }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("project" as const), which, amount }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("expire" as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("fold" as const) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("fold one account" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("die" as const) }) },
);
type Step = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never;
type Op = typeof OP extends fc.Arbitrary<infer Value> ? Value : never;

const NO_RULE = { value: "", rpm: null, tpm: null, concurrent: null, budget: null } as const;
const RULES: readonly AppliedRule[] = [
  { ...NO_RULE, rule: "account model acme/*", rpm: 200, budget: { amount_micro: micro(5000), window: "week" } },
  { ...NO_RULE, rule: "account tag team", value: "search", tpm: 9000, concurrent: 9 },
];

const TAG_RULE: AppliedRule = {
  ...NO_RULE,
  rule: "account tag customer",
  budget: { amount_micro: micro(3000), window: "day" },
};

/** An admission waits while another connection disables its key: its replay decides otherwise than was acknowledged. */
const CHANGED_UNDER_A_BATCH: Step[] = [
  { do: "batch", ops: [{ op: "admit", which: 0, amount: 29 }] },
  { do: "disable key elsewhere", which: 0 },
  { do: "batch", ops: [] },
];

test("working set and journal are what the books say, whatever comes between two batches", () => {
  let compared = 0;
  let failed = 0;
  let replayed = 0;
  let differed = 0;
  fc.assert(
    fc.property(fc.array(STEP, { minLength: 6, maxLength: 30 }), (steps) => {
      using scene = new Scene(join(folder, `${newId("node")}.db`));
      for (const step of steps) {
        scene.take(step);
        if (step.do === "fold") compared += scene.expectKept();
      }
      replayed += scene.expectReplay();
      compared += scene.expectKept();
      failed += scene.failed;
      // The charges here are any amounts, not what a usage costs.
      const findings = scene.books.run(audit()).findings.filter(({ check }) => check !== "price");
      // Where another connection changed rows under a batch that waited, the acknowledged decisions are kept and reported.
      expect(findings.filter(({ problem }) => !problem.startsWith("replay_differs"))).toEqual([]);
      if (!steps.some((step) => step.do.endsWith("elsewhere"))) expect(findings).toEqual([]);
      differed += findings.length;
      scene.expectAcknowledged();
    }),
    { numRuns: runs(50), examples: [[CHANGED_UNDER_A_BATCH]], endOnFailure: true, includeErrorInReport: true },
  );
  expect(compared).toBeGreaterThan(50);
  expect(failed).toBeGreaterThan(0);
  expect(replayed).toBeGreaterThan(0);
  expect(differed).toBeGreaterThan(0);
}, 60_000);

class Scene {
  books: SqliteBooks;
  /** Batches that failed. */
  failed = 0;
  readonly #path: string;
  readonly #dead: SqliteBooks[] = [];
  readonly #packer = new BatchPacker();
  readonly #unpacker = new BatchUnpacker();
  readonly #elsewhere: Database;
  readonly #keys: { id: string; account_id: string }[] = [];
  readonly #projects = new Map<string, string>();
  readonly #requests: string[] = [];
  /** The acknowledged charge of each request. */
  readonly #charged = new Map<string, number>();

  constructor(path: string) {
    this.#path = path;
    this.books = SqliteBooks.openWriter(path);
    this.#elsewhere = new Database(path, { readwrite: true, strict: true });
    for (const limits of [
      { rpm: 100, tpm: 10_000 },
      { budget: { amount_micro: micro(900), window: "day" as const } },
      { rpm: 50 },
    ]) {
      const account_id = newId("acct");
      this.books.run(createAccount({ id: account_id, email: `${account_id}@example.com`, name: "Test" }));
      this.#credit(account_id, 500);
      const project_id = newId("proj");
      const budget = { amount_micro: micro(400), window: "week" as const };
      this.books.run(
        createProject({ id: project_id, account_id, name: "team", limits: { ...NO_LIMITS, rpm: 40, budget } }),
      );
      this.#projects.set(account_id, project_id);
      this.#keys.push(this.books.run(createKey(newKey(account_id, limits))));
    }
  }

  [Symbol.dispose](): void {
    this.#elsewhere.close();
    this.books.close();
    for (const dead of this.#dead) dead.close();
  }

  take(step: Step): void {
    switch (step.do) {
      case "batch":
        this.#commit(step.ops.map((op) => this.#ledgerOp(op)));
        return;
      case "fold":
        return this.books.fold();
      case "fold one account":
        this.books.beginFold();
        return this.books.foldStep(1);
      case "die":
        // Its memory is lost; its connection does nothing more.
        this.#dead.push(this.books);
        this.books = SqliteBooks.openWriter(this.#path);
        return;
      case "failing batch": {
        const for_journal = {
          texts: "[]",
          get batch(): string {
            throw new Error("cannot be kept");
          },
        };
        const ops = this.#unpacked([this.#admit(step.which, step.amount), this.#settle(this.#request(0), 1)]).ops;
        try {
          // A batch that may wait is decided before it fails.
          this.books.commit({ ops, for_journal });
        } catch {
          this.failed += 1;
        }
        return;
      }
      case "credit":
        return this.#credit(this.#key(step.which).account_id, step.amount + 1);
      case "key":
        this.books.run(updateKey(this.#key(step.which).id, { rpm: step.amount, name: "changed" }));
        return;
      case "status": {
        const { account_id } = this.#key(step.which);
        this.books.run(setAccountStatus(account_id, step.which > 3 ? "disabled" : "active"));
        this.books.run(setKeyStatus(this.#key(step.which).id, "active"));
        return;
      }
      case "limits": {
        const { account_id } = this.#key(step.which);
        const windows = ["day", "week", "month"] as const;
        const budget = { amount_micro: micro(step.amount * 5), window: windows[step.which % 3] ?? "day" };
        const limits = { rpm: 1 + step.amount, tpm: 20_000, concurrent: 1 + (step.amount % 6), budget };
        this.books.run(setAccountLimits(account_id, { ...NO_LIMITS, ...(step.amount % 7 === 0 ? {} : limits) }));
        return;
      }
      case "project": {
        const { id, account_id } = this.#key(step.which);
        const project_id = step.amount % 3 === 0 ? null : (this.#projects.get(account_id) ?? null);
        this.books.run(updateKey(id, { project_id }));
        return;
      }
      case "rule":
        return this.#rule(this.#key(step.which).account_id, step.amount);
      case "credit elsewhere":
      case "disable key elsewhere":
      case "expire":
        return this.#takeElsewhere(step);
    }
  }

  #commit(ops: readonly LedgerOp[]): void {
    const { results } = this.books.commit(this.#unpacked(ops));
    for (const [at, result] of results.entries()) {
      const op = ops[at];
      if (op?.op !== "settle" || result.outcome !== "settled" || !("charge_micro" in result)) continue;
      // A settlement after a recovery is a correction beside the charge.
      if (result.late === true) continue;
      this.#charged.set(op.request_id, Number(result.charge_micro));
    }
  }

  /** Each charge that was acknowledged is booked, to the unit. */
  expectAcknowledged(): void {
    for (const [id, charge_micro] of this.#charged) {
      // The charge of a recovery, and the correction of the late end (docs/rulings.md 146).
      const late = "(SELECT difference_micro FROM late_settlements AS l WHERE l.request_id = requests.id)";
      const columns = `charge_micro + coalesce(${late}, 0) AS booked_micro`;
      const { booked_micro } = this.#row<{ booked_micro: unknown }>(columns, "requests", "id", id);
      expect(booked_micro).toBe(charge_micro);
    }
  }

  /** A batch in the form in which the main thread sends it, a text. */
  #unpacked(ops: readonly LedgerOp[]): Batch {
    const batch = JSON.stringify(this.#packer.pack(ops));
    const unpacked = this.#unpacker.unpack(JSON.parse(batch) as PackedBatch);
    return { ops: unpacked, for_journal: { texts: JSON.stringify(this.#unpacker.used), batch } };
  }

  #takeElsewhere(step: Extract<Step, { do: "credit elsewhere" | "disable key elsewhere" | "expire" }>): void {
    const { id, account_id } = this.#key(step.which);
    switch (step.do) {
      case "credit elsewhere":
        return this.#elsewhere.transaction(() => {
          this.#elsewhere.run(
            `UPDATE accounts SET balance_micro = balance_micro + ?1, posted_micro = posted_micro + ?1,
              entry_count = entry_count + 1 WHERE id = ?2`,
            [step.amount + 1, account_id],
          );
          this.#elsewhere.run(
            `INSERT INTO entries (account_id, seq, kind, amount_micro, posted_after_micro, note, actor, created_ms)
              SELECT id, entry_count, 'credit', ?1, posted_micro, '', 'test', 0 FROM accounts WHERE id = ?2`,
            [step.amount + 1, account_id],
          );
        })();
      case "disable key elsewhere":
        this.#elsewhere.run("UPDATE keys SET status = 'disabled' WHERE id = ?", [id]);
        return;
      case "expire": {
        const late = this.#request(step.which);
        this.#elsewhere.run("UPDATE requests SET deadline_ms = 1 WHERE id = ? AND status = 'held'", [late]);
        this.books.run(recoverUnowned("sqlite", { refused: [], abandoned: [late] }));
      }
    }
  }

  /**
   * Compares what the next process makes of the file as it is now with what this one makes of it. Returns how many batches
   * were in the journal.
   */
  expectReplay(): number {
    const copy = `${this.#path}-copy`;
    this.#elsewhere.run("VACUUM INTO ?", [copy]);
    using left = new Database(copy, { readonly: true });
    const [journal] = left.query("SELECT count(*) AS batches FROM journal").all() as { batches: number }[];
    SqliteBooks.openWriter(copy).close();
    this.books.fold();
    using replayed = new Database(copy, { readonly: true });
    for (const table of TABLES) {
      expect(rowsOf(replayed, table)).toEqual(rowsOf(this.#elsewhere, table));
    }
    return journal?.batches ?? 0;
  }

  /** Compares all that is kept with its rows. Returns how much that was. */
  expectKept(): number {
    // The next batch notices the rows that others wrote.
    this.#commit([]);
    this.books.fold();
    const { accounts, keys, requests, projects } = this.books.open.working;
    for (const project of projects.values())
      expect(project).toEqual(projectState(this.#row<ProjectRow>(PROJECT_COLUMNS, "projects", "id", project.id)));
    for (const account of accounts.values()) {
      const row = accountState(this.#row<AccountRow>(ACCOUNT_COLUMNS, "accounts", "id", account.id));
      expect(account).toEqual({ ...row, limits: row.has_limits ? this.#limits(account.id) : null });
    }
    for (const key of keys.values()) {
      const state = this.#row<KeyStateRow>(KEY_STATE_COLUMNS, "key_state", "key_id", key.id);
      expect(key).toEqual(keyState(this.#row<KeyRow>(KEY_COLUMNS, "keys", "id", key.id), state));
    }
    for (const request of requests.values()) {
      const row = requestState(this.#row<RequestStateRow>(REQUEST_STATE_COLUMNS, "requests", "id", request.id));
      expect(request).toEqual(row);
      expect(request.status).toBe("held");
    }
    return accounts.size + keys.size + requests.size + projects.size;
  }

  #limits(account_id: string): ReturnType<typeof accountLimitState> {
    return accountLimitState(this.#row(ACCOUNT_LIMIT_COLUMNS, "account_limits", "account_id", account_id));
  }

  #row<Row>(columns: string, table: string, by: string, id: string): Row {
    const found = this.#elsewhere.query<Row, string>(`SELECT ${columns} FROM ${table} WHERE ${by} = ?`).get(id);
    if (found === null) throw new Error(`${id} is kept, but not in ${table}`);
    return found;
  }

  #key(index: number): { id: string; account_id: string } {
    const key = this.#keys[index % this.#keys.length];
    if (!key) throw new Error("no keys");
    return key;
  }

  #request(index: number): string {
    return this.#requests.at(-1 - index) ?? "req_unknown";
  }

  #credit(account_id: string, amount: number): void {
    this.books.run(addEntry({ account_id, kind: "credit", amount_micro: micro(amount), note: "", actor: "test" }));
  }

  #rule(account_id: string, amount: number): void {
    if (amount < 100) {
      this.books.run(removeAutoTopUp(account_id));
      return;
    }
    const amounts = { threshold_micro: micro(100), amount_micro: micro(amount), month_limit_micro: micro(2 * amount) };
    this.books.run(setAutoTopUp({ account_id, ...amounts, updated_by: "test" }));
  }

  #ledgerOp({ op, which: index, amount: of }: Op): LedgerOp {
    const request_id = this.#request(index);
    switch (op) {
      case "admit": {
        const admit = this.#admit(index, of);
        this.#requests.push(admit.request_id);
        return admit;
      }
      case "extend":
        return { op, request_id, add_micro: micro(of) };
      case "progress":
        return { ...settleOp(request_id, { charge_micro: micro(of) }), op, ttl_ms: 60_000 };
      case "settle":
        return this.#settle(request_id, of);
      case "void":
        return { op, request_id, operator_loss_micro: micro(of), outcome: OUTCOME };
    }
  }

  #admit(index: number, hold: number): AdmitOp {
    const { id: key_id, account_id } = this.#key(index);
    const key_version = Number(this.#row<{ version: unknown }>("version", "keys", "id", key_id).version);
    const is_limited = index % 2 === 0;
    return {
      op: "admit",
      request_id: newId("req"),
      client_request_id: null,
      account_id,
      key_id,
      key_version,
      endpoint: "chat.completions",
      stream: false,
      requested_model: "acme/swift",
      model: "acme/swift",
      price: PRICE,
      hold_micro: micro(hold),
      bound_tokens: 50,
      rpm: is_limited ? 100 : null,
      tpm: is_limited ? 10_000 : null,
      concurrent: null,
      budget: is_limited ? null : { amount_micro: micro(900), window: "day" },
      node_id: "node_test",
      ttl_ms: 60_000,
      idempotency: hold % 10 === 5 ? { key: `key ${hold}`, fingerprint: "same" } : null,
      ...(hold % 3 === 1 && { rules: RULES.slice(0, 1 + (hold % 2)) }),
      ...(hold % 5 === 1 && { tag_rules: [{ ...TAG_RULE, value: `customer ${hold % 4}` }] }),
      ...(hold % 4 === 1 && { tags: JSON.stringify({ team: `team ${hold % 3}`, env: "prod" }) }),
    };
  }

  #settle(request_id: string, charge: number): SettleOp {
    // Some are answered by another model, at another price.
    const op = settleOp(request_id, { charge_micro: micro(charge) });
    return charge % 3 === 0 ? { ...op, model: "acme/other", price: { ...op.price, version: "p2" } } : op;
  }
}

/** The rows of a table without the columns that say when, and in which order, they were written. */
function rowsOf(database: Database, table: string): unknown[] {
  const order = table === "requests" ? " ORDER BY id" : "";
  const found = database.query<Record<string, unknown>, []>(`SELECT * FROM ${table}${order}`).all();
  if (table === "requests") for (const row of found) delete row.seq;
  if (table === "accounts") for (const row of found) delete row.folded_seq;
  return table === "requests" ? wholeRows(database, found) : found;
}

const TABLES = [
  "accounts",
  "keys",
  "key_state",
  "account_limits",
  "limit_counts",
  "projects",
  "usage_projects",
  "usage_tags",
  "request_tag_names",
  "request_tag_values",
  "requests",
  "entries",
  "usage_days",
  "idempotency",
  "auto_top_ups",
];
