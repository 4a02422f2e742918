import { expect, test } from "bun:test";
import { BackgroundChore } from "./background-chore.ts";

const HOUR = 3_600_000;

test("a chore is done from time to time, also after it has failed", async () => {
  const third = Promise.withResolvers<void>();
  const failures: unknown[] = [];
  let runs = 0;
  const chore = new BackgroundChore({
    every_ms: 1,
    async work() {
      runs += 1;
      if (runs === 1) throw new Error("the database is away");
      if (runs === 3) third.resolve();
    },
    onFailure: (thrown) => void failures.push(thrown),
  });
  chore.start();
  await third.promise;
  await chore.stop();
  expect(failures).toEqual([new Error("the database is away")]);
});

test("a chore that fails before it waits for anything is done again", async () => {
  const failures: unknown[] = [];
  let runs = 0;
  const chore = new BackgroundChore({
    every_ms: HOUR,
    work() {
      runs += 1;
      throw new Error(`failure ${runs}`);
    },
    onFailure: (thrown) => void failures.push(thrown),
  });
  await chore.run();
  await chore.run();
  expect(failures).toEqual([new Error("failure 1"), new Error("failure 2")]);
});

test("a chore that is asked for while it runs is not done twice, and whoever asked waits for it", async () => {
  const gate = Promise.withResolvers<void>();
  let runs = 0;
  const chore = new BackgroundChore({
    every_ms: HOUR,
    async work() {
      runs += 1;
      await gate.promise;
    },
    onFailure: (thrown) => expect(thrown).toBeNull(),
  });
  const both = [chore.run(), chore.run()];
  expect(runs).toBe(1);
  gate.resolve();
  await Promise.all(both);
  await chore.run();
  expect(runs).toBe(2);
});

test("a stop waits for the step that runs, ends the work at its next rest without a failure, and nothing begins after it", async () => {
  const gate = Promise.withResolvers<void>();
  const done: string[] = [];
  const chore = new BackgroundChore({
    every_ms: HOUR,
    async work() {
      done.push("begun");
      await gate.promise;
      done.push("step");
      await chore.rest(0);
      done.push("next step");
    },
    onFailure: (thrown) => void done.push(`failed: ${thrown}`),
  });
  void chore.run();
  const stopping = chore.stop().then(() => done.push("stopped"));
  gate.resolve();
  await stopping;
  await chore.run();
  expect(done).toEqual(["begun", "step", "stopped"]);
});
