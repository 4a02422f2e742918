import { describe, expect, test } from "bun:test";
import { deleteEach, insertEach, lookup, sql, updateEach } from "./statement.ts";

describe("a statement", () => {
  test("numbers its placeholders for PostgreSQL, and locks rows there only", () => {
    expect(sql("SELECT a FROM t WHERE b = ? AND c = ? {lock}")).toEqual({
      sqlite: "SELECT a FROM t WHERE b = ? AND c = ? ",
      postgres: "SELECT a FROM t WHERE b = $1 AND c = $2 FOR NO KEY UPDATE",
      set: null,
    });
  });

  const ROWS = "jsonb_array_elements($1::text::jsonb)";
  const cases = [
    {
      what: "looks many rows up",
      made: lookup("SELECT a FROM t", { b: "text", c: "bigint" }),
      sqlite: "SELECT a FROM t WHERE b = ? AND c = ?",
      postgres: `SELECT a FROM t WHERE (b, c) IN (SELECT (v->>0)::text, (v->>1)::bigint FROM ${ROWS} AS v)`,
    },
    {
      what: "inserts many rows, in their order",
      made: insertEach("t", { a: "text", b: "bytea" }, { conflict: "(a) DO NOTHING", constants: { c: "'x'" } }),
      sqlite: "INSERT INTO t (a, b, c) VALUES (?, ?, 'x') ON CONFLICT (a) DO NOTHING",
      postgres:
        "INSERT INTO t (a, b, c) SELECT (v->>0)::text, decode(v->>1, 'base64'), 'x' " +
        `FROM ${ROWS} WITH ORDINALITY AS r(v, n) ORDER BY n ON CONFLICT (a) DO NOTHING`,
    },
    {
      what: "updates many rows",
      made: updateEach("t", { a: "text" }, { b: "bigint" }),
      sqlite: "UPDATE t SET a = ? WHERE b = ?",
      postgres: `UPDATE t AS t SET a = (v->>0)::text FROM ${ROWS} AS v WHERE t.b = (v->>1)::bigint`,
    },
    {
      what: "updates many rows of one kind, some columns to expressions and to the same in all",
      made: updateEach(
        "t",
        { a: "text", b: { type: "text", as: "nullif(b, $)" } },
        { c: "bigint" },
        { constants: { d: "0" }, only: ["e", "'x'"] },
      ),
      sqlite: "UPDATE t SET a = ?, b = nullif(b, ?), d = 0 WHERE c = ? AND e = 'x'",
      postgres:
        "UPDATE t AS t SET a = (v->>0)::text, b = nullif(b, (v->>1)::text), d = 0 " +
        `FROM ${ROWS} AS v WHERE t.c = (v->>2)::bigint AND e = 'x'`,
    },
    {
      what: "deletes many rows",
      made: deleteEach("t", { a: "text", b: "text" }),
      sqlite: "DELETE FROM t WHERE a = ? AND b = ?",
      postgres: `DELETE FROM t WHERE (a, b) IN (SELECT (v->>0)::text, (v->>1)::text FROM ${ROWS} AS v)`,
    },
  ];
  for (const { what, made, sqlite, postgres } of cases) {
    test(`that ${what} runs once per row on SQLite and once per batch on PostgreSQL`, () => {
      expect(made).toMatchObject({ sqlite, postgres });
    });
  }
});
