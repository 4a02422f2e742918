import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Check } from "typebox/value";
import { ErrorBody } from "../../contract/common.ts";
import { VendorHistory } from "../../contract/health.ts";
import { ReceiptList } from "../../contract/requests.ts";
import { Traffic } from "../../contract/traffic.ts";
import { testDeps } from "../../proofs/support/console-deps.ts";
import { deriveSubKeys } from "../access/sub-keys.ts";
import { loadConfiguration } from "../catalog/configuration/load-configuration.ts";
import type { ConsoleAnswer } from "../core/answer/console-exchange.ts";
import { newId } from "../core/ids.ts";
import { LATENCY_ENDS_MS } from "../core/operations/traffic.ts";
import type { Store } from "../core/store/ports.ts";
import { openStore } from "../store/open-store.ts";
import { type Customer, newCustomer, OUTCOME, PRICE, type TestDatabase } from "../store/suite/books.ts";
import type { Actor } from "./answer/actor.ts";
import { handleConsoleApi } from "./handle-console-api.ts";
import { readPeriods } from "./read/read-periods.ts";
import { percentile } from "./show/show-traffic.ts";

const ADMIN: Actor = { kind: "admin-token" };
const keys = deriveSubKeys("a root secret for tests");
const node_id = newId("node");
const configuration = loadConfiguration({ file_text: null, file_name: "camino.yaml", env: {} });

let folder: string;
let store: Store;
let ann: Customer;
let bob: Customer;
const FORMULA = '=HYPERLINK("http://evil","x")';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-traffic-"));
  store = await openStore({ url: `sqlite:${join(folder, "camino.db")}`, node_id });
  const unused = () => Promise.reject(new Error("not asked for here"));
  const database: TestDatabase = { store, node_id, execute: unused, crash: unused, close: unused };
  ann = await newCustomer(database, 10_000, { name: FORMULA });
  bob = await newCustomer(database, 10_000);
  for (const [customer, vendor] of [
    [ann, "acme"],
    [ann, "other"],
    [bob, "acme"],
  ] as const) {
    const attempts = [{ vendor, upstream_model: "swift", status: 200, error: null, first_byte_ms: 9, duration_ms: 30 }];
    await customer.settle(await customer.hold(), { outcome: { ...OUTCOME, attempts } });
  }
  await bob.void(await bob.hold(), { outcome: { ...OUTCOME, error: "provider_error" } });
  const prices_json = JSON.stringify({ "acme/swift acme swift": [{ ...PRICE, output_micro_per_mtok: 1_000_000 }] });
  await store.upkeep.writeTrafficSlice(await store.upkeep.readTrafficSlice({ limit: 100, prices_json }));
});

afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

function call(target: string, actor: Actor = ADMIN): Promise<ConsoleAnswer> {
  const url = new URL(`http://gateway/console/api${target}`);
  const deps = testDeps(store, keys, configuration, Date.now());
  return handleConsoleApi({ method: "GET", path: url.pathname, query: url.searchParams, body: undefined }, deps, actor);
}

async function traffic(query: string, actor?: Actor): Promise<Traffic> {
  const { status, body } = await call(`/usage/traffic?${query}`, actor);
  expect({ status, body }).toMatchObject({ status: 200 });
  if (!Check(Traffic, body)) throw new Error(`not as the contract says: ${JSON.stringify(body)}`);
  return body;
}

async function file(query: string) {
  const { headers, body } = await call(`/usage/traffic?${query}&format=csv`);
  if (typeof body !== "string") throw new Error("not a file");
  return { headers, text: body };
}

const memberOf = ({ account }: Customer): Actor => ({
  kind: "user",
  user_id: "user_ann",
  role: "member",
  account_id: account.id,
});

