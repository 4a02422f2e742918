import { describe, expect, test } from "bun:test";
import { MS_PER_DAY } from "../../core/clock.ts";
import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import { micro } from "../../core/money/money.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import type { TrafficQuery } from "../../core/operations/traffic.ts";
import type { SummedSpan } from "../../core/operations/upkeep.ts";
import type { UsageRow } from "../../core/store/ports.ts";
import { USAGE } from "../accounts/usage-sums.ts";
import { pastTheLaws } from "./audit.suite.ts";
import { type Customer, newCustomer, newKey, type TestDatabase } from "./books.ts";
import { spendOn, TODAY } from "./explore.suite.ts";
import { type Compared, comparedFor, DAYS, usageReports } from "./sums-reports.ts";

const HOURS = 24;
const FIRST = TODAY - DAYS;
/** Long enough for a day within spans of several sizes. */
const FEW_DAYS = 40;

/** Reports on all accounts out of sums of days that are over (docs/design/reports.md): they say what the days' rows add up to. */
export function sumsSuite(database: () => TestDatabase, histories: number): void {
  describe("sums of days", () => {
    usageTests(database, comparedFor(histories));
    changeTests(database);
    trafficTests(database);
    clockTests(database);
  });
}

/** Usage of a day, key and model, the calls that carried a tag of their own among it. */
interface Used {
  readonly account_id: string;
  readonly day: number;
  readonly key_id: string;
  readonly model: string;
  readonly cost: number;
}

const COUNTS = "cost_micro, prompt_tokens, completion_tokens, ended_count, success_count";

/** On every second day a call carried a value of its own, which on some days is also the one of another key. */
function carriedOf({ account_id, day, key_id, model, cost }: Used): string[] {
  if (day % 2 === 0) return [];
  const value = day % 3 === 0 ? "red" : "carried";
  return [`('${account_id}', 'sums-team', ${day}, '${value}', '${key_id}', '${model}', '', ${cost - 7}, 5, 3, 1, 1)`];
}

/**
 * Three customers with two keys, and usage of three models on days here and there. Of a customer's keys the first has a value of the tag
 * `sums-team`, the second has none; some requests carried values themselves.
 */
async function usedFor(days: number, database: TestDatabase): Promise<Customer[]> {
  const since = TODAY - days;
  const customers: Customer[] = [];
  for (let at = 0; at < 3; at += 1) {
    const customer = await newCustomer(database, 0);
    const { id: second } = await database.store.accounts.createKey(newKey(customer.account.id));
    const rows: string[] = [];
    const carried: string[] = [];
    for (let day = since; day <= TODAY; day += 1 + ((day + at) % 3)) {
      for (const [no, key] of [customer.key.id, second].entries()) {
        const model = `long/${(day + no + at) % 3}`;
        const cost = 1000 * (at + 1) + 10 * (day - since) + no;
        rows.push(`('${customer.account.id}', ${day}, '${key}', '${model}', ${cost}, ${cost * 2}, ${cost * 3}, 3, 2)`);
        carried.push(...carriedOf({ account_id: customer.account.id, day, key_id: key, model, cost }));
      }
    }
    await database.execute(
      `INSERT INTO usage_days (account_id, day, key_id, model, ${COUNTS}) VALUES ${rows.join(", ")}`,
    );
    await database.execute(
      `INSERT INTO usage_tags (account_id, name, day, value, key_id, model, project_id, ${COUNTS}) VALUES ${carried.join(", ")}`,
    );
    await database.store.accounts.updateKey(customer.key.id, { tags: { "sums-team": at === 0 ? "red" : "blue" } });
    customers.push(customer);
  }
  return customers;
}

/** Removes the request and its counts, so that the books match their requests. */
async function forget(database: TestDatabase, customers: readonly Customer[]): Promise<void> {
  for (const { account } of customers) {
    for (const table of ["usage_days", "usage_tags", "traffic_key_days", "traffic_account_days"]) {
      await database.execute(`DELETE FROM ${table} WHERE account_id = '${account.id}'`);
    }
  }
}

/** Makes all sums that are missing. Returns which they were. */
async function sumUp({ store }: TestDatabase, accounts = 100_000): Promise<readonly SummedSpan[]> {
  const spans = await store.upkeep.closeDays();
  for (const span of spans) while (await store.upkeep.makeSums(span, accounts));
  expect(await store.upkeep.closeDays()).toEqual([]);
  return spans;
}

async function notSummed(database: TestDatabase): Promise<void> {
  await database.execute("DELETE FROM summed_spans");
  await database.execute("DELETE FROM closed_days");
}

