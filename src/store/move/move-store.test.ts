import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { faultyProxy } from "../../../proofs/support/faulty-proxy.ts";
import { type FilledFile, fillFile, HASH } from "../../../proofs/support/filled-file.ts";
import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { drill } from "../../../proofs/support/runs.ts";
import { newId } from "../../core/ids.ts";
import { openBooks } from "../open-books.ts";
import { openStore } from "../open-store.ts";
import { migrate } from "../schema/migrate.ts";
import { runAwaited } from "../sql/work.ts";
import { acceptLoss } from "../sqlite/incidents-of-file.ts";
import { Customer, newCustomer, rejectionOf } from "../suite/books.ts";
import { NOTE } from "../suite/people.ts";
import { moveStore, type StoreMoveOptions } from "./move-store.ts";
import { LEFT, MOVED } from "./tables.ts";

const folder = await mkdtemp(join(tmpdir(), "camino-move-"));
afterAll(() => rm(folder, { recursive: true }));

let filled: FilledFile;
beforeAll(async () => {
  filled = await fillFile(join(folder, "filled.db"));
}, 60_000);

let copies = 0;

/** A file like the filled one: its holds are still open. */
function copyOfFilled(): string {
  const path = join(folder, `copy-${++copies}.db`);
  for (const end of ["", "-wal", ".anchor"])
    if (existsSync(filled.path + end)) copyFileSync(filled.path + end, path + end);
  return path;
}

/** Files that are the same byte by byte, and have no open holds: a move commits nothing in them before it has come to its end. */
async function twins(): Promise<readonly [string, string]> {
  const one = copyOfFilled();
  await (await openStore({ url: `sqlite:${one}`, node_id: newId("node") })).close();
  const other = join(folder, `copy-${++copies}.db`);
  for (const end of ["", "-wal", ".anchor"]) if (existsSync(one + end)) copyFileSync(one + end, other + end);
  return [one, other];
}

const move = (options: StoreMoveOptions): Promise<string | undefined> =>
  rejectionOf(moveStore(options)).then((thrown) => (thrown instanceof Error ? thrown.message : undefined));

/** The problems that `camino doctor` reports of a database. */
async function lacksOf(url: string): Promise<readonly string[] | undefined> {
  const books = await openBooks(url);
  const facts = await books?.facts();
  await books?.close();
  return facts?.lacks;
}

type Rows = Record<string, readonly string[]>;

/** Rows with the column that only PostgreSQL has. */
const READ_OF_FILE: Readonly<Record<string, string>> = {
  key_state: "SELECT s.*, k.account_id AS key_account_id FROM key_state AS s JOIN keys AS k ON k.id = s.key_id",
};

/** All rows of a file as texts, by table, read past the code that is tested. */
function rowsOfFile(path: string): Rows {
  using file = new Database(path, { readonly: true, safeIntegers: true });
  const names = file.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const tables = names.map(({ name }) => name).filter((name) => !(name in LEFT));
  return Object.fromEntries(
    tables.map((name) => [
      name,
      texts(file.query(READ_OF_FILE[name] ?? `SELECT * FROM ${name}`).all() as Record<string, unknown>[]),
    ]),
  );
}

