import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ReservedSQL, SQL } from "bun";
import fc from "fast-check";
import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { insertEach, lookup, sql } from "../sql/statement.ts";
import { step } from "../sql/work.ts";
import { rejectionOf } from "../suite/books.ts";
import { literal } from "./encode-values.ts";
import { Messages } from "./messages.ts";

const insertRows = insertEach("things", { id: "bigint", name: "text", body: "bytea" });
const findRows = lookup("SELECT id, name, body FROM things", { id: "bigint" });
const countRows = sql("SELECT count(*) AS things FROM things WHERE name <> ?");

describe("steps as one message", () => {
  let pool: SQL;
  let connection: ReservedSQL;
  const messages = new Messages();

  beforeAll(async () => {
    pool = new SQL(await freshDatabase(), { max: 1, connection: { standard_conforming_strings: "on" } });
    connection = await pool.reserve();
    await connection.unsafe("CREATE TABLE things (id BIGINT PRIMARY KEY, name TEXT, body BYTEA)");
  });
  afterAll(async () => {
    connection.release();
    await pool.close();
  });

  test("give each step its own rows, with its own columns", async () => {
    const body = new Uint8Array([0, 39, 92, 255]);
    const [inserted, found, none, counted] = await messages.send(connection, [
      step(insertRows, [
        [1, "it's", body],
        [2n ** 53n - 1n, null, null],
      ]),
      step(findRows, [[1], [2n ** 53n - 1n]]),
      step(findRows, []),
      step(countRows, ["'"]),
    ]);
    expect([...(inserted ?? [])]).toEqual([]);
    expect([...(found ?? [])]).toEqual([
      { id: "1", name: "it's", body: Buffer.from(body) },
      { id: "9007199254740991", name: null, body: null },
    ]);
    expect(none).toEqual([]);
    expect([...(counted ?? [])]).toEqual([{ things: "1" }]);
    const [alone] = await messages.send(connection, [step(countRows, ["x"])]);
    expect([...(alone ?? [])]).toEqual([{ things: "1" }]);
  });

  test("take place as far as the first that fails, and nothing behind it does, a COMMIT included", async () => {
    const twice = step(insertRows, [[1, "again", null]]);
    const behind = step(insertRows, [[77, "behind", null]]);
    const failed = await rejectionOf(
      messages.send(connection, [twice, behind], { before: ["BEGIN"], behind: ["COMMIT"] }),
    );
    expect(failed).toMatchObject({ errno: "23505" });
    await connection.unsafe("ROLLBACK");
    expect((await messages.send(connection, [step(findRows, [[77]])]))[0]).toHaveLength(0);
  });

  test("carry any text and any number unchanged", async () => {
    const texts = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0"));
    const tricky = fc.constantFrom("'", "''", "\\", "\\'", "';--", "$1", "$$", "\\x41", "a'b\\'c", "\u2028", "😀'");
    const echo = sql("SELECT CAST(? AS TEXT) AS text, CAST(? AS BIGINT) AS number");
    await fc.assert(
      fc.asyncProperty(fc.oneof(texts, tricky), fc.bigInt(-(2n ** 53n), 2n ** 53n), async (text, number) => {
        const [echoed, found] = await messages.send(connection, [
          step(echo, [text, number]),
          step(lookup("SELECT 1 AS one", { "CAST('' AS TEXT)": "text" }), [[text]]),
        ]);
        expect([...(echoed ?? [])]).toEqual([{ text, number: String(number) }]);
        expect(found).toHaveLength(text === "" ? 1 : 0);
      }),
      { numRuns: 100 },
    );
  });

  test("refuse a text that PostgreSQL cannot store, before anything is sent", () => {
    expect(() => literal("a\0b")).toThrow(StoreConflict);
  });

  test("are prepared anew where the session has lost them", async () => {
    await connection.unsafe("DEALLOCATE ALL");
    expect(await rejectionOf(messages.send(connection, [step(countRows, ["x"])]))).toMatchObject({ errno: "26000" });
    messages.forget();
    expect((await messages.send(connection, [step(countRows, ["x"])]))[0]).toHaveLength(1);
  });
});