function costOf(reports: readonly { readonly group: string; readonly cost_micro: bigint }[], group: string): number {
  return Number(reports.find((each) => each.group === group)?.cost_micro ?? 0);
}

async function spentBy({ account, database }: Customer): Promise<number> {
  const report = await database.store.accounts.usageReport({
    account_id: null,
    since: null,
    until: null,
    by: "account",
  });
  return costOf(report, account.id);
}

function byTag({ store }: TestDatabase, account_id: string | null = null): Promise<UsageRow[]> {
  return store.accounts.usageReport({ account_id, since: null, until: null, by: "tag", tag: "sums-team" });
}

function usageTests(database: () => TestDatabase, compared: Compared): void {
  test("say of all accounts what the days' rows say, whatever is asked for", async () => {
    const customers = await usedFor(DAYS, database());
    const [customer] = customers as [Customer];
    await notSummed(database());
    const from_rows = await usageReports(database(), customer, compared);
    const spans = await sumUp(database());
    for (const size of [1, 4, 16, 64]) expect(spans.map((span) => span.size)).toContain(size);
    expect(await usageReports(database(), customer, compared)).toEqual(from_rows);
    expect(await sumUp(database())).toEqual([]);

    // They are what was read: what is wrong in them is wrong in the reports, and the audit finds it.
    const spent = await spentBy(customer);
    const from_tags = await byTag(database());
    expect(from_tags.map(({ group }) => group)).toEqual(["", "blue", "carried", "red"]);
    const of_each = (await Promise.all(customers.map(({ account }) => byTag(database(), account.id)))).flat();
    for (const { group: value, ...sums } of from_tags.slice(1))
      expect(sums).toEqual(USAGE.total(of_each.filter(({ group }) => group === value)));
    await database().execute(
      `UPDATE usage_key_sums SET cost_micro = cost_micro + 1 WHERE account_id = '${customer.account.id}'`,
    );
    expect(costOf(await byTag(database()), "blue")).toBe(costOf(from_tags, "blue"));
    expect(costOf(await byTag(database()), "red")).toBeGreaterThan(costOf(from_tags, "red"));
    await database().execute("UPDATE usage_model_sums SET ended_count = ended_count + 1 WHERE model = 'long/2'");
    expect(await spentBy(customer)).toBeGreaterThan(spent);
    const found = ofSums((await database().store.audit()).findings);
    expect(found).toContainEqual(expect.objectContaining({ place: expect.objectContaining({ model: "long/2" }) }));
    expect(found).toContainEqual(
      expect.objectContaining({
        place: expect.objectContaining({ account_id: customer.account.id, key_id: customer.key.id }),
        remedy: "Rebuild the counters: camino audit --rebuild usage.",
      }),
    );

    // A rebuild of the counters forgets them, and they are made anew.
    while (await isAnySummed(database())) {
      const { id: account_id } = (await newCustomer(database(), 0)).account;
      await database().store.rebuildUsage({ account_id, after: null, for_ms: 60_000 });
    }
    expect(await spentBy(customer)).toBe(spent);
    await sumUp(database());
    expect(await usageReports(database(), customer, compared)).toEqual(from_rows);
    expect(ofSums((await database().store.audit()).findings)).toEqual([]);
    await forget(database(), customers);
  }, 180_000);
}

/** Of several databases one by one, as each rebuild is of an account that one of them has. */
async function isAnySummed({ execute }: TestDatabase): Promise<boolean> {
  return (await execute("SELECT 1 AS is_summed FROM summed_spans WHERE kind = 'usage' LIMIT 1")).length > 0;
}

function ofSums(findings: readonly AuditFinding[]): AuditFinding[] {
  return findings.filter(({ problem }) => problem.startsWith("the sums of "));
}