describe("the traffic of all accounts", () => {
  test("is summed up, with the margin where the vendor's price is known, and compared with the time before", async () => {
    const report = await traffic("by=account");
    expect(report.total).toMatchObject({ requests: 4, answered: 3, failed: 1, charge_micro: 120 });
    expect(report.total).toMatchObject({ margin_micro: 80 - 50, margin_of: 0.667 });
    expect(report.total.first_byte_ms).toMatchObject({ mean: 20 });
    expect(report.before).toMatchObject({ requests: 0, charge_micro: 0, margin_micro: null });
    expect(report.before.until).toBe(report.since);
    expect(report.groups.map(({ id, name, requests, failed }) => [id, name, requests, failed])).toEqual([
      [ann.account.id, ann.account.email, 2, 0],
      [bob.account.id, bob.account.email, 2, 1],
    ]);
    expect(report.data.map(({ group, requests }) => [group, requests])).toEqual([
      [ann.account.id, 2],
      [bob.account.id, 2],
    ]);
    expect(report.periods).toHaveLength(30);
    expect(Date.parse(report.counted_until ?? "")).toBeGreaterThan(Date.now() - 60_000);
  });

  test.each([
    ["vendor", ["acme", "other", ""]],
    ["route", ["acme swift", "other swift", ""]],
  ])("has latencies and tokens a second over time of each %s", async (by, ids) => {
    const { data } = await traffic(`by=${by}&step=hour`);
    expect(data.map(({ group }) => group)).toEqual(ids);
    const [answered, , failed] = data;
    expect(answered).toMatchObject({ first_byte_mean_ms: 20, total_mean_ms: expect.any(Number) });
    expect(answered?.tokens_per_s).toBeGreaterThan(0);
    expect(failed).toMatchObject({ first_byte_mean_ms: null, total_mean_ms: null, tokens_per_s: null });
  });

  test("is grouped by vendor, route, status, error, model and key, by hour, day and month", async () => {
    const groups = async (query: string) =>
      (await traffic(query)).groups.map(({ id, others, requests }) => [others ? "others" : id, requests]);
    expect(await groups("by=vendor&step=hour")).toEqual([
      ["acme", 2],
      ["other", 1],
      ["", 1],
    ]);
    expect(await groups("by=vendor&top=1&step=month")).toEqual([
      ["acme", 2],
      ["others", 2],
    ]);
    expect(await groups("by=route&vendor=acme")).toEqual([["acme swift", 2]]);
    expect(await groups("by=route")).toContainEqual(["", 1]);
    expect(await groups("by=status&route=acme%20swift")).toEqual([["answered", 2]]);
    expect(await groups("by=error&status=failed")).toEqual([["provider_error", 1]]);
    expect(await groups(`by=key&account=${ann.account.id}`)).toEqual([[ann.key.id, 2]]);
    expect(await groups("by=model&model=acme/swift")).toEqual([["acme/swift", 4]]);
  });

  test("is for a member that of the own account, without what vendors charge the operator", async () => {
    const report = await traffic("by=account", memberOf(ann));
    expect(report.groups.map(({ id }) => id)).toEqual([ann.account.id]);
    expect(report.total).toMatchObject({ requests: 2, margin_micro: null, margin_of: null });
    expect((await call(`/usage/traffic?account=${bob.account.id}`, memberOf(ann))).status).toBe(404);
    expect((await traffic(`key=${bob.key.id}`, memberOf(ann))).total.requests).toBe(0);
  });

  test("is a CSV file on request, in which no name is a formula", async () => {
    const { headers, text } = await file("by=key&status=answered");
    expect(headers?.["content-disposition"]).toMatch(/^attachment; filename="traffic-key-[\d-]+\.csv"$/);
    const [head = "", first = ""] = text.split("\r\n");
    expect(head).toStartWith("key,name,requests,answered,failed,left,refused,charge,charge_micro,margin,");
    expect(first).toStartWith(`${ann.key.id},"'=HYPERLINK(""http://evil"",""x"")",2,2,0,0,0,0.00008,80,`);
    expect((await file("step=month")).text.split("\r\n")).toHaveLength(14);
  });

  test.each([
    ["by=colour", "by"],
    ["zone=Mars/Olympus", "zone"],
    ["since=2026-02-30", "since"],
    ["since=2026-02-02&until=2026-02-01", "since"],
    ["step=day&since=2020-01-01&until=2026-01-01", "since"],
    ["step=hour&since=2020-01-01&until=2020-01-02", "step"],
    ["step=hour&by=account&since=2020-01-01", "since"],
    ["top=1001", "top"],
    ["route=acme", "route"],
  ])("refuses %s and names the field", async (query, param) => {
    const { status, body } = await call(`/usage/traffic?${query}`);
    expect(status).toBe(400);
    expect(Check(ErrorBody, body) && body.error.param).toBe(param);
  });
});

test("lists of requests name their accounts and keys", async () => {
  const { body } = await call("/requests");
  if (!Check(ReceiptList, body)) throw new Error(`not as the contract says: ${JSON.stringify(body)}`);
  expect(body.names.accounts).toEqual({ [ann.account.id]: ann.account.email, [bob.account.id]: bob.account.email });
  expect(body.names.keys[ann.key.id]).toBe(FORMULA);
  const file = await call(`/requests?format=csv&key=${ann.key.id}&outcome=answered`);
  const lines = typeof file.body === "string" ? file.body.split("\r\n") : [];
  expect(lines).toHaveLength(2 + 2);
  expect(lines[1]).toContain(
    `,${ann.account.email},${ann.key.id},"'=HYPERLINK(""http://evil"",""x"")",chat.completions,`,
  );
  expect(lines[1]).toContain(",other,swift,1,answered,,");
});

