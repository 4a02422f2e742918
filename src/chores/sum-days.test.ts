import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MS_PER_DAY } from "../core/clock.ts";
import { newId } from "../core/ids.ts";
import type { SummedSpan, UpkeepStore } from "../core/operations/upkeep.ts";
import type { Store } from "../core/store/ports.ts";
import { createLogs } from "../observe/log.ts";
import { openStore } from "../store/open-store.ts";
import { newCustomer } from "../store/suite/books.ts";
import type { BackgroundChore } from "./background-chore.ts";
import { daySummer } from "./sum-days.ts";

const HOUR = 3_600_000;
/** The first day that is not over: a day is closed an hour after its end, so in the first hour of a day this is the day before. */
const OPEN_DAY = Math.floor((Date.now() - HOUR) / MS_PER_DAY);
/** Days with usage before the open one: enough for spans of four. */
const DAYS = 9;

interface Scene extends AsyncDisposable {
  readonly store: Store;
  readonly node_id: string;
  readonly raw: Database;
  /** The spans whose steps were taken, in this order. */
  readonly made: SummedSpan[];
  /** The log's warnings. */
  readonly warnings: string[];
  /** A summer of this database. `changed`: calls of its upkeep that do something else. */
  summer(
    changed?: Partial<UpkeepStore>,
    parts?: { readonly node_id?: string; readonly every_ms?: number },
  ): BackgroundChore;
}

/** A database with a customer whose usage of some days is over and not summed up. */
async function openScene(): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), "camino-sum-days-"));
  const path = join(folder, "camino.db");
  const node_id = newId("node");
  const store = await openStore({ url: `sqlite:${path}`, node_id });
  const unused = () => Promise.reject(new Error("not asked for here"));
  const { account, key } = await newCustomer({ store, node_id, execute: unused, crash: unused, close: unused }, 0);
  const raw = new Database(path);
  for (let day = OPEN_DAY - DAYS; day <= OPEN_DAY; day += 1) {
    raw.run("INSERT INTO usage_days (account_id, day, key_id, model, cost_micro) VALUES (?, ?, ?, 'a/b', 5)", [
      account.id,
      day,
      key.id,
    ]);
  }
  const made: SummedSpan[] = [];
  const warnings: string[] = [];
  const summers: BackgroundChore[] = [];
  const makeSums: UpkeepStore["makeSums"] = (span) => {
    made.push(span);
    return store.upkeep.makeSums(span);
  };
  const { log } = createLogs("silent", "stderr");
  log.warn = (...told: unknown[]) => void warnings.push(String(told[1]));
  const scene: Omit<Scene, typeof Symbol.asyncDispose> = {
    ...{ store, node_id, raw, made, warnings },
    summer(changed, parts) {
      const upkeep = { ...store.upkeep, makeSums, ...changed };
      const summer = daySummer({ store: { upkeep }, node_id, log, every_ms: HOUR, ...parts });
      summers.push(summer);
      return summer;
    },
  };
  const close = async (): Promise<void> => {
    for (const summer of summers) await summer.stop();
    raw.close();
    await store.close();
    await rm(folder, { recursive: true });
  };
  return { ...scene, [Symbol.asyncDispose]: close };
}

/** Sets the beats of all chores back: a node that still lived would have renewed them. */
function passTime({ raw }: Scene): void {
  raw.run(`UPDATE chores SET beat_ms = beat_ms - ${2 * HOUR}`);
}

test("days that are over are summed up once, and a second look finds nothing to do", async () => {
  await using scene = await openScene();
  const { store, made, warnings } = scene;
  const missing = await store.upkeep.closeDays();
  expect(missing.length).toBeGreaterThan(DAYS);
  const summer = scene.summer();
  await Promise.all([summer.run(), summer.run()]);
  expect(made).toEqual([...missing]);
  expect(await store.upkeep.closeDays()).toEqual([]);
  const chore = await store.upkeep.readChore("sums");
  expect(JSON.parse(chore?.result ?? "null")).toEqual({ steps: missing.length });

  await summer.run();
  expect(made).toHaveLength(missing.length);
  expect(await store.upkeep.readChore("sums")).toEqual(chore);
  expect(warnings).toEqual([]);
}, 60_000);

test("summing up begins by itself, and is tried again after a failure", async () => {
  await using scene = await openScene();
  const { store, made, warnings } = scene;
  const done = Promise.withResolvers<void>();
  let tries = 0;
  const summer = scene.summer(
    {
      makeSums(span) {
        tries += 1;
        made.push(span);
        if (tries !== 2) return store.upkeep.makeSums(span);
        passTime(scene);
        return Promise.reject(new Error("the database is away"));
      },
      async endChore(...args) {
        await store.upkeep.endChore(...args);
        done.resolve();
      },
    },
    { every_ms: 1 },
  );
  summer.start();
  await done.promise;
  await summer.stop();
  expect(await store.upkeep.closeDays()).toEqual([]);
  // The days that were summed up before the failure are not summed up again.
  const [first, failed, again] = made;
  expect(again).toEqual(failed);
  expect(made.slice(1)).not.toContainEqual(first);
  expect(warnings).toEqual(["days could not be summed up"]);
}, 60_000);

test("a stop waits for the step that runs and leaves the others, and whoever sums up next goes on from there", async () => {
  await using scene = await openScene();
  const { store, made, warnings } = scene;
  const missing = await store.upkeep.closeDays();
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const summer = scene.summer({
    async makeSums(span) {
      made.push(span);
      begun.resolve();
      await gate.promise;
      return await store.upkeep.makeSums(span);
    },
  });
  const summing = summer.run();
  await begun.promise;
  const stopping = summer.stop().then(() => "stopped");
  expect(await Promise.race([stopping, Promise.resolve("waits")])).toBe("waits");
  gate.resolve();
  await stopping;
  await summing;
  await summer.run();
  expect(made).toEqual(missing.slice(0, 1));
  expect(warnings).toEqual([]);
  expect(await store.upkeep.closeDays()).toEqual(missing.slice(1));

  passTime(scene);
  await scene.summer({}, { node_id: newId("node") }).run();
  expect(made).toEqual([...missing]);
  expect(await store.upkeep.closeDays()).toEqual([]);
}, 60_000);

test("of several nodes one sums up, the others leave it alone until it has died", async () => {
  await using scene = await openScene();
  const { store, node_id, made } = scene;
  await store.upkeep.openChore("sums", node_id);
  expect(await store.upkeep.claimChore("sums", node_id, Number.MAX_SAFE_INTEGER)).toBe(true);
  const other = scene.summer({}, { node_id: newId("node") });
  await other.run();
  expect(made).toEqual([]);
  passTime(scene);
  await other.run();
  expect(await store.upkeep.closeDays()).toEqual([]);
}, 60_000);
