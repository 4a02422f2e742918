import { describe, expect, test } from "bun:test";
import type { AlertFacts, BalanceFact, GatewayFacts, VendorPace } from "../core/deliveries/alerts.ts";
import { findAlerts } from "./find-alerts.ts";

const DAY_MS = 86_400_000;
/** Noon, UTC. */
const NOW_MS = 20_000 * DAY_MS + DAY_MS / 2;
const UNIT = 1_000_000n;
const SETTING = { backup_after_ms: null, currency: "EUR" };

const RENEWS = { at: "2026-12-01T00:00:00+01:00", time_zone: "Europe/Berlin" };
const NOTHING: AlertFacts = { now_ms: NOW_MS, balances: [], budgets: [], keys: [], gateway: null };
const QUIET: GatewayFacts = { vendors: [], paces: [], circuits: [], incidents: [], audit: null, loss_micro: 0n };

function balanceOf(fields: Partial<BalanceFact>): AlertFacts {
  const spent = { today_micro: 0n, yesterday_micro: 0n, week_micro: 0n, week_days: 0 };
  const account = { account_id: "acct_1", name: "studio", balance_micro: 100n * UNIT, held_micro: 0n };
  return { ...NOTHING, balances: [{ ...account, ...spent, ...fields }] };
}

const typesOf = (facts: AlertFacts): string[] =>
  findAlerts(facts, SETTING).map(({ type, holds }) => (holds === "margin" ? `(${type})` : type));

test("amounts come with their currency, and other data without", () => {
  const expires_ms = NOW_MS + DAY_MS;
  const keys = [
    {
      account_id: "acct_1",
      account_name: "studio",
      key_id: "key_1",
      name: "laptop",
      expires_ms,
      status: "active" as const,
    },
  ];
  const data = findAlerts({ ...balanceOf({ balance_micro: UNIT }), keys }, SETTING).map((each) =>
    JSON.parse(each.data),
  );
  expect(data.map(({ currency }) => currency)).toEqual(["EUR", undefined]);
});

describe("an account's", () => {
  test.each<[string, Partial<BalanceFact>, string[]]>([
    ["balance is low below 5 units", { balance_micro: 5n * UNIT - 1n }, ["balance.low"]],
    ["balance stays low up to a fifth more", { balance_micro: 5n * UNIT }, ["(balance.low)"]],
    ["balance is not low from 6 units on", { balance_micro: 6n * UNIT }, []],
    ["balance is low below three days of today's pace", { today_micro: 40n * UNIT }, ["balance.low"]],
    ["pace has yesterday's share in it", { yesterday_micro: 80n * UNIT }, ["balance.low"]],
    ["balance that is used up is not low besides", { balance_micro: 0n }, ["(balance.low)", "balance.empty"]],
    ["balance that is held comes back in part", { balance_micro: 0n, held_micro: UNIT }, ["balance.low"]],
    [
      "spend of three usual days is unusual",
      { balance_micro: 900n * UNIT, today_micro: 60n * UNIT, week_micro: 140n * UNIT, week_days: 7 },
      ["spend.unusual"],
    ],
    [
      "spend of less is usual",
      { balance_micro: 900n * UNIT, today_micro: 59n * UNIT, week_micro: 140n * UNIT, week_days: 7 },
      [],
    ],
    ["spend of cents is never unusual", { today_micro: 4n * UNIT, week_micro: 7n, week_days: 7 }, []],
    [
      "spend is not unusual while no days are known",
      { balance_micro: 900n * UNIT, today_micro: 60n * UNIT, week_micro: UNIT, week_days: 2 },
      [],
    ],
  ])("%s", (_, fields, types) => {
    expect(typesOf(balanceOf(fields))).toEqual(types);
  });

  test.each([
    [49n, null],
    [50n, 50],
    [79n, 50],
    [80n, 80],
    [99n, 80],
    [100n, 100],
    [130n, 100],
  ])("budget of 100 with %d used is told of at %p percent", (spent, percent) => {
    const account = { account_id: "acct_1", account_name: "studio" };
    const holder = { holder: "key", holder_id: "key_1", holder_name: "laptop", window: "month" } as const;
    const facts = {
      ...NOTHING,
      budgets: [{ ...account, ...holder, budget_micro: 100n * UNIT, spent_micro: spent * UNIT, renews: RENEWS }],
    };
    const found = findAlerts(facts, SETTING);
    expect(found.map(({ level }) => level)).toEqual(percent === null ? [] : [percent]);
    const told = { key: "key_1", percent, renews_at: RENEWS.at, time_zone: RENEWS.time_zone };
    if (percent !== null) expect(JSON.parse(found[0]?.data ?? "")).toMatchObject(told);
  });
});

