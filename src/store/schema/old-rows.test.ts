import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshDatabase } from "../../../test/support/postgres.ts";
import { openStore } from "../open-store.ts";
import { isSet, runAwaited, runNow, type Work } from "../sql/work.ts";
import { PRICE, rejectionOf, settleOp } from "../suite/books.ts";
import { MIGRATIONS, migrate } from "./migrate.ts";

/** A database as a program of schema version 14 left it. */
interface OldDatabase {
  readonly url: string;
  run(work: (dialect: "sqlite" | "postgres") => Work<unknown>): Promise<void>;
  execute(sql: string): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

async function oldSqlite(): Promise<OldDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "camino-old-rows-"));
  const path = join(folder, "camino.db");
  const database = new Database(path, { strict: true });
  return {
    url: `sqlite:${path}`,
    run: async (work) => {
      runNow(work("sqlite"), (step) => {
        if (isSet(step)) throw new Error("not asked for");
        return database.prepare(step.statement.sqlite).all(...(step.params as string[]));
      });
    },
    execute: async (sql) => database.prepare(sql).all(),
    close: async () => {
      database.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function oldPostgres(): Promise<OldDatabase> {
  const url = await freshDatabase();
  const sql = new SQL(url, { max: 1 });
  return {
    url,
    run: async (work) => {
      await runAwaited(work("postgres"), (step) => sql.unsafe(step.statement.postgres, [...step.params] as string[]));
    },
    execute: (text) => sql.unsafe(text),
    close: () => sql.close(),
  };
}

const CREATED_MS = Date.now() - 3_600_000;
const DAY = Math.floor((CREATED_MS + 30) / 86_400_000);
const ATTEMPT = {
  vendor: "acme",
  upstream_model: "swift-1",
  status: 200,
  error: null,
  first_byte_ms: 4,
  duration_ms: 9,
};

/** Rows as programs of version 14 wrote them: a charged request, a voided one, and one that runs. */
const OLD_ROWS: readonly string[] = [
  `INSERT INTO accounts (id, email, email_key, name, status, created_ms, balance_micro, held_micro, posted_micro, entry_count)
    VALUES ('acct_1', 'a@b.c', 'a@b.c', 'A', 'active', 1, 860, 100, 960, 2)`,
  `INSERT INTO keys (id, account_id, name, hash, hint, status, aliases, prefix_aliases, created_ms, version)
    VALUES ('key_1', 'acct_1', 'K', 'h', 'x', 'active', '[]', '[]', 1, 1)`,
  `INSERT INTO key_state (key_id, open_count, held_micro, spent_micro) VALUES ('key_1', 1, 100, 0)`,
  request("req_charged", "'settled', 40, 10, 0, 0, 15, 0, 1", ATTEMPT),
  request("req_voided", "'voided', 0, NULL, NULL, NULL, NULL, NULL, 0", { ...ATTEMPT, error: "provider_error" }),
  request("req_running", "'held', 0, NULL, NULL, NULL, NULL, NULL, 0", null),
  `INSERT INTO entries (account_id, seq, kind, amount_micro, posted_after_micro, request_id, note, actor, created_ms)
    VALUES ('acct_1', 1, 'credit', 1000, 1000, NULL, '', 'test', 1)`,
  `INSERT INTO entries (account_id, seq, kind, amount_micro, posted_after_micro, request_id, note, actor, created_ms)
    VALUES ('acct_1', 2, 'charge', -40, 960, 'req_charged', '', 'gateway', ${CREATED_MS + 30})`,
  `INSERT INTO usage_days (account_id, day, key_id, model, cost_micro, prompt_tokens, completion_tokens, ended_count, success_count)
    VALUES ('acct_1', ${DAY}, 'key_1', 'acme/swift', 40, 10, 15, 2, 1)`,
];

function request(id: string, end: string, attempt: object | null): string {
  const ended = attempt === null ? "NULL, NULL, NULL, NULL" : `${CREATED_MS + 30}, 1, 4, 30`;
  return `INSERT INTO requests (id, account_id, key_id, endpoint, requested_model, model, price, node_id, created_ms, deadline_ms,
      hold_micro, bound_tokens, attempts, status, charge_micro, input_tokens, cache_read_tokens, cache_write_tokens,
      output_tokens, reasoning_tokens, success, ended_ms, queue_ms, first_byte_ms, duration_ms)
    VALUES ('${id}', 'acct_1', 'key_1', 'messages', 'fast', 'acme/swift', '${JSON.stringify(PRICE)}', 'node_old',
      ${CREATED_MS}, ${CREATED_MS + 36_000_000}, 100, 50, '${JSON.stringify(attempt === null ? [] : [attempt])}', ${end}, ${ended})`;
}

describe("a database with rows of earlier programs", () => {
  for (const kind of ["sqlite", "postgres"] as const) {
    test(`on ${kind} shows, audits, ends and deletes them as its own`, async () => {
      const old = await (kind === "sqlite" ? oldSqlite() : oldPostgres());
      const earlier = MIGRATIONS.filter(({ version }) => version < 15);
      await old.run((dialect) => migrate(dialect, earlier));
      for (const row of OLD_ROWS) await old.execute(row);

      const store = await openStore({ url: old.url, node_id: "node_new" });
      const { accounts, ledger, upkeep } = store;
      const charged = {
        status: "settled",
        price: PRICE,
        attempts: [ATTEMPT],
        requested_model: "fast",
        endpoint: "messages",
      };
      expect(await accounts.findRequest("acct_1", "req_charged")).toMatchObject(charged);
      expect(await accounts.findCharge("req_charged")).toMatchObject({ amount_micro: -40n, actor: "gateway" });
      expect(await accounts.findRequest("acct_1", "req_voided")).toMatchObject({ status: "voided" });
      const { requests } = await accounts.listRequests({ account_id: "acct_1", model: "acme/swift", limit: 9 });
      expect(requests).toHaveLength(3);

      // On PostgreSQL the node that admitted it may still run; a SQLite file's earlier owner is gone.
      const [ended] = await ledger.commit([settleOp("req_running")]);
      expect(ended).toMatchObject({ outcome: "settled", charge_micro: 40n, ...(kind === "sqlite" && { late: true }) });
      expect(await accounts.findAccount("acct_1")).toMatchObject({ balance_micro: 920n, held_micro: 0n });
      expect((await store.audit()).problems).toEqual([]);
      const again = "('acct_1', 4, 'charge', -1, 919, 'req_charged', '', 'gateway', 1)";
      const columns = "account_id, seq, kind, amount_micro, posted_after_micro, request_id, note, actor, created_ms";
      expect(await rejectionOf(old.execute(`INSERT INTO entries (${columns}) VALUES ${again}`))).toBeInstanceOf(Error);

      while ((await upkeep.dropRequests(Date.now() + 86_400_000)) > 0);
      expect(await accounts.findRequest("acct_1", "req_charged")).toBeNull();
      expect(await accounts.findCharge("req_charged")).toMatchObject({ amount_micro: -40n });
      await store.close();
      await old.close();
    }, 90_000);
  }
});
