import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { SQL } from "bun";
import { Upkeep } from "../../../src/chores/upkeep.ts";
import { MS_PER_DAY } from "../../../src/core/clock.ts";
import { newId, randomBase62, requestIdsFrom } from "../../../src/core/ids.ts";
import type { Store } from "../../../src/core/store/ports.ts";
import { createLogs } from "../../../src/observe/log.ts";
import { Metrics } from "../../../src/observe/metrics.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { monthOf } from "../../../src/store/schema/request-partitions.ts";
import { pastTheLaws } from "../../../src/store/suite/audit.suite.ts";
import { type Customer, newCustomer } from "../../../src/store/suite/books.ts";
import { fill } from "../../fill/fill.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { drill } from "../../support/runs.ts";

/** Ended requests in parts by month, and what retention does with them (docs/adr/0057). */

setDefaultTimeout(120_000);

const EDGES = ["requests_early", "requests_other"];

let url: string;
let raw: SQL;
let stores: Store[];

beforeEach(async () => {
  url = await freshDatabase();
  raw = new SQL(url, { max: 1 });
  stores = [];
});

afterEach(async () => {
  await Promise.all([raw.close(), ...stores.map((store) => store.close())]);
});

async function open(node_id = newId("node")): Promise<Store> {
  const store = await openStore({ url, node_id });
  stores.push(store);
  return store;
}

async function customerOf(store: Store): Promise<Customer> {
  const node_id = newId("node");
  return await newCustomer({ store, node_id, execute, crash: never, close: never }, 1_000_000);
}

async function execute(text: string): Promise<readonly unknown[]> {
  return await raw.unsafe(text);
}

async function partNames(): Promise<string[]> {
  const found = await raw.unsafe<{ name: string }[]>(
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'requests_ended'::regclass ORDER BY 1",
  );
  return found.map(({ name }) => name);
}

/** The names of this month's part and of those that come so many months after it. */
function comingMonths(ahead: number): string[] {
  const names = [monthOf(Date.now())];
  for (let count = 0; count < ahead; count += 1) names.push(monthOf(names.at(-1)?.to_ms ?? 0));
  return names.map(({ name }) => name);
}

/** An id as a clock would have made it that showed this time. */
function idOf(time_ms: number): string {
  return requestIdsFrom(time_ms) + randomBase62(14);
}

async function endRequest(customer: Customer, request_id: string): Promise<void> {
  expect(await customer.hold({ request_id })).toBe(request_id);
  expect(await customer.settle(request_id)).toMatchObject({ outcome: "settled" });
}

async function placeOf(request_id: string): Promise<string | undefined> {
  const [found] = await raw.unsafe<{ name: string }[]>(
    "SELECT tableoid::regclass::text AS name FROM requests WHERE id = $1",
    [request_id],
  );
  return found?.name;
}

async function problemsOf(store: Store): Promise<readonly string[]> {
  return (await store.audit()).problems;
}

describe("months", () => {
  test("are made ahead by whoever starts, once each, also where nodes start and look at the same time", async () => {
    const [first, second] = await Promise.all([open(), open()]);
    const made = await Promise.all([first, second, first, second].map((store) => store.upkeep.makeMonths()));
    expect(made).toContain(true);
    expect(await first.upkeep.makeMonths()).toBe(true);
    expect(await partNames()).toEqual([...comingMonths(3), ...EDGES].sort());
  });

  test("have what was made in them; what a clock makes that is wrong by months, and an id without a time, have a place too", async () => {
    const store = await open();
    const customer = await customerOf(store);
    const [month, next = ""] = comingMonths(1);
    const end_ms = monthOf(Date.now()).to_ms;
    const places = {
      [newId("req")]: month,
      [idOf(end_ms - 1)]: month,
      [idOf(end_ms)]: next,
      [idOf(Date.now() - 100 * MS_PER_DAY)]: "requests_early",
      [idOf(Date.now() + 400 * MS_PER_DAY)]: "requests_other",
      [`req_zz${randomBase62(20)}`]: "requests_other",
    };
    const ids = Object.keys(places);
    for (const id of ids) await endRequest(customer, id);
    for (const id of ids) expect([id, await placeOf(id)]).toEqual([id, places[id]]);

    // They are found, listed in their order over all parts, and end once wherever they lie.
    const { accounts } = store;
    for (const id of ids)
      expect(await accounts.findRequest(customer.account.id, id)).toMatchObject({ status: "settled" });
    const all = await accounts.listRequests({ account_id: null, limit: 10 });
    expect(all.requests.map(({ id }) => id)).toEqual(ids.toSorted().toReversed());
    const own = await accounts.listRequests({ account_id: customer.account.id, limit: 10 });
    expect(own.requests.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const id of ids) expect(await customer.settle(id)).toMatchObject({ outcome: "already_ended" });
    for (const request_id of ids)
      await expect(customer.commit(customer.admitOp({ request_id }))).rejects.toThrow("ended already");
    expect(await problemsOf(store)).toEqual([]);
    expect(await customer.wallet()).toEqual({ balance: 1_000_000 - 40 * ids.length, held: 0 });
  });

  test("that nobody made in time take over what came meanwhile", async () => {
    const store = await open();
    const customer = await customerOf(store);
    const [, next = ""] = comingMonths(1);
    await execute(`DROP TABLE ${next}`);
    const id = idOf(monthOf(Date.now()).to_ms + MS_PER_DAY);
    await endRequest(customer, id);
    expect(await placeOf(id)).toBe("requests_other");
    expect(await store.upkeep.makeMonths()).toBe(true);
    expect(await placeOf(id)).toBe(next);
    expect(await problemsOf(store)).toEqual([]);
  });

  test("are made behind a long report at a later look, and calls go on meanwhile", async () => {
    const store = await open();
    const customer = await customerOf(store);
    const [, next = ""] = comingMonths(1);
    await execute(`DROP TABLE ${next}`);
    await endRequest(customer, newId("req"));
    await using reader = new SQL(url, { max: 1 });
    await reader.unsafe("BEGIN; SELECT count(*) FROM requests");
    const [made] = await Promise.all([store.upkeep.makeMonths(), endRequest(customer, newId("req"))]);
    expect(made).toBe(false);
    await reader.unsafe("COMMIT");
    expect(await store.upkeep.makeMonths()).toBe(true);
    expect(await partNames()).toContain(next);
  });
});

