import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { copyFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beginStillMoment } from "./back-up.ts";

const folder = await mkdtemp(join(tmpdir(), "camino-still-moment-"));
afterAll(() => rmSync(folder, { recursive: true }));

const ROWS = 8;
const AT_ONCE = { tries: 1, pause_ms: 0 };
let made = 0;

/** A database in WAL mode with each row on a page of its own, all of them merged into the file, and three connections. */
function openDatabase() {
  made += 1;
  const path = join(folder, `${made}.db`);
  const writer = new Database(path);
  writer.run("PRAGMA journal_mode = WAL");
  writer.run("PRAGMA wal_autocheckpoint = 0");
  writer.run("CREATE TABLE pages (id INTEGER PRIMARY KEY, round INTEGER, filler TEXT)");
  for (let id = 0; id < ROWS; id += 1) writer.run("INSERT INTO pages VALUES (?, 0, ?)", [id, "x".repeat(3000)]);
  writer.run("PRAGMA wal_checkpoint(PASSIVE)");
  const [moment, merger] = [new Database(path), new Database(path)];
  return {
    path,
    writer,
    moment,
    merger,
    commit: (round: number, ids: string) => writer.run(`UPDATE pages SET round = ? WHERE id IN (${ids})`, [round]),
    [Symbol.dispose]: () => {
      for (const each of [moment, merger, writer]) each.close();
    },
  };
}

const roundsOf = (database: Database) =>
  database
    .query<{ round: number }, []>("SELECT round FROM pages ORDER BY id")
    .all()
    .map(({ round }) => round);

/** The rounds that the file has, without its log. */
function roundsOfFile(path: string): number[] {
  const copy = `${path}.copy`;
  copyFileSync(path, copy);
  using database = new Database(copy);
  return roundsOf(database);
}

/** The merger. `commit` is called before each merge. */
function committingBefore(merger: Database, commit: () => void): Database {
  return new Proxy(merger, {
    get(target, name) {
      if (name !== "prepare") {
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return (text: string) => {
        const prepared = target.prepare(text);
        const get = prepared.get.bind(prepared);
        return Object.assign(prepared, {
          get: () => {
            commit();
            return get();
          },
        });
      };
    },
  });
}

test("a merge up to a moment leaves out the pages that were changed once more since: the file is of no moment", () => {
  using database = openDatabase();
  const { path, moment, merger, commit } = database;
  commit(1, "0,1,2,3");
  moment.run("BEGIN");
  expect(roundsOf(moment)).toEqual([1, 1, 1, 1, 0, 0, 0, 0]);
  commit(2, "2,3");
  merger.query("SELECT 1 FROM sqlite_schema").get();
  expect(merger.query("PRAGMA wal_checkpoint(PASSIVE)").get()).toMatchObject({ busy: 0 });
  expect(roundsOfFile(path)).toEqual([1, 1, 0, 0, 0, 0, 0, 0]);
});

test("a commit between the moment and the merge makes another moment, until the file has all commits", async () => {
  using database = openDatabase();
  const { path, moment, merger, commit } = database;
  commit(1, "0,1,2,3,4,5,6,7");
  let round = 1;
  const interrupted = committingBefore(merger, () => {
    round += 1;
    if (round <= 4) commit(round, "2,3");
  });
  expect(await beginStillMoment(moment, interrupted, { tries: 10, pause_ms: 1 })).toBe(true);
  expect(round).toBe(5);
  const at_moment = [1, 1, 4, 4, 1, 1, 1, 1];
  expect(roundsOf(moment)).toEqual(at_moment);
  // It stays so while others commit and merge.
  commit(9, "0,2,7");
  database.writer.run("PRAGMA wal_checkpoint(PASSIVE)");
  expect(roundsOfFile(path)).toEqual(at_moment);
  expect(roundsOf(moment)).toEqual(at_moment);
});

test("a reader of an earlier moment keeps the file from standing still, and no transaction stays open", async () => {
  using database = openDatabase();
  const { path, moment, merger, commit } = database;
  commit(1, "0,1");
  using report = new Database(path);
  report.run("BEGIN");
  expect(roundsOf(report)).toEqual([1, 1, 0, 0, 0, 0, 0, 0]);
  commit(2, "1,2");
  expect(await beginStillMoment(moment, merger, AT_ONCE)).toBe(false);
  expect(moment.inTransaction).toBe(false);
  report.run("ROLLBACK");
  expect(await beginStillMoment(moment, merger, AT_ONCE)).toBe(true);
  expect(roundsOfFile(path)).toEqual([1, 2, 2, 0, 0, 0, 0, 0]);
});

test("a log that is merged already, or of which nothing is there, is a moment at once", async () => {
  using database = openDatabase();
  const { moment, merger } = database;
  expect(await beginStillMoment(moment, merger, AT_ONCE)).toBe(true);
  expect(moment.inTransaction).toBe(true);
});