function changeTests(database: () => TestDatabase): void {
  test("are read no more where a day has changed since, and are made again for its spans alone", async () => {
    const customers = await usedFor(FEW_DAYS, database());
    const [customer] = customers as [Customer];
    await sumUp(database());
    const spent = await spentBy(customer);
    await spendOn(customer, TODAY - 20, [{ model: "long/late", cost: 7 }]);
    expect(await spentBy(customer)).toBe(spent + 7);
    const again = await sumUp(database());
    expect(again.filter(({ kind }) => kind === "usage").length).toBeLessThanOrEqual(5);
    for (const { first_day, size } of again) {
      expect(first_day <= TODAY - 20 && first_day + size > TODAY - 20).toBe(true);
    }
    expect(await spentBy(customer)).toBe(spent + 7);
    await database().execute(
      `DELETE FROM usage_days WHERE account_id = '${customer.account.id}' AND model = 'long/late'`,
    );
    expect(await spentBy(customer)).toBe(spent);
    await sumUp(database());
    expect(await spentBy(customer)).toBe(spent);
    await forget(database(), customers);
  }, 180_000);

  test("begin again where a day changes while they are being made", async () => {
    const customers = await usedFor(FEW_DAYS, database());
    const [customer] = customers as [Customer];
    await sumUp(database());
    const { upkeep } = database().store;
    const spent = await spentBy(customer);
    const day = TODAY - 33;
    await spendOn(customer, day, [{ model: "long/first", cost: 5 }]);
    const [span] = await upkeep.closeDays();
    expect(span).toMatchObject({ kind: "usage", size: 1, first_day: day });
    if (span === undefined) return;
    expect(await upkeep.makeSums(span, 1)).toBe(true);
    for (const each of customers) await spendOn(each, day, [{ model: "long/between", cost: 11 }]);
    expect(await upkeep.makeSums(span, 1)).toBe(true);
    while (await upkeep.makeSums(span, 1));
    await sumUp(database(), 2);
    expect(await spentBy(customer)).toBe(spent + 16);
    expect(ofSums((await database().store.audit()).findings)).toEqual([]);
    await forget(database(), customers);
  }, 180_000);

  test("have an end that came late to a day that was summed up", async () => {
    const customer = await newCustomer(database(), 1000);
    const request_id = await customer.hold();
    await customer.progress(request_id, 15, { input_tokens: 10, output_tokens: 5 });
    await database().execute(`UPDATE requests SET deadline_ms = 1 WHERE id = '${request_id}'`);
    await database().store.ledger.sweep(database().node_id);
    const moveBy = (days: number): Promise<void> => {
      const by_ms = days * MS_PER_DAY;
      return pastTheLaws(database(), [
        `UPDATE requests SET created_ms = created_ms + ${by_ms}, ended_ms = ended_ms + ${by_ms} WHERE id = '${request_id}'`,
        `UPDATE usage_days SET day = day + ${days} WHERE account_id = '${customer.account.id}'`,
      ]);
    };
    await moveBy(-3);
    await notSummed(database());
    await sumUp(database());
    expect(await spentBy(customer)).toBe(15);
    const usage = { ...NO_USAGE, input_tokens: 10, output_tokens: 25 };
    await customer.settle(request_id, { usage, charge_micro: micro(40) });
    expect(await spentBy(customer)).toBe(40);
    expect((await sumUp(database())).map(({ size }) => size)).toContain(1);
    expect(await spentBy(customer)).toBe(40);
    // Other suites know of no older requests. The laws are off meanwhile, and so are the triggers that raise revisions.
    await moveBy(3);
    await notSummed(database());
  });
}

/** Reports by account and key, over the days, by the hour and over hours that begin within a day. */
async function trafficReports({ store: { accounts } }: TestDatabase): Promise<unknown[]> {
  const told: unknown[] = [];
  const days = (first: number, count: number): TrafficQuery["periods"] =>
    Array.from({ length: count }, (_, at) => [(first + at) * HOURS, (first + at + 1) * HOURS] as const);
  const shapes: Pick<TrafficQuery, "periods" | "before" | "by_day">[] = [
    { periods: days(TODAY - 99, 100), before: [(TODAY - 149) * HOURS, (TODAY - 99) * HOURS], by_day: true },
    { periods: days(TODAY - 29, 30), before: [(TODAY - 59) * HOURS, (TODAY - 29) * HOURS], by_day: true },
    { periods: [[(TODAY - 40) * HOURS + 7, (TODAY - 2) * HOURS + 3]], before: null, by_day: false },
    { periods: [[(TODAY - 40) * HOURS + 7, (TODAY - 40) * HOURS + 9]], before: null, by_day: false },
  ];
  for (const shape of shapes) {
    for (const group of ["account", "key"] as const) {
      for (const top of [2, 1000]) {
        const { counted_ms, ...report } = await accounts.reportTraffic({ ...shape, account_id: null, group, top });
        told.push(report);
        const { counted_ms: _, ...failed } = await accounts.reportTraffic({
          ...{ ...shape, account_id: null, group, top, status: "failed" },
        });
        told.push(failed);
      }
    }
  }
  return told;
}