describe("retention", () => {
  const DAYS = 200;
  const kept_since_ms = Math.floor(Date.now() / MS_PER_DAY - 120) * MS_PER_DAY;
  /** Those that were over when the time began that is kept. */
  let past: string[];
  let store: Store;

  /** Some two hundred days of requests, in their months. */
  beforeEach(async () => {
    const options = {
      requests: 800,
      accounts: 5,
      days: DAYS,
      seed: 3,
      at_once: 200,
      in_two_steps: false,
      with_tags: false,
    };
    await fill({ ...options, database: url }, () => {});
    store = await open();
    const names = await partNames();
    past = names.filter((name) => /\d/.test(name) && name <= monthOf(kept_since_ms - 32 * MS_PER_DAY).name);
    expect(past.length).toBeGreaterThan(1);
  });

  /** As the upkeep does. Returns the months that were dropped. */
  async function dropMonths(upkeep = store.upkeep): Promise<string[]> {
    const dropped: string[] = [];
    for (let last_id = ""; ; ) {
      const noted = await upkeep.noteMonth(kept_since_ms, last_id);
      if (noted === null) return dropped;
      last_id = noted.last_id;
      if (noted.requests === 0 && (await upkeep.dropMonth(noted, kept_since_ms))) dropped.push(noted.month);
    }
  }

  async function oneOf(part: string): Promise<{ id: string; account_id: string }> {
    const [found] = await raw.unsafe<{ id: string; account_id: string }[]>(
      `SELECT id, account_id FROM ${part} WHERE charge_seq IS NOT NULL ORDER BY id LIMIT 1 OFFSET 5`,
    );
    if (found === undefined) throw new Error(`${part} is empty`);
    return found;
  }

  drill(
    "drops whole months beside calls; charges are found for ever, later requests stay, and the books are right",
    async () => {
      const [first = "", last = ""] = [past[0], past.at(-1)];
      const gone = [await oneOf(first), await oneOf(last)];
      const kept = await oneOf(monthOf(kept_since_ms).name);
      const customer = await customerOf(store);
      const done = new AbortController();
      const calls = (async () => {
        let count = 0;
        for (; !done.signal.aborted; count += 1) await endRequest(customer, newId("req"));
        return count;
      })();
      expect(await dropMonths()).toEqual(past);
      expect(await problemsOf(store)).toEqual([]);
      done.abort();
      expect(await calls).toBeGreaterThan(0);

      const left = await partNames();
      expect(left.filter((name) => past.includes(name))).toEqual([]);
      for (const { id, account_id } of gone) {
        expect(await store.accounts.findRequest(account_id, id)).toBeNull();
        expect(await store.accounts.findCharge(id)).toMatchObject({ request_id: id, kind: "charge" });
      }
      expect(await store.accounts.findRequest(kept.account_id, kept.id)).toMatchObject({ id: kept.id });
      // Nothing is left for the deletion by rows: the rest of the oldest month stays until all of it is past.
      expect(await store.upkeep.dropRequests(kept_since_ms)).toBe(0);
      expect(await dropMonths()).toEqual([]);
      expect(await problemsOf(store)).toEqual([]);
    },
  );

  drill("is the upkeep's, which makes what months are missing first", async () => {
    const [, , next = ""] = comingMonths(2);
    await execute(`DROP TABLE ${next}`);
    let now_ms = Date.now();
    const upkeep = new Upkeep({
      ...{ store, node_id: newId("node"), metrics: new Metrics(), every_ms: MS_PER_DAY, now_ms: () => now_ms },
      log: createLogs("silent", "stderr").log,
      settings: { audit_hour: null, request_days: 121, answer_bytes: 2 ** 30 },
    });
    await upkeep.look();
    expect(await partNames()).toContain(next);
    expect(await partNames()).toEqual(expect.arrayContaining(past));
    // What retention does is due a while after it was first looked for.
    now_ms += MS_PER_DAY;
    await upkeep.look();
    expect((await partNames()).filter((name) => past.includes(name))).toEqual([]);
    expect(await store.upkeep.readChore("retention")).toMatchObject({ ended_ms: expect.any(Number) });
    expect(await problemsOf(store)).toEqual([]);
  });

  drill("that was killed at any step goes on with the next, on another node too", async () => {
    const [month = ""] = past;
    const { id } = await oneOf(month);
    const noted = await store.upkeep.noteMonth(kept_since_ms, "");
    expect(noted).toMatchObject({ month });
    expect(await problemsOf(store)).toEqual([]);
    // Noted in part only, or by somebody else: nothing is dropped that is not noted to the end.
    expect(await store.upkeep.dropMonth({ month, last_id: id }, kept_since_ms)).toBe(false);
    expect(await partNames()).toContain(month);
    const other = await open();
    expect(await dropMonths(other.upkeep)).toEqual(past);
    expect(await store.upkeep.dropMonth({ month, last_id: "req_z" }, kept_since_ms)).toBe(false);
    expect(await problemsOf(other)).toEqual([]);
  });

  drill("leaves a month for later while a long report reads, and the batches behind it go on", async () => {
    const customer = await customerOf(store);
    const [month = ""] = past;
    const { id } = await oneOf(month);
    await using reader = new SQL(url, { max: 1 });
    await reader.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM requests");
    let noted = await store.upkeep.noteMonth(kept_since_ms, "");
    while (noted !== null && noted.requests > 0) noted = await store.upkeep.noteMonth(kept_since_ms, noted.last_id);
    if (noted === null) throw new Error("no month is past");
    const [dropped] = await Promise.all([
      store.upkeep.dropMonth(noted, kept_since_ms),
      endRequest(customer, newId("req")),
    ]);
    expect(dropped).toBe(false);
    // The report still finds what it began to read.
    expect(await reader.unsafe("SELECT 1 FROM requests WHERE id = $1", [id])).toHaveLength(1);
    await reader.unsafe("COMMIT");
    expect(await store.upkeep.dropMonth(noted, kept_since_ms)).toBe(true);
    expect(await partNames()).not.toContain(month);
    expect(await problemsOf(store)).toEqual([]);
  });

  drill("takes the past rows of a month that has a young one, and keeps the young one with its month", async () => {
    const [month = ""] = past;
    const young = await oneOf(month);
    // Some are noted already when it comes: the deletion by rows finds their notes.
    await store.upkeep.noteMonth(kept_since_ms, "");
    const now = Date.now();
    const by = `(SELECT ${now} - ended_ms FROM requests WHERE id = '${young.id}')`;
    await pastTheLaws({ store, execute }, [
      `UPDATE entries SET created_ms = created_ms + ${by} WHERE request_id = '${young.id}'`,
      `UPDATE requests SET created_ms = created_ms + ${by}, ended_ms = ended_ms + ${by} WHERE id = '${young.id}'`,
    ]);
    expect(await store.upkeep.dropMonth({ month, last_id: "req_z" }, kept_since_ms)).toBe(false);
    expect(await dropMonths()).toEqual(past.slice(1));
    while ((await store.upkeep.dropRequests(kept_since_ms)) > 0);
    expect([...(await raw.unsafe(`SELECT id FROM ${month}`))]).toEqual([{ id: young.id }]);
    expect(await store.accounts.findRequest(young.account_id, young.id)).toMatchObject({ id: young.id });
  });

  drill("of less than three months takes requests on their day, wherever they lie", async () => {
    const since_ms = Math.floor(Date.now() / MS_PER_DAY - 20) * MS_PER_DAY;
    while ((await store.upkeep.dropRequests(since_ms)) > 0);
    const [left] = await raw.unsafe<{ oldest: string }[]>("SELECT min(ended_ms) AS oldest FROM requests");
    expect(Number(left?.oldest)).toBeGreaterThanOrEqual(since_ms);
    expect(await problemsOf(store)).toEqual([]);
  });
});

async function never(): Promise<void> {
  throw new Error("not asked for");
}
