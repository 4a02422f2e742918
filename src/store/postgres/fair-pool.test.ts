import { expect, test } from "bun:test";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { rejectionOf } from "../suite/books.ts";
import { FairPool } from "./fair-pool.ts";

const DEADLINE_MS = 40;

test("each item has one borrower at a time, in the order in which they ask", async () => {
  const pool = new FairPool(["one", "two"], 60_000);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const borrowers = [0, 1, 2, 3].map((number) =>
    pool.use((item) => {
      begun.push(number);
      return new Promise<string>((resolve) => ends.push(() => resolve(`${number} ${item}`)));
    }),
  );
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  expect(await borrowers[1]).toBe("1 two");
  await Bun.sleep(0);
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.();
  ends[2]?.();
  expect(await borrowers[2]).toBe("2 two");
  while (ends.length < 4) await Bun.sleep(0);
  ends[3]?.();
  expect((await Promise.all(borrowers)).map((each) => each.slice(0, 1))).toEqual(["0", "1", "2", "3"]);
});

test("who gets no turn while nothing comes back is told that nothing happened, and the item goes on to the next", async () => {
  const pool = new FairPool(["one"], DEADLINE_MS);
  const held = Promise.withResolvers<void>();
  const holder = pool.use(() => held.promise);
  const refused = await rejectionOf(pool.use(() => Promise.resolve("never")));
  expect(refused).toMatchObject({ trouble: "busy", nothing_happened: true });
  held.resolve();
  await holder;
  expect(await pool.use((item) => Promise.resolve(item))).toBe("one");
});

test("an item whose connection was lost rests, and is lent again", async () => {
  const pool = new FairPool(["one"], 60_000);
  const lost = new StoreUnavailable("unreachable", "gone", { nothing_happened: false });
  for (let time = 0; time < 3; time += 1) expect(await rejectionOf(pool.use(() => Promise.reject(lost)))).toBe(lost);
  expect(await pool.use((item) => Promise.resolve(item))).toBe("one");
});
