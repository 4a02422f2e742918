import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PlainBooks } from "./plain-books.ts";

const folder = await mkdtemp(join(tmpdir(), "camino-plain-books-"));
afterAll(() => rm(folder, { recursive: true }));

test("hold and charge each call once, however many are booked at the same time", async () => {
  const path = join(folder, "books.db");
  const books = new PlainBooks(path);
  const ids = Array.from({ length: 50 }, (_, index) => `request-${index}`);
  const held = await Promise.all(ids.map((id) => books.book({ op: "hold", id, model: "whole", hold_micro: 1000 })));
  expect(held).toEqual(ids.map(() => true));
  await Promise.all(ids.map((id) => books.book({ op: "settle", id, charge_micro: 7, input: 3, output: 1 })));
  expect(await books.book({ op: "settle", id: "request-0", charge_micro: 7, input: 3, output: 1 })).toBe(false);
  expect(await books.book({ op: "hold", id: "more", model: "whole", hold_micro: 2_000_000_000_000 })).toBe(false);
  const db = new Database(path, { readonly: true });
  expect(db.query("SELECT balance, held FROM wallet").get()).toEqual({ balance: 1_000_000_000_000 - 350, held: 0 });
  expect(db.query("SELECT count(*) AS entries, sum(amount) AS sum FROM entries").get()).toEqual({
    entries: 50,
    sum: -350,
  });
  db.close();
});