describe("periods", () => {
  const NOW_MS = Date.parse("2026-11-21T23:30:00Z");
  const periods = (query: object, apart = false) => {
    const read = readPeriods(query, { now_ms: NOW_MS, apart });
    const time = (hour = 0) => new Date(hour * 3_600_000).toISOString().slice(0, 16);
    const spans = read.spans.map(([from, to]) => [time(from), time(to)]);
    return { ...read, first: spans[0]?.[0], last: spans.at(-1), count: spans.length };
  };

  test("are days of the viewer's zone, whose length changes with its clocks, up to now", () => {
    const berlin = periods({ zone: "Europe/Berlin", since: "2026-10-24", until: "2026-10-26" });
    expect(berlin.spans.map(([from, to]) => to - from)).toEqual([24, 25, 24]);
    expect(berlin).toMatchObject({ first: "2026-10-23T22:00", by_day: false, is_utc_instead: false });
    const today = periods({ zone: "Europe/Berlin", since: "2026-11-22", until: "2026-11-22" });
    expect(today.last).toEqual(["2026-11-21T23:00", "2026-11-22T00:00"]);
    expect(today.before[1] - today.before[0]).toBe(1);
  });

  test("are read from UTC days where those are the zone's, or where hours are not kept or too many", () => {
    expect(periods({})).toMatchObject({ count: 30, by_day: true, is_utc_instead: false, first: "2026-10-23T00:00" });
    const long = periods({ zone: "Asia/Tokyo", since: "2026-08-01", until: "2026-10-01" });
    expect(long).toMatchObject({ count: 62, by_day: true, is_utc_instead: true, first: "2026-08-01T00:00" });
    const year = periods({ zone: "Asia/Tokyo", step: "month" });
    expect(year).toMatchObject({ count: 12, by_day: true, is_utc_instead: true, first: "2025-12-01T00:00" });
    const apart = periods({ zone: "Asia/Tokyo", since: "2026-11-10", until: "2026-11-20" }, true);
    expect(apart).toMatchObject({ by_day: true, is_utc_instead: true });
    const old = periods({ zone: "Asia/Tokyo", since: "2026-01-01", until: "2026-01-03" });
    expect(old).toMatchObject({ by_day: true, is_utc_instead: true, first: "2026-01-01T00:00" });
  });

  test("begin with the whole hour before where the zone's days begin within an hour", () => {
    const delhi = periods({ zone: "Asia/Kolkata", since: "2026-11-20", until: "2026-11-21" });
    expect(delhi).toMatchObject({ first: "2026-11-19T18:00", is_off_hours: true });
    expect(periods({ zone: "Asia/Tokyo" }).is_off_hours).toBe(false);
  });

  test("by the hour are the last day unless a time is asked for", () => {
    expect(periods({ step: "hour" })).toMatchObject({ count: 25, last: ["2026-11-21T23:00", "2026-11-22T00:00"] });
    const asked = periods({ step: "hour", since: "2026-11-21T10:20:00Z", until: "2026-11-21T12:00:00Z" });
    expect(asked).toMatchObject({
      count: 2,
      first: "2026-11-21T10:00",
      last: ["2026-11-21T11:00", "2026-11-21T12:00"],
    });
  });
});

test("percentiles lie within their bucket", () => {
  const counts = LATENCY_ENDS_MS.map((end_ms) => (end_ms === 262 ? 10 : 0));
  expect(percentile(counts, 0.5)).toBe(207);
  expect(percentile(counts, 0.95)).toBeLessThanOrEqual(262);
  expect(percentile([4, ...counts.slice(1)], 0.1)).toBe(9);
  expect(percentile([...LATENCY_ENDS_MS.map(() => 0), 3], 0.5)).toBe(118_059);
  expect(
    percentile(
      LATENCY_ENDS_MS.map(() => 0),
      0.5,
    ),
  ).toBeNull();
});

test("the history of vendors has their calls in steps, for administrators, and as a file", async () => {
  const { status, body } = await call("/health/vendors");
  expect(status).toBe(200);
  if (!Check(VendorHistory, body)) throw new Error(`not as the contract says: ${JSON.stringify(body)}`);
  expect(body).toMatchObject({ step_s: 900, step_count: 96 });
  expect(
    body.vendors.map(({ vendor, calls, failed, first_byte_ms }) => [vendor, calls, failed, first_byte_ms]),
  ).toEqual([
    ["acme", 2, 0, 9],
    ["other", 1, 0, 9],
  ]);
  expect(body.vendors[0]?.steps.reduce((sum, { calls }) => sum + calls, 0)).toBe(2);
  expect(body.vendors[0]?.routes).toMatchObject([{ upstream_model: "swift", calls: 2, total_ms: 30 }]);
  const week = await call("/health/vendors?range=week&format=csv");
  expect(week.headers?.["content-disposition"]).toBe('attachment; filename="vendors-last-week.csv"');
  expect(week.body).toMatch(/\r\n[\dT:.Z-]+,acme,2,0,9,30,\r\n/);
  expect((await call("/health/vendors", memberOf(ann))).status).toBe(404);
  expect((await call("/health/vendors?range=year")).status).toBe(400);
});