describe("what was begun and is true no more is found with what is true now", () => {
  const account = { account: "acct_1", account_name: "studio" };
  const of_key = { ...account, key: "key_1", key_name: "laptop" };
  const key = {
    account_id: "acct_1",
    account_name: "studio",
    key_id: "key_1",
    name: "laptop",
    status: "active",
  } as const;
  const soon = new Date(NOW_MS + 30 * DAY_MS).toISOString();
  const holder = { holder: "key", holder_id: "key_1", holder_name: "laptop", window: "month" } as const;
  const budget = { account_id: "acct_1", account_name: "studio", ...holder, budget_micro: 100n, spent_micro: 7n };
  const gateway = { ...QUIET, backed_up_ms: NOW_MS };
  const vendors = [{ vendor: "v", calls: 30, failures: 3 }];
  const failing = { vendor: "v", reason: "failures" };
  const slow = { vendor: "v", model: "m", reason: "slow" };
  test.each<[string, string, AlertFacts, object]>([
    [
      "balance.low",
      "acct_1",
      balanceOf({ balance_micro: 52n * UNIT }),
      { ...account, balance_micro: 52e6, days_left: null },
    ],
    ["balance.empty", "acct_1", balanceOf({ balance_micro: 52n }), { ...account, balance_micro: 52 }],
    [
      ...(["spend.unusual", "acct_1"] as const),
      balanceOf({ today_micro: 0n, week_micro: 140n, week_days: 7 }),
      { ...account, today_micro: 0, usual_micro: 20 },
    ],
    [
      ...(["budget.reached", "key key_1"] as const),
      { ...NOTHING, budgets: [{ ...budget, renews: null }] },
      { ...of_key, holder: "key", percent: 7, budget_micro: 100, spent_micro: 7, window: "month" },
    ],
    [
      ...(["key.expiring", "key_1"] as const),
      { ...NOTHING, keys: [{ ...key, expires_ms: NOW_MS - 1000 }] },
      { ...of_key, expires_at: new Date(NOW_MS - 1000).toISOString(), status: "expired" },
    ],
    [
      ...(["key.expiring", "key_1"] as const),
      { ...NOTHING, keys: [{ ...key, expires_ms: NOW_MS + DAY_MS, status: "revoked" }] },
      { ...of_key, expires_at: new Date(NOW_MS + DAY_MS).toISOString(), status: "revoked" },
    ],
    [
      ...(["key.expiring", "key_1"] as const),
      { ...NOTHING, keys: [{ ...key, expires_ms: NOW_MS + 30 * DAY_MS }] },
      { ...of_key, expires_at: soon, status: "active" },
    ],
    [
      ...(["vendor.failing", "v"] as const),
      { ...NOTHING, gateway: { ...QUIET, vendors } },
      { ...failing, attempts: 30, failures: 3, percent: 10 },
    ],
    [
      ...(["vendor.failing", "v m"] as const),
      { ...NOTHING, gateway: { ...QUIET, paces: [paceOf([900, 700], 1500)] } },
      { ...slow, first_byte_ms: 700, usual_ms: 1500 },
    ],
    [
      ...(["vendor.failing", "v m"] as const),
      { ...NOTHING, gateway: { ...QUIET, paces: [{ ...paceOf([], 1500), before_ms: [] }] } },
      { ...slow, first_byte_ms: null, usual_ms: null },
    ],
    ["audit.found", "books", { ...NOTHING, gateway: { ...QUIET, audit: '{"problems":0}' } }, { problems: 0 }],
    [
      ...(["backup.late", "database"] as const),
      { ...NOTHING, gateway },
      { backed_up_at: new Date(NOW_MS).toISOString(), after_s: 3600 },
    ],
  ])("%s", (type, subject, facts, data) => {
    const setting = { backup_after_ms: 3_600_000, currency: "EUR" };
    expect(findAlerts(facts, setting).filter((each) => each.type === type && each.holds === "no")).toEqual([]);
    const [found, ...others] = findAlerts(facts, setting, [{ type, subject }]).filter(({ holds }) => holds === "no");
    expect(others).toEqual([]);
    expect(found).toMatchObject({ type, subject });
    const currency =
      "balance_micro" in data || "today_micro" in data || "spent_micro" in data ? { currency: "EUR" } : {};
    expect(JSON.parse(found?.data ?? "")).toEqual({ ...data, ...currency });
  });
});