async function rowsOfServer(url: string): Promise<Rows> {
  const sql = new SQL(url, { max: 1 });
  const names: { name: string }[] = await sql.unsafe(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  const rows: Record<string, string[]> = {};
  for (const { name } of names) if (!(name in LEFT)) rows[name] = texts(await sql.unsafe(`SELECT * FROM ${name}`));
  await sql.close();
  return rows;
}

/** Rows without the column that only a file has, their columns by name. */
function texts(rows: readonly Record<string, unknown>[]): string[] {
  const text = (value: unknown): unknown =>
    value instanceof Uint8Array
      ? value.toHex()
      : typeof value === "bigint" || typeof value === "number"
        ? String(value)
        : value;
  const lines = rows.map(({ folded_seq, ...row }) =>
    JSON.stringify(
      Object.keys(row)
        .toSorted()
        .map((name) => [name, text(row[name])]),
    ),
  );
  return lines.toSorted();
}

describe("a move of the embedded database to PostgreSQL", () => {
  for (const size of [undefined, { rows: 3, bytes: 1000 }, { rows: 1, bytes: 1 }]) {
    (size === undefined ? test : drill)(
      `copies every row of every table, with chunks of ${size?.rows ?? "many"}`,
      async () => {
        const [from, to] = [copyOfFilled(), await freshDatabase()];
        const moved = await moveStore({ from, to, ...(size !== undefined && { size }) });
        const expected = rowsOfFile(from);
        expect(Object.entries(expected).filter(([, rows]) => rows.length === 0)).toEqual([]);
        expect(await rowsOfServer(to)).toEqual(expected);
        expect(moved).toMatchObject({ was_complete: false, problems: [], accounts: expected.accounts?.length });
        expect(moved.tables).toEqual(Object.fromEntries(MOVED.map(({ name }) => [name, expected[name]?.length ?? -1])));
      },
      60_000,
    );
  }

  test("has a rule for every table of both schemas, and for every column", async () => {
    const to = await freshDatabase();
    const sql = new SQL(to, { max: 1 });
    await runAwaited(migrate("postgres"), ({ statement, params }) => sql.unsafe(statement.postgres, [...params]));
    await sql.close();
    const known = MOVED.map(({ name }) => name).toSorted();
    expect(Object.keys(rowsOfFile(filled.path)).toSorted()).toEqual(known);
    expect(Object.keys(await rowsOfServer(to)).toSorted()).toEqual(known);
  }, 30_000);

  test("ends the holds that the file's gateway left, and the new database goes on with its wallets, keys and laws", async () => {
    const [from, to] = [copyOfFilled(), await freshDatabase()];
    await moveStore({ from, to });
    const node_id = newId("node");
    const store = await openStore({ url: to, node_id });
    const account = await store.accounts.findAccount(filled.customer.account.id);
    expect(Number(account?.held_micro)).toBe(0);
    const key = await store.accounts.findKeyByHash(HASH);
    expect(key).toMatchObject({ id: filled.customer.key.id, account_id: account?.id });

    const unused = (): Promise<never> => Promise.reject(new Error("not here"));
    const database = { store, node_id, execute: unused, crash: unused, close: unused };
    const customer = new Customer(database, filled.customer.account, filled.customer.key);
    const before = await customer.wallet();
    await customer.settle(await customer.hold({ model: "acme/never-seen" }));
    expect(await customer.wallet()).toEqual({ balance: before.balance - 40, held: 0 });
    expect(await customer.admit({ idempotency: { key: "kept", fingerprint: "f" } })).toMatchObject({
      outcome: "replay",
    });
    await (await newCustomer(database, 5)).credit(5);
    const change = { object: { kind: "key", id: null }, account_id: null, before: null, after: null };
    await store.users.addAuditEntry({ ...NOTE, ...change });
    expect((await store.audit()).problems).toEqual([]);

    const sql = new SQL(to, { max: 1 });
    const bad = `('${account?.id}', 900, 'credit', 1, 1, NULL, '', 'test', 1)`;
    const columns = "account_id, seq, kind, amount_micro, posted_after_micro, request_id, note, actor, created_ms";
    const refused = await rejectionOf(sql.unsafe(`INSERT INTO entries (${columns}) VALUES ${bad}`));
    expect(String(refused)).toContain("the sums of entries must chain");
    for (const table of [
      "incidents (at_ms, kind, detail) VALUES (1, 'unproven', '')",
      "texts (digest, text) VALUES ('another', 'another')",
    ]) {
      await sql.unsafe(`INSERT INTO ${table}`);
    }
    await sql.close();
    await store.close();
  }, 60_000);
});

/** Runs a move in a process of its own and kills it when it has reported this many steps. Returns whether it came to its end. */
async function killedAfter(steps: number, from: string, to: string): Promise<boolean> {
  const program = join(import.meta.dir, "../../../proofs/support/moving-process.ts");
  const child = Bun.spawn([process.execPath, program, from, to, "3"], { stdout: "pipe", stderr: "pipe" });
  let told = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    told += decoder.decode(chunk, { stream: true });
    if (told.split("\n").length > steps) child.kill("SIGKILL");
  }
  const status = await child.exited;
  if (status !== 0 && child.signalCode !== "SIGKILL") throw new Error(await child.stderr.text());
  return status === 0;
}

