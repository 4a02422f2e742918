import { expect, test } from "bun:test";
import { FairQueue } from "./fair-queue.ts";

/** Works that end when the test says so, and the order in which they began. */
function scene(most: { at_once: number; waiting: number; waiting_each: number }) {
  const turns = new FairQueue(most);
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (name: string): Promise<string | null> =>
    turns.run(name, async () => {
      began.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  const endOne = async (): Promise<void> => {
    ends.shift()?.();
    for (let tick = 0; tick < 10; tick++) await Promise.resolve();
  };
  return { ask, began, endOne };
}

test("a name with one waiting work gets its turn before the second of a name with many", async () => {
  const { ask, began, endOne } = scene({ at_once: 1, waiting: 20, waiting_each: 10 });
  const asked = [ask("flood"), ...Array.from({ length: 10 }, () => ask("flood")), ask("one"), ask("other")];
  for (let n = 0; n < asked.length; n++) await endOne();
  expect(began.slice(0, 5)).toEqual(["flood", "flood", "one", "other", "flood"]);
  expect((await Promise.all(asked)).filter((name) => name === "flood")).toHaveLength(11);
});

test("no more run at once than may, and no more wait than may, for one name and in all", async () => {
  const { ask, began, endOne } = scene({ at_once: 2, waiting: 5, waiting_each: 3 });
  const of_one = Array.from({ length: 8 }, () => ask("a"));
  const of_others = ["b", "c", "d"].map(ask);
  expect(began).toEqual(["a", "a"]);
  for (let n = 0; n < 10; n++) await endOne();
  expect(await Promise.all(of_one)).toEqual(["a", "a", "a", "a", "a", null, null, null]);
  expect(await Promise.all(of_others)).toEqual(["b", "c", null]);
});

test("a work that fails hands its place on", async () => {
  const turns = new FairQueue({ at_once: 1, waiting: 5, waiting_each: 5 });
  const fails = turns.run("a", () => Promise.reject(new Error("failed")));
  const next = turns.run("a", async () => "done");
  expect(await fails.catch((thrown: Error) => thrown.message)).toBe("failed");
  expect(await next).toBe("done");
  expect(await turns.run("b", async () => "at once")).toBe("at once");
});
