import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { openBooks } from "../open-books.ts";
import { openStore } from "../open-store.ts";
import { backUp } from "../sqlite/back-up.ts";
import { restore } from "../sqlite/restore.ts";
import { rejectionOf } from "../suite/books.ts";

/** Databases that were made by commits before 1.0, whose steps had the same numbers: none is opened, and none is changed. */

const MADE = `CREATE TABLE schema_migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL, compatible_from BIGINT NOT NULL,
    applied_ms BIGINT NOT NULL);
  INSERT INTO schema_migrations VALUES (1, 'accounts, keys, requests, entries', 1, 0), (33, 'keys that begin with the account', 16, 0)`;
const CHAIN = `CREATE TABLE commit_chain (one INTEGER PRIMARY KEY, history TEXT, seq INTEGER, digest TEXT, at_ms INTEGER, copied_ms INTEGER);
  INSERT INTO commit_chain VALUES (1, 'h', 3, '00', 5, NULL);
  CREATE TABLE journal (seq INTEGER PRIMARY KEY, at_ms INTEGER, digest TEXT);
  CREATE TABLE moved_to (one INTEGER PRIMARY KEY, target TEXT, moved_ms INTEGER)`;
const TOLD =
  "The database was made by a version of Camino from before 1.0, which this version neither starts on nor moves: " +
  "give it a new data directory or a new PostgreSQL database; this one stays as it is.";

let folder: string;
let path: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-unreleased-"));
  path = join(folder, "camino.db");
  using database = new Database(path);
  database.run(MADE);
  database.run(CHAIN);
});
afterAll(() => rm(folder, { recursive: true }));

const nothing = (): void => {};

describe("a file from before 1.0", () => {
  test.each([
    ["a start", () => openStore({ url: `sqlite:${path}`, node_id: "n" })],
    ["an audit", async () => (await openBooks(`sqlite:${path}`))?.facts()],
    ["a backup", () => backUp(path, join(folder, "copy.db"), nothing)],
    ["a restore", () => restore(path, join(folder, "other.db"), { replace: false, onProgress: nothing })],
  ])("is refused by %s with one sentence", async (_, work) => {
    expect(String(await rejectionOf(work()))).toContain(TOLD);
    using database = new Database(path, { readonly: true });
    const tables = database.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").values().flat();
    expect(tables).toEqual(["commit_chain", "journal", "moved_to", "schema_migrations"]);
  });
});

describe("a PostgreSQL database from before 1.0", () => {
  test("is refused by a start and an audit with one sentence", async () => {
    const url = await freshDatabase();
    await using raw = new SQL(url, { max: 1 });
    await raw.unsafe(MADE);
    expect(String(await rejectionOf(openStore({ url, node_id: "n" })))).toContain(TOLD);
    expect(String(await rejectionOf(openBooks(url)))).toContain(TOLD);
    expect(await raw.unsafe("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).toHaveLength(1);
  });
});