describe("a move that is stopped", () => {
  drill(
    "goes on where it was, however often it is killed, and doubles no row",
    async () => {
      const [from, to] = [copyOfFilled(), await freshDatabase()];
      let runs = 1;
      // Before it copies anything, a run reports the check of texts and the rows that are there already.
      while (!(await killedAfter(4 + 9 * runs, from, to))) runs += 1;
      expect(runs).toBeGreaterThan(3);
      expect(await rowsOfServer(to)).toEqual(rowsOfFile(from));
    },
    120_000,
  );

  test("leaves a file that is served as before, and a database that no gateway starts on", async () => {
    const [from, to] = [copyOfFilled(), await freshDatabase()];
    expect(await killedAfter(12, from, to)).toBe(false);
    const started = await rejectionOf(openStore({ url: to, node_id: newId("node") }));
    expect(String(started)).toContain("run `camino migrate-store` to its end");
    expect(await lacksOf(to)).toEqual([expect.stringContaining("not all of it is there yet")]);
    const store = await openStore({ url: `sqlite:${from}`, node_id: newId("node") });
    await store.accounts.createAccount({ id: newId("acct"), email: "late@example.com", name: "" });
    await store.close();
    // The copied rows may be old now.
    expect(await move({ from, to })).toMatch(/was used since its move to .* began \(commit \d+ then, \d+ now\)/);
    const fresh = await freshDatabase();
    expect(await move({ from, to: fresh })).toBeUndefined();
    expect(await rowsOfServer(fresh)).toEqual(rowsOfFile(from));
  }, 60_000);

  drill(
    "goes on when its connection was lost at a commit, which takes place later nevertheless",
    async () => {
      const [from, direct] = [copyOfFilled(), await freshDatabase()];
      const { port } = new URL(direct);
      await using proxy = await faultyProxy(Number(port));
      const to = direct.replace(`:${port}/`, `:${proxy.port}/`);
      const cuts: Promise<() => void>[] = [];
      const onProgress = (step: string, done: number, of: number): void => {
        if (step === "copying" && done > of / 2 && cuts.length === 0) cuts.push(proxy.cutAt("COMMIT"));
      };
      const size = { rows: 3, bytes: 1000 };
      expect(await move({ from, to, onProgress, size })).toMatch(
        /^The copy to .* stopped: .* What is copied stays: run this/,
      );
      // It waits for the row that the transaction has changed.
      const again = move({ from, to, size });
      const commit = await cuts[0];
      await Bun.sleep(200);
      commit?.();
      expect(await again).toBeUndefined();
      expect(await rowsOfServer(to)).toEqual(rowsOfFile(from));
    },
    60_000,
  );

  drill(
    "is marked as ended by the next run where it was killed before it could mark the file",
    async () => {
      const [twin, from] = await twins();
      const to = await freshDatabase();
      await moveStore({ from: twin, to });
      const node = await openStore({ url: to, node_id: newId("node") });
      expect(await moveStore({ from, to })).toMatchObject({ was_complete: true });
      await node.close();
      expect(await move({ from, to })).toMatch(/was moved to postgres .* on 20/);
    },
    60_000,
  );
});