/** Traffic as it would have been counted: the same in all tables, for each of the hours, which are of different days. */
async function trafficOn(
  { account, key, database }: Customer,
  hours: readonly number[],
  charge: number,
): Promise<void> {
  const of_account = { account_id: `'${account.id}'`, key_id: `'${key.id}'` };
  const of_route = { route_no: "1" };
  const placesAt = (hour: number): Readonly<Record<string, Readonly<Record<string, string>>>> => {
    const day = { day: String(Math.floor(hour / HOURS)) };
    return {
      traffic_key_days: { ...day, ...of_account },
      traffic_account_days: { ...day, ...of_account, ...of_route },
      traffic_account_hours: { hour: String(hour), ...of_account, ...of_route },
      traffic_days: { ...day, ...of_route },
      traffic_hours: { hour: String(hour), ...of_route },
    };
  };
  for (const [table, shape] of Object.entries(placesAt(0))) {
    const names = [...Object.keys(shape), "outcome"].join(", ");
    const values = hours.flatMap((hour) =>
      ["answered", "failed"].map((outcome) => {
        const place = Object.values(placesAt(hour)[table] ?? {}).join(", ");
        return `(${place}, '${outcome}', 2, ${outcome === "failed" ? 0 : charge})`;
      }),
    );
    await database.execute(
      `INSERT INTO ${table} (${names}, requests, charge_micro) VALUES ${values.join(", ")}
        ON CONFLICT (${names}) DO UPDATE SET requests = ${table}.requests + excluded.requests,
          charge_micro = ${table}.charge_micro + excluded.charge_micro`,
      account.id,
    );
  }
}

function trafficTests(database: () => TestDatabase): void {
  test("say of the traffic by account and key what its days and hours say", async () => {
    const { upkeep } = database().store;
    await upkeep.recountTraffic();
    for (let has_more = true; has_more; ) {
      const slice = await upkeep.readTrafficSlice({ limit: 5000, prices_json: "{}" });
      await upkeep.writeTrafficSlice(slice);
      ({ has_more } = slice);
    }
    const customers = await Promise.all([1, 2, 3].map(() => newCustomer(database(), 0)));
    for (const [at, customer] of customers.entries()) {
      const hours: number[] = [];
      for (let day = FIRST; day < TODAY; day += 2 + at) hours.push(day * HOURS + 5 + at);
      await trafficOn(customer, hours, 100 * (at + 1));
      await trafficOn(customer, [(TODAY - 40) * HOURS + 8], 3);
    }
    await notSummed(database());
    const from_rows = await trafficReports(database());
    const spans = (await sumUp(database())).filter(({ kind }) => kind === "traffic");
    for (const size of [4, 16, 64]) expect(spans.map((span) => span.size)).toContain(size);
    expect(await trafficReports(database())).toEqual(from_rows);

    const [customer] = customers as [Customer, Customer, Customer];
    await trafficOn(customer, [(TODAY - 20) * HOURS], 9);
    const changed = await trafficReports(database());
    expect(changed).not.toEqual(from_rows);
    const again = (await sumUp(database())).filter(({ kind }) => kind === "traffic");
    expect(again.map(({ size }) => size)).toEqual([4, 16, 64].slice(0, again.length));
    expect(await trafficReports(database())).toEqual(changed);

    await upkeep.recountTraffic();
    const kept = await database().execute("SELECT count(*) AS spans FROM summed_spans WHERE kind = 'traffic'");
    expect(Number((kept as { spans: unknown }[])[0]?.spans)).toBe(0);
  }, 180_000);
}

function clockTests(database: () => TestDatabase): void {
  test("are not read of days that have come again, and those are open again", async () => {
    const customers = await usedFor(FEW_DAYS, database());
    const [customer] = customers as [Customer];
    await sumUp(database());
    const spent = await spentBy(customer);
    for (const day of [TODAY, TODAY + 1]) {
      await database().execute(
        `INSERT INTO closed_days (kind, day, revision, noted_ms) VALUES ('usage', ${day}, 0, 1)`,
      );
      await database().execute(
        `INSERT INTO summed_spans (kind, size, first_day, made_of, making_of, next_account) VALUES ('usage', 1, ${day}, 0, 0, '')`,
      );
    }
    expect(await spentBy(customer)).toBe(spent);
    await sumUp(database());
    const open = await database().execute(
      `SELECT count(*) AS days FROM closed_days WHERE kind = 'usage' AND day >= ${TODAY}`,
    );
    expect(Number((open as { days: unknown }[])[0]?.days)).toBe(0);
    await forget(database(), customers);
  }, 180_000);
}
