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

/** Databases that were made by commits between versions, whose steps had the same numbers: none is opened, and none is changed. */

const MADE = `CREATE TABLE schema_migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL, compatible_from BIGINT NOT NULL,
    applied_ms BIGINT NOT NULL);
  INSERT INTO schema_migrations VALUES (1, 'accounts, keys, requests, entries', 1, 0), (33, 'keys that begin with the account', 16, 0)`;
const CHAIN = `CREATE TABLE commit_chain (one INTEGER PRIMARY KEY, history TEXT, seq INTEGER, digest TEXT, at_ms INTEGER, copied_ms INTEGER);
  INSERT INTO commit_chain VALUES (1, 'h', 3, '00', 5, NULL);
  CREATE TABLE journal (seq INTEGER PRIMARY KEY, at_ms INTEGER, digest TEXT);
  CREATE TABLE moved_to (one INTEGER PRIMARY KEY, target TEXT, moved_ms INTEGER)`;
const TOLD =
  "The database was made by a version of Camino that was never released, which this version neither starts on nor moves: " +
  "give it a new data directory or a new PostgreSQL database; this one stays as it is.";

/** The step has its number and its name, and made other tables. */
const OTHER_TEXT = "UPDATE schema_migrations SET fingerprint = 'of another text'; DROP TABLE refused_requests";
const OTHER_TABLE = `ALTER TABLE schema_migrations DROP COLUMN fingerprint`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-unreleased-"));
});
afterAll(() => rm(folder, { recursive: true }));

const nothing = (): void => {};

describe.each([
  ["with other names of steps", null],
  ["with another text of a step", OTHER_TEXT],
  ["without fingerprints of steps", OTHER_TABLE],
])("a file %s", (_, change) => {
  const path = (): string => join(folder, `${change?.length ?? 0}.db`);
  const tables = (): unknown[] => {
    using database = new Database(path(), { readonly: true });
    return database.query("SELECT name, sql FROM sqlite_schema ORDER BY name").values();
  };

  beforeAll(async () => {
    if (change !== null) await (await openStore({ url: `sqlite:${path()}`, node_id: "n" })).close();
    using database = new Database(path());
    database.run(change ?? `${MADE}; ${CHAIN}`);
  });

  test.each([
    ["a start", () => openStore({ url: `sqlite:${path()}`, node_id: "n" })],
    ["an audit", async () => (await openBooks(`sqlite:${path()}`))?.facts()],
    ["a backup", () => backUp(path(), join(folder, "copy.db"), nothing)],
    ["a restore", () => restore(path(), join(folder, "other.db"), { replace: false, onProgress: nothing })],
  ])("is refused by %s with one sentence", async (_, work) => {
    const before = tables();
    expect(String(await rejectionOf(work()))).toContain(TOLD);
    expect(tables()).toEqual(before);
  });
});

describe("a PostgreSQL database", () => {
  test.each([
    ["with other names of steps", null],
    ["with another text of a step", OTHER_TEXT],
    ["without fingerprints of steps", OTHER_TABLE],
  ])("%s is refused by a start and an audit with one sentence", async (_, change) => {
    const url = await freshDatabase();
    await using raw = new SQL(url, { max: 1 });
    if (change !== null) await (await openStore({ url, node_id: "n" })).close();
    await raw.unsafe(change ?? MADE);
    const tables = () => raw.unsafe("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1");
    const before = await tables();
    expect(String(await rejectionOf(openStore({ url, node_id: "n" })))).toContain(TOLD);
    expect(String(await rejectionOf(openBooks(url)))).toContain(TOLD);
    expect(await tables()).toEqual(before);
  });
});
