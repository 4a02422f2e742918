import { expect, test } from "bun:test";
import { KeyChanges } from "./key-changes.ts";

test("keys are asked about when something has changed since they were read, or is being changed", async () => {
  let now_ms = 10;
  const changes = new KeyChanges(() => now_ms);
  const asked: string[][] = [];
  const among = async (...as_of: number[]) => {
    const known = as_of.map((as_of_ms, at) => ({ id: `key_${at}`, version: 1, as_of_ms }));
    return await changes.among(known, async (doubtful) => {
      asked.push(doubtful.map(({ id }) => id));
      return ["key_0"];
    });
  };
  expect(await among(1, 2)).toEqual([]);
  const change = Promise.withResolvers<number>();
  const changed = changes.during(change.promise);
  expect(await among(5, 20)).toEqual(["key_0"]);
  now_ms = 30;
  change.resolve(7);
  expect(await changed).toBe(7);
  expect(await among(29, 31)).toEqual(["key_0"]);
  expect(await among(31, 32)).toEqual([]);
  now_ms = 40;
  await changes.during(Promise.reject(new Error("refused"))).catch(() => {});
  expect(await among(40, 41)).toEqual(["key_0"]);
  expect(asked).toEqual([["key_0", "key_1"], ["key_0"], ["key_0"]]);
});