describe("a move is refused", () => {
  test("where a gateway serves the file, or another move reads it", async () => {
    const [from, to] = [copyOfFilled(), await freshDatabase()];
    const store = await openStore({ url: `sqlite:${from}`, node_id: newId("node") });
    expect(await move({ from, to })).toContain("is in use: a gateway serves it, or another move reads it");
    await store.close();
    const other = await freshDatabase();
    const seconds: Promise<string | undefined>[] = [];
    const onProgress = (): void => {
      if (seconds.length === 0) seconds.push(move({ from, to: other }));
    };
    expect(await move({ from, to, onProgress, size: { rows: 1, bytes: 1 } })).toBeUndefined();
    expect(await seconds[0]).toContain("is in use: a gateway serves it, or another move reads it");
  }, 60_000);

  test("where the file has moved; a gateway starts on it only when its operator accepts what it lacks", async () => {
    const [from, to] = [copyOfFilled(), await freshDatabase()];
    await moveStore({ from, to });
    expect(await move({ from, to: await freshDatabase() })).toMatch(
      /was moved to postgres 127\.0\.0\.1:\d+\/test_\d+ on 20/,
    );
    const started = await rejectionOf(openStore({ url: `sqlite:${from}`, node_id: newId("node") }));
    expect(String(started)).toContain("Start the gateway with CAMINO_DATABASE_URL set to that database");
    expect(await lacksOf(to)).toEqual([]);
    expect(await lacksOf(`sqlite:${from}`)).toEqual([expect.stringContaining("was moved to")]);
    expect(acceptLoss(from)).toEqual([expect.stringContaining("was moved to")]);
    const store = await openStore({ url: `sqlite:${from}`, node_id: newId("node") });
    expect((await store.audit()).problems).toEqual([expect.stringMatching(/^incident \d+: log_lost .* was moved to/)]);
    await store.close();
  }, 60_000);

  test("where the new database has rows, is another file's, or has a gateway", async () => {
    const [from, to] = [copyOfFilled(), await freshDatabase()];
    const store = await openStore({ url: to, node_id: newId("node") });
    expect(await move({ from, to })).toMatch(/A gateway runs on postgres .*, or did a minute ago/);
    await store.accounts.createAccount({ id: newId("acct"), email: "ann@example.com", name: "" });
    await store.close();
    expect(await move({ from, to })).toMatch(/is not empty: it has rows in accounts\. Name a database/);

    const other = join(folder, "other.db");
    const one = await openStore({ url: `sqlite:${other}`, node_id: newId("node") });
    await one.accounts.createAccount({ id: newId("acct"), email: "bo@example.com", name: "" });
    await one.close();
    const fresh = await freshDatabase();
    await killedAfter(12, from, fresh);
    expect(await move({ from: other, to: fresh })).toContain("is filled from another database");
  }, 60_000);

  drill(
    "where two copies of the file are moved to one database at once: one of them comes to its end",
    async () => {
      const to = await freshDatabase();
      const size = { rows: 1, bytes: 1 };
      const files = await twins();
      const both = await Promise.all(files.map((from) => move({ from, to, size })));
      expect(both.filter((told) => told === undefined)).toHaveLength(1);
      const at = both.indexOf(undefined);
      expect(both[1 - at]).toContain("Another `camino migrate-store` fills");
      expect(await rowsOfServer(to)).toEqual(rowsOfFile(files[at] ?? ""));
    },
    60_000,
  );

  test("where there is no database of Camino's, and nothing is written there", async () => {
    const to = await freshDatabase();
    expect(await move({ from: join(folder, "nowhere.db"), to })).toContain("There is no database at");
    const [empty, text, foreign] = [join(folder, "empty.db"), join(folder, "text.db"), join(folder, "foreign.db")];
    await Bun.write(empty, "");
    await Bun.write(text, "this is no database, and long enough to be read as the head of such a file".repeat(20));
    const file = new Database(foreign);
    file.run("CREATE TABLE notes (text TEXT)");
    file.close(true);
    for (const from of [empty, text, foreign]) {
      const before = await Bun.file(from).bytes();
      expect(await move({ from, to })).toBe(`${from} is no database of Camino's.`);
      expect(await Bun.file(from).bytes()).toEqual(before);
    }
  }, 30_000);

  test("where a text has a NUL character, whose place it names; where asked to, it replaces the character", async () => {
    const [from, to] = [copyOfFilled(), await freshDatabase()];
    const file = new Database(from);
    file.run("UPDATE accounts SET name = 'a' || char(0) || 'b' WHERE id = ?", [filled.customer.account.id]);
    file.close(true);
    const told = await move({ from, to });
    expect(told).toContain(`there is one in name of accounts id "${filled.customer.account.id}".`);
    expect(told).toContain("With --replace-nul");
    const raw = new Database(from);
    raw.run("INSERT INTO tries (bucket, count, resets_ms) VALUES ('k' || char(0), 1, 1)");
    expect(await move({ from, to, replaces_nul: true })).toMatch(
      /one in bucket of tries bucket "k\\u0000"\. It is a part of the row's key/,
    );
    raw.run("DELETE FROM tries WHERE count = 1 AND resets_ms = 1");
    raw.close(true);
    expect(await move({ from, to, replaces_nul: true })).toBeUndefined();
    const store = await openStore({ url: to, node_id: newId("node") });
    expect((await store.accounts.findAccount(filled.customer.account.id))?.name).toBe("a\uFFFDb");
    await store.close();
  }, 60_000);
});

const TAMPERED: readonly { readonly what: string; readonly sql: string; readonly told: RegExp }[] = [
  {
    what: "a value",
    sql: "UPDATE keys SET name = 'other' WHERE hash = 'HASH'",
    told: /keys id "key_.*" differs in name/,
  },
  {
    what: "a row that is missing",
    sql: "DELETE FROM tries",
    told: /tries bucket "bucket" is missing in the new database/,
  },
  {
    what: "a row too many",
    sql: "INSERT INTO marks (name, value) VALUES ('zz', 1)",
    told: /marks name "zz" is in the new database alone/,
  },
  {
    what: "bytes",
    sql: "UPDATE idempotency SET body = 'x'::bytea WHERE key = 'kept'",
    told: /idempotency .* differs in body/,
  },
];

describe("a difference after the copy", () => {
  for (const { what, sql: text, told } of TAMPERED) {
    (what === "a value" ? test : drill)(
      `is told, and neither database is taken for the other: ${what}`,
      async () => {
        const [from, to] = [copyOfFilled(), await freshDatabase()];
        const onProgress = (step: string, done: number, of: number): void => {
          if (step === "copying" && done === of) throw new Error("stopped when all is copied");
        };
        expect(await move({ from, to, onProgress })).toContain("stopped when all is copied");
        const sql = new SQL(to, { max: 1 });
        await sql.unsafe(text.replace("HASH", HASH));
        expect(await move({ from, to })).toMatch(told);
        await sql.close();
        expect(await rejectionOf(openStore({ url: to, node_id: newId("node") }))).toBeInstanceOf(Error);
        await (await openStore({ url: `sqlite:${from}`, node_id: newId("node") })).close();
      },
      60_000,
    );
  }
});