/** A route that is as fast as it is now, and was so for most of the day. */
function paceOf(now_ms: number[], usual_ms: number, slots = 13): VendorPace {
  const before_ms = Array.from({ length: slots }, (_, at) => (at % 3 === 0 ? 20_000 : usual_ms));
  return { vendor: "v", model: "m", now_ms, before_ms };
}

describe("a backup", () => {
  const HOUR_MS = 3_600_000;
  test.each<[string, number | null | undefined, number | null, boolean]>([
    ["that nobody waits for is never late", null, null, false],
    ["that was never made is late", null, 26 * HOUR_MS, true],
    ["that is older than it may be is late", NOW_MS - 27 * HOUR_MS, 26 * HOUR_MS, true],
    ["that is as old as it may be is not late", NOW_MS - 26 * HOUR_MS, 26 * HOUR_MS, false],
    ["that others make is not the gateway's to know", undefined, 26 * HOUR_MS, false],
  ])("%s", (_, backed_up_ms, after_ms, is_late) => {
    const gateway = { ...QUIET, ...(backed_up_ms === undefined ? {} : { backed_up_ms }) };
    const found = findAlerts({ ...NOTHING, gateway }, { ...SETTING, backup_after_ms: after_ms });
    expect(found.map(({ type }) => type)).toEqual(is_late ? ["backup.late"] : []);
  });
});

describe("the gateway's", () => {
  test.each<[string, Partial<GatewayFacts>, string[]]>([
    ["vendor fails with half of 20 calls", { vendors: [{ vendor: "v", calls: 20, failures: 10 }] }, ["vendor.failing"]],
    [
      "vendor goes on failing with fewer calls",
      { vendors: [{ vendor: "v", calls: 19, failures: 19 }] },
      ["(vendor.failing)"],
    ],
    ["vendor does not fail without calls", { vendors: [{ vendor: "v", calls: 0, failures: 0 }] }, []],
    ["vendor does not fail with less than half", { vendors: [{ vendor: "v", calls: 200, failures: 99 }] }, []],
    ["vendor is slow with three times the usual", { paces: [paceOf([6000, 9000], 2000)] }, ["vendor.failing"]],
    ["vendor stays slow down to twice the usual", { paces: [paceOf([4000, 9000], 2000)] }, ["(vendor.failing)"]],
    ["vendor is not slow below twice the usual", { paces: [paceOf([3999, 9000], 2000)] }, []],
    ["vendor is not slow below two seconds", { paces: [paceOf([1999, 1999], 10)] }, []],
    ["vendor is not slow in one slot alone", { paces: [paceOf([60_000], 10)] }, []],
    ["vendor's pace is not known within its first hour", { paces: [paceOf([6000, 6000], 10, 11)] }, []],
    ["circuit is open", { circuits: [{ vendor: "v", model: "m", reason: "failures" }] }, ["circuit.opened"]],
    ["cell is away", { away_cells: ["north"] }, ["cell.away"]],
    ["incident is open", { incidents: [{ id: 1, kind: "wrong_row", detail: "m" }] }, ["incident.opened"]],
    ["audit found something", { audit: '{"problems":2}' }, ["audit.found"]],
    ["audit found nothing", { audit: '{"problems":0}' }, []],
    ["loss was booked", { loss_micro: 1n }, ["loss.booked"]],
  ])("%s", (_, fields, types) => {
    expect(typesOf({ ...NOTHING, gateway: { ...QUIET, ...fields } })).toEqual(types);
  });
});
