import { afterEach, beforeEach, expect, test } from "bun:test";
import { insertEach, sql } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";
import { SqliteDatabase } from "./sqlite-database.ts";

const create = sql("CREATE TABLE things (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL) STRICT");
const insert = insertEach("things", { id: "text" }, { constants: { kind: "'plain'" } });
const select = sql("SELECT seq, id, kind FROM things ORDER BY seq");

let database: SqliteDatabase;

beforeEach(() => {
  database = new SqliteDatabase(":memory:", "writer");
  database.run(rows(create));
});

afterEach(() => database.close());

function ids(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `thing ${at}`);
}

function* insertAll(all: readonly string[]): Work<void> {
  yield [{ statement: insert, params: all.map((id) => [id]) }];
}

// Around one and two of the statements that take 32 rows, and the rests that come row by row.
for (const count of [1, 31, 32, 33, 64, 70]) {
  test(`inserts ${count} rows, in their order`, () => {
    database.run(insertAll(ids(count)));
    const found = database.run(rows(select));
    expect(found).toEqual(ids(count).map((id, at) => ({ seq: at + 1, id, kind: "plain" })));
  });
}

for (const at of [3, 40, 69]) {
  test(`inserts none of 70 rows when the one at ${at} is refused`, () => {
    const all = ids(70);
    all[at] = "thing 0";
    expect(() => database.run(insertAll(all))).toThrow("UNIQUE constraint failed");
    expect(database.run(rows(select))).toEqual([]);
    database.run(insertAll(ids(70)));
    expect(database.run(rows(select))).toHaveLength(70);
  });
}
