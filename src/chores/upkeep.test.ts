import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../core/ids.ts";
import { createLogs } from "../observe/log.ts";
import { Metrics } from "../observe/metrics.ts";
import { openStore } from "../store/open-store.ts";
import { newCustomer, type TestDatabase } from "../store/suite/books.ts";
import { lastTimeOfHour, Upkeep } from "./upkeep.ts";

const HOUR = 3_600_000;

test("the audit is due at its hour, once a day", () => {
  const day = Date.UTC(2026, 6, 1);
  expect(lastTimeOfHour(day + 4 * HOUR, 3)).toBe(day + 3 * HOUR);
  expect(lastTimeOfHour(day + 3 * HOUR, 3)).toBe(day + 3 * HOUR);
  expect(lastTimeOfHour(day + 2 * HOUR, 3)).toBe(day - 21 * HOUR);
  expect(lastTimeOfHour(day + 1, 0)).toBe(day);
});

test("the daily audit runs when its hour comes, not at the first start, and tells what it found", async () => {
  const folder = await mkdtemp(join(tmpdir(), "camino-upkeep-"));
  const path = join(folder, "camino.db");
  const node_id = newId("node");
  const store = await openStore({ url: `sqlite:${path}`, node_id });
  const metrics = new Metrics();
  let now_ms = Date.now();
  const upkeep = new Upkeep({
    ...{ store, node_id, metrics, every_ms: HOUR, now_ms: () => now_ms },
    log: createLogs("silent", "stderr").log,
    settings: { audit_hour: 3, request_days: 396, answer_bytes: 2 ** 30 },
  });
  try {
    const unused = () => Promise.reject(new Error("not asked for here"));
    const database: TestDatabase = { store, node_id, execute: unused, crash: unused, close: unused };
    const customer = await newCustomer(database, 1000);
    await customer.settle(await customer.hold());
    await upkeep.look();
    expect(upkeep.state).toEqual({ hour: 3, running: false, last: null });
    expect(metrics.write()).toContain("camino_audit_problems -1");

    now_ms += 24 * HOUR;
    await upkeep.look();
    expect(upkeep.state.last).toMatchObject({ accounts: 1, requests: 1, problems: 0, first: [] });
    expect(metrics.write()).toContain("camino_audit_problems 0");

    using raw = new Database(path);
    raw.run("UPDATE usage_days SET cost_micro = 1");
    now_ms += 24 * HOUR;
    await upkeep.look();
    expect(upkeep.state.last).toMatchObject({ problems: 1, first: [expect.stringContaining("usage")] });
    expect(metrics.write()).toContain("camino_audit_problems 1");

    // Another node shows what this one found.
    const other = new Upkeep({
      ...{ store, node_id: newId("node"), metrics: new Metrics(), every_ms: HOUR, now_ms: Date.now },
      log: createLogs("silent", "stderr").log,
      settings: undefined,
    });
    await other.look();
    expect(other.state.last?.problems).toBe(1);

    // And so does a process that has just started, before it has looked for what is due.
    const started = new Upkeep({
      ...{ store, node_id: newId("node"), metrics: new Metrics(), every_ms: HOUR, now_ms: Date.now },
      log: createLogs("silent", "stderr").log,
      settings: undefined,
    });
    started.start();
    await started.stop();
    expect(started.state.last?.problems).toBe(1);
  } finally {
    await upkeep.stop();
    await store.close();
    await rm(folder, { recursive: true });
  }
});
