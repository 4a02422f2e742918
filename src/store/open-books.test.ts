import { describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { freshDatabase } from "../../proofs/support/postgres.ts";
import { newId } from "../core/ids.ts";
import { openBooks } from "./open-books.ts";
import { openStore } from "./open-store.ts";
import { NEWEST_VERSION } from "./schema/migrate.ts";
import { newCustomer, rejectionOf, type TestDatabase } from "./suite/books.ts";

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "camino-books-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The files of a folder with their contents. */
async function contents(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder)).toSorted();
  const hash = async (name: string) => Bun.hash(await Bun.file(join(folder, name)).bytes()).toString();
  return new Map(await Promise.all(names.map(async (name) => [name, await hash(name)] as const)));
}

async function withCalls(url: string, work: (database: TestDatabase) => Promise<void>): Promise<void> {
  const node_id = newId("node");
  const store = await openStore({ url, node_id });
  const unused = () => Promise.reject(new Error("not asked for here"));
  const database: TestDatabase = { store, node_id, execute: unused, crash: unused, close: unused };
  try {
    const customer = await newCustomer(database, 1000);
    await customer.hold();
    await customer.settle(await customer.hold());
    await work(database);
  } finally {
    await store.close();
  }
}

describe("a SQLite file that is looked at", () => {
  test("is told to be missing, and is not made", () =>
    inFolder(async (folder) => {
      expect(await openBooks(`sqlite:${join(folder, "none.db")}`)).toBeNull();
      expect(await readdir(folder)).toEqual([]);
    }));

  test("is read beside the gateway that owns it, with open holds", () =>
    inFolder(async (folder) => {
      const url = `sqlite:${join(folder, "camino.db")}`;
      await withCalls(url, async ({ store }) => {
        await store.state();
        const books = await openBooks(url);
        expect(await books?.facts()).toMatchObject({
          schema_version: NEWEST_VERSION,
          known_version: NEWEST_VERSION,
          needed_version: NEWEST_VERSION,
          engine: expect.stringMatching(/^SQLite 3/),
          lacks: [],
        });
        expect(await books?.audit()).toMatchObject({ accounts: 1, entries: 2, requests: 2, problems: [] });
        const [account] = await store.accounts.listAccounts();
        expect(await books?.findAccountId(account?.email ?? "")).toBe(account?.id ?? "");
        await books?.close();
        expect((await store.state()).open_holds.count).toBe(1);
      });
    }));

  test("is not changed, and its open holds are not ended", () =>
    inFolder(async (folder) => {
      const url = `sqlite:${join(folder, "camino.db")}`;
      await withCalls(url, () => Promise.resolve());
      const before = await contents(folder);
      const books = await openBooks(url);
      expect((await books?.audit())?.problems).toEqual([]);
      await books?.close();
      const after = await contents(folder);
      expect(after.get("camino.db")).toBe(before.get("camino.db") ?? "");
      // The log's files may come and go; what they have is nothing.
      const log = Bun.file(join(folder, "camino.db-wal"));
      expect((await log.exists()) ? log.size : 0).toBe(0);
    }));

  test("that is empty gets no tables", () =>
    inFolder(async (folder) => {
      await Bun.write(join(folder, "camino.db"), "");
      const books = await openBooks(`sqlite:${join(folder, "camino.db")}`);
      expect(await books?.facts()).toMatchObject({
        schema_version: 0,
        known_version: NEWEST_VERSION,
        needed_version: 0,
      });
      await books?.close();
      expect(Bun.file(join(folder, "camino.db")).size).toBe(0);
    }));

  test("that is none is refused with a sentence", () =>
    inFolder(async (folder) => {
      await Bun.write(
        join(folder, "camino.db"),
        "this is no database at all, and longer than a header of a hundred bytes ".repeat(3),
      );
      const url = `sqlite:${join(folder, "camino.db")}`;
      const refusal = await rejectionOf(openBooks(url).then((books) => books?.facts()));
      expect(String(refusal)).toContain("not a database");
    }));
});

describe("a PostgreSQL database that is looked at", () => {
  test("gets no tables where it has none, and is audited beside its gateways where it has", async () => {
    const url = await freshDatabase();
    const empty = await openBooks(url);
    expect(await empty?.facts()).toMatchObject({
      schema_version: 0,
      engine: expect.stringMatching(/^PostgreSQL/),
      lacks: [],
    });
    await empty?.close();
    const raw = new SQL(url, { max: 1 });
    expect(await raw.unsafe("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).toHaveLength(0);
    await withCalls(url, async () => {
      const books = await openBooks(url);
      expect(await books?.audit()).toMatchObject({ accounts: 1, entries: 2, requests: 2, problems: [] });
      await books?.close();
    });
    await raw.close();
  });

  test("tells what its user may not do", async () => {
    const url = await freshDatabase();
    await withCalls(url, () => Promise.resolve());
    const raw = new SQL(url, { max: 1 });
    const name = `looker_${newId("key").slice(-8).toLowerCase()}`;
    await raw.unsafe(`CREATE ROLE ${name} LOGIN`);
    await raw.unsafe("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    await raw.unsafe(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${name}`);
    await raw.close();
    const books = await openBooks(url.replace("postgres@", `${name}@`));
    const { lacks } = (await books?.facts()) ?? { lacks: [] };
    const reasons = ["may not make tables", "does not own requests_ended", "entries"];
    expect(lacks).toEqual(reasons.map((reason) => expect.stringContaining(reason)));
    expect((await books?.audit())?.problems).toEqual([]);
    await books?.close();
  });
});
